# SPDX-License-Identifier: Apache-2.0
"""Whether the type stub of the native module says what the bindings do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dev import native_build
from dev.project import PACKAGING, ROOT, Stamp, content_hash, run

if TYPE_CHECKING:
    from dev.environments import Environment


def check(environment: Environment) -> bool:
    """Compare the stub with the module of the staged build, name by name."""
    allowlist = PACKAGING / "stubtest-allowlist.txt"
    stamp = Stamp("stubs", content_hash([allowlist, ROOT / "native"]))
    if stamp.is_fresh():
        return True
    command = ("-m", "mypy.stubtest", "weft._native", "--concise", "--ignore-unused-allowlist")
    path = {"PYTHONPATH": str(native_build.STAGE), "MYPYPATH": str(native_build.STAGE)}
    status = run(environment.python, *command, "--allowlist", allowlist, env=path, check=False)
    if status == 0:
        stamp.write()
    return status == 0
