# SPDX-License-Identifier: Apache-2.0
"""Write the type stub of the native module, for mypy and for editors.

    python packaging/write_stubs.py native/python/weft/_native.pyi

Runs in an environment that can import weft; ./dev stubs calls it. pybind11-stubgen reads the
signatures; what it cannot see, the bases of the exceptions, is added here.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MODULE = "weft._native"
HEADER = """# SPDX-License-Identifier: Apache-2.0
# Written by ./dev stubs from the bindings; edit those.
"""
# On lines that define a function: what mypy --strict wants to be spelled out.
REPAIRS = (
    (r"(?<=[:>|\[] )dict(?![\w\[])", "dict[str, typing.Any]"),
    (r"(?<=[:>|\[] )list(?![\w\[])", "list[typing.Any]"),
    (r"(?<=[:>|\[] )tuple(?![\w\[])", "tuple[typing.Any, ...]"),
    (r"collections\.abc\.(\w+)(?!\w*\[)\b", r"collections.abc.\1[typing.Any]"),
    (r"numpy\.ndarray(?!\[)", "NDArray[typing.Any]"),
    (r"\*(args|kwargs)(?=[,)])", r"*\1: typing.Any"),
    (r"\):$", ") -> typing.Any:"),
)


def generate(folder: Path) -> str:
    """Return what pybind11-stubgen makes of the module; SystemExit names unusable signatures."""
    command = [sys.executable, "-m", "pybind11_stubgen", MODULE, "--exit-code"]
    result = subprocess.run([*command, "-o", folder], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"write_stubs: the bindings show types unknown to Python:\n{result.stderr}")
    return (folder / MODULE.replace(".", "/")).with_suffix(".pyi").read_text()


def repaired(text: str) -> str:
    """Return the stub with the untyped parts of its signatures spelled out."""
    # An enum's __new__ is the interpreter's own.
    text = re.sub(r"    @classmethod\n    def __new__\(cls, value\):\n        \.\.\.\n", "", text)
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.lstrip().startswith("def "):
            for pattern, replacement in REPAIRS:
                line = re.sub(pattern, replacement, line)
            lines[index] = line
    text = "\n".join(lines)
    text = re.sub(r"(\w+): typing\.ClassVar\[\w+\]$", r"\1 = ...", text, flags=re.MULTILINE)
    if "NDArray" in text:
        text = text.replace(
            "import typing\n", "import typing\n\nfrom numpy.typing import NDArray\n", 1
        )
    return text


def exception_class(error: type) -> list[str]:
    """Return the definition of an exception; a list that it carries is one of diagnostics."""
    bases = ", ".join(base.__name__ for base in error.__bases__)
    members = {name: type(value).__name__ for name, value in vars(error).items()}
    lines = [f"class {error.__name__}({bases}):", f'    """{error.__doc__}"""', ""]
    for name, kind in members.items():
        if not name.startswith("__"):
            lines.append(f"    {name}: {'list[Diagnostic]' if kind == 'list' else kind}")
    return [*lines, ""]


def exception_classes(names: list[str]) -> str:
    """Return definitions of the native module's exceptions, bases first."""
    native = importlib.import_module(MODULE)
    errors: list[type] = [getattr(native, name) for name in names]
    errors.sort(key=lambda error: (len(error.__mro__), error.__name__))
    return "\n".join(line for error in errors for line in exception_class(error))


def main() -> None:
    """Write the stub to the path on the command line."""
    imported = re.compile(r"^from weft import (\w+)\n", re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        text = generate(Path(folder))
    names = imported.findall(text)
    text = repaired(imported.sub("", text))
    Path(sys.argv[1]).write_text(f"{HEADER}{text}\n{exception_classes(names)}")


if __name__ == "__main__":
    main()
