# SPDX-License-Identifier: Apache-2.0
"""Puts the documentation of the bindings into the type stub, whose own text is types only.

``./dev check`` runs it with the staged package importable: ``stub_docstrings.py STUB`` prints the
names whose text differs and fails, ``stub_docstrings.py STUB --fix`` rewrites them.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from dataclasses import dataclass
from pathlib import Path

Documented = ast.ClassDef | ast.FunctionDef
_SIGNATURE = re.compile(r"\A\w+\(.*\)( -> .*)?\n*")


@dataclass
class Place:
    """A definition of the stub and what its docstring should be."""

    name: str
    node: Documented
    wanted: str


def documentation(value: object) -> str:
    """Return the text of a binding, without the signature that pybind11 puts in front."""
    if isinstance(value, staticmethod):
        value = value.__func__
    text = value.__dict__.get("__doc__") if isinstance(value, type) else value.__doc__
    if not isinstance(text, str):
        text = getattr(value, "__doc__", None) or ""
    if not isinstance(value, type):
        text = _SIGNATURE.sub("", text.lstrip("\n"), count=1)
    return inspect.cleandoc(text)


def _member(owner: object, name: str) -> object:
    if isinstance(owner, type) and name in vars(owner):
        value = vars(owner)[name]
        return getattr(owner, name) if hasattr(value, "on_class") else value
    if name == "__getattr__":  # a class may have its slot alone
        return None
    return getattr(owner, name)


def _places(nodes: list[ast.stmt], owner: object, prefix: str) -> list[Place]:
    found = []
    for node in nodes:
        if not isinstance(node, Documented):
            continue
        name = f"{prefix}{node.name}"
        value = _member(owner, node.name)
        is_special = node.name.startswith("__")
        is_accessor = any(isinstance(entry, ast.Attribute) for entry in node.decorator_list)
        wanted = "" if is_special and not ast.get_docstring(node) else documentation(value)
        if not is_accessor:
            found.append(Place(name, node, wanted))
        if isinstance(node, ast.ClassDef):
            found += _places(node.body, value, f"{name}.")
    return found


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _replaced(lines: list[str], place: Place) -> None:
    """Write the docstring of one definition; `lines` below it keep their numbers."""
    body = place.node.body
    indent = " " * (place.node.col_offset + 4)
    quoted = place.wanted.replace("\\", "\\\\").splitlines()
    text = [f'{indent}"""', *(f"{indent}{line}".rstrip() for line in quoted), f'{indent}"""']
    first, last = body[0].lineno - 1, body[0].end_lineno or body[0].lineno
    if _is_text(body[0]) and isinstance(body[0].value.value, str):  # type: ignore[attr-defined]
        is_alone = len(body) == 1
        lines[first:last] = text if place.wanted else [f"{indent}..."] if is_alone else []
        return
    if isinstance(place.node, ast.ClassDef):
        lines[first:first] = text
        return
    line = lines[first]
    lines[first : first + 1] = [line[: line.rindex("...")].rstrip(), *text]


def main(stub: Path, *, fix: bool) -> int:
    """Compare or rewrite; return the exit status."""
    source = stub.read_text(encoding="utf-8")
    module = importlib.import_module("weft._native")
    places = _places(ast.parse(source).body, module, "")
    stale = [place for place in places if (ast.get_docstring(place.node) or "") != place.wanted]
    if not fix:
        for place in stale:
            print(f"{stub}:{place.node.lineno}: the text of {place.name} is not the binding's")
        return 1 if stale else 0
    lines = source.splitlines()
    for place in sorted(stale, key=lambda entry: -entry.node.body[0].lineno):
        _replaced(lines, place)
    stub.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), fix="--fix" in sys.argv[2:]))
