# SPDX-License-Identifier: Apache-2.0
"""Whether the type stub of the native module says what the bindings do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dev import native_build
from dev.project import PACKAGING, ROOT, Stamp, content_hash, run

if TYPE_CHECKING:
    from dev.environments import Environment


STUB = ROOT / "native" / "python" / "weft" / "_native.pyi"
DOCSTRINGS = PACKAGING / "dev" / "stub_docstrings.py"


def check(environment: Environment, *, fix: bool) -> bool:
    """Compare the stub with the module of the staged build, name by name and text by text.

    Args:
        environment: Has mypy, and Python for which the module is built.
        fix: Rewrites the stub's docstrings to those of the bindings.
    """
    allowlist = PACKAGING / "stubtest-allowlist.txt"
    stamp = Stamp("stubs", content_hash([allowlist, DOCSTRINGS, ROOT / "native"]))
    if stamp.is_fresh():
        return True
    command = ("-m", "mypy.stubtest", "weft._native", "--concise", "--ignore-unused-allowlist")
    path = {"PYTHONPATH": str(native_build.STAGE), "MYPYPATH": str(native_build.STAGE)}
    mode = ["--fix"] if fix else []
    texts = run(environment.python, DOCSTRINGS, STUB, *mode, env=path, check=False)
    if fix:
        run(environment.tool("ruff"), "format", "--quiet", STUB)
    status = run(environment.python, *command, "--allowlist", allowlist, env=path, check=False)
    if status == texts == 0:
        stamp.write()
    return status == texts == 0
