# SPDX-License-Identifier: Apache-2.0
"""./dev stubs: the type stub of the native module, and whether it is as the bindings are."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from dev import environments, native_build
from dev.project import PACKAGING, ROOT, DevError, Stamp, build_lock, content_hash, run

if TYPE_CHECKING:
    from dev.environments import Environment

STUB = ROOT / "native" / "python" / "weft" / "_native.pyi"


def write_stub(environment: Environment, target: Path) -> None:
    """Write the stub of the staged build, formatted as the project's Python is."""
    path = {"PYTHONPATH": str(native_build.STAGE)}
    run(environment.python, PACKAGING / "write_stubs.py", target, env=path)
    ruff = environment.tool("ruff")
    run(ruff, "format", "--quiet", "--config", ROOT / "pyproject.toml", target)


def is_fresh(environment: Environment) -> bool:
    """Return whether the stub in the tree is what the bindings give; True if there is none yet."""
    if not STUB.is_file():
        return True
    key = content_hash([STUB, ROOT / "native", PACKAGING / "write_stubs.py"])
    stamp = Stamp("stubs", key)
    if stamp.is_fresh():
        return True
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / STUB.name
        write_stub(environment, fresh)
        if fresh.read_text() != STUB.read_text():
            print(f"{STUB.relative_to(ROOT)} differs from the bindings; run ./dev stubs")
            return False
    stamp.write()
    return True


def command_stubs(arguments: list[str]) -> int:
    """Write the stub anew."""
    if arguments:
        raise DevError(f"./dev stubs takes no arguments, got {' '.join(arguments)}")
    with build_lock():
        environment = native_build.build_and_stage()
        environments.provide(environment, "check")
        write_stub(environment, STUB)
    return 0
