# SPDX-License-Identifier: Apache-2.0
"""./dev kernels: the kernels that come compiled with Weft, for the staged package or for wheels."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from dev.project import BUILD, PACKAGING, ROOT, Stamp, build_lock, content_hash, run, timed

if TYPE_CHECKING:
    from dev.environments import Environment

BUILDER = PACKAGING / "kernels" / "build.py"
OUTPUT = BUILD / "kernels"
STAGED = OUTPUT / "staged"
"""For the package of ./dev build, whose compiler's files are not those of a wheel."""
MADE_BY = (
    "CMakeLists.txt",
    "native",
    "packaging/kernels",
    "packaging/requirements-cuda.txt",
    "packaging/slang_sdk.py",
    "shaders",
)
"""What decides the kernels and their keys."""


def stamp() -> Stamp:
    """Return what remembers from what the kernels of wheels were built."""
    return Stamp("kernels", content_hash(ROOT / name for name in MADE_BY))


def built() -> Path | None:
    """Return the folder of the kernels for wheels; None unless it is what would be built now."""
    folder = OUTPUT / "wheel"
    return folder if stamp().is_fresh() and folder.is_dir() else None


def compile_into(folder: Path, environment: Environment, path: Path, *options: str) -> None:
    """Compile the kernels for one package.

    Args:
        folder: Where they go; it appears when it is whole.
        environment: Its Python has numpy and NVRTC.
        path: Folder to import weft from.
        options: Of packaging/kernels/build.py.
    """
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    with timed("compiling the kernels that come with Weft"):
        # Its sources are known to end; a busy machine may take long over them.
        env = {"PYTHONPATH": str(path), "WEFT_COMPILE_TIME_LIMIT": "3600"}
        run(environment.python, BUILDER, unfinished, *options, env=env)
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)


def build_for(environment: Environment, wheel: Path) -> Path:
    """Compile the kernels for the wheels, once for all Pythons, and return their folder."""
    wanted = stamp()
    with tempfile.TemporaryDirectory() as name:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(name)
        compile_into(OUTPUT / "wheel", environment, Path(name))
    wanted.write()
    return OUTPUT / "wheel"


def command_kernels(arguments: list[str]) -> int:
    """Compile the kernels for the staged package; see the usage text in cli.py."""
    from dev import native_build  # which links what this makes

    with build_lock():
        environment = native_build.build_and_stage("weft_python", "weft-compiler")
        compile_into(STAGED, environment, native_build.STAGE, *arguments)
        native_build.stage()
    print(os.path.relpath(STAGED, ROOT))
    return 0
