# SPDX-License-Identifier: Apache-2.0
"""Build the wheel for a Python version and install it into that version's environment."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

from dev import environments, kernels
from dev.native_build import setup, tool_environment
from dev.project import (
    BUILD,
    PACKAGING,
    ROOT,
    DevError,
    Stamp,
    content_hash,
    leave_out,
    run,
    say,
    timed,
)

WHEELS = BUILD / "wheels"
INPUTS = (
    "CMakeLists.txt",
    "CMakePresets.json",
    "LICENSE",
    "README.md",
    "native",
    "node_templates",
    "packaging/cmake",
    "packaging/elf_versions.py",
    "packaging/graft_libraries.py",
    "packaging/licenses",
    "packaging/portable",
    "packaging/repair_wheel.py",
    "packaging/requirements-build.txt",
    "packaging/requirements-cuda.txt",
    "packaging/slang_sdk.py",
    "pyproject.toml",
    "shaders",
)


def build_wheel(environment: environments.Environment) -> Path:
    """Return the wheel for an environment's Python, built anew if what it is made of changed.

    It brings compiled kernels where they are built already, see provide_wheel().
    """
    compiled = kernels.built()
    extra = f"{environment.base_python}{compiled and kernels.stamp().key}"
    key = content_hash((ROOT / name for name in INPUTS), extra=extra)
    stamp = Stamp(f"wheel-{environment.name}", key)
    folder = WHEELS / environment.name
    wheels = list(folder.glob("*.whl"))
    if stamp.is_fresh() and len(wheels) == 1:
        return wheels[0]
    shutil.rmtree(folder, ignore_errors=True)
    raw = folder / "raw"
    with timed(f"building the wheel for Python {environment.name}"):
        options = ("--no-deps", "--no-build-isolation", "--wheel-dir", raw)
        environments.pip(environment, "wheel", *options, ROOT, env=tool_environment(environment))
        (built,) = raw.glob("*.whl")
        more = (compiled,) if compiled else ()
        run(environment.python, PACKAGING / "repair_wheel.py", built, folder, *more)
        shutil.rmtree(raw)
    stamp.write()
    (wheel,) = folder.glob("*.whl")
    if not has_embree(wheel):
        say(f"{wheel.name} has no Embree: install libembree-dev for faster software devices")
    return wheel


def provide_wheel(environment: environments.Environment) -> Path:
    """Return the wheel with its kernels compiled; all of them take a processor tens of minutes."""
    if kernels.built() is None:
        environments.provide(environment, "build", "cuda", "test")
        kernels.build_for(environment, build_wheel(environment))
    return build_wheel(environment)


def has_embree(wheel: Path) -> bool:
    """Return whether a wheel brings the tracer of software devices."""
    with zipfile.ZipFile(wheel) as archive:
        return any("weft-embree" in name for name in archive.namelist())


def install_wheel(environment: environments.Environment, wheel: Path) -> None:
    """Make an environment hold a wheel, without what the wheel depends on."""
    stamp = Stamp(f"install-{environment.name}", content_hash([wheel]))
    if stamp.is_fresh() and (environment.folder / ".base").is_file():
        return
    with timed(f"installing {wheel.name}"):
        environments.pip(environment, "install", "--no-deps", "--force-reinstall", wheel)
    stamp.write()


def second_environment() -> environments.Environment | None:
    """Return Python 3.13's environment, ready to use; None, said in one line, without one."""
    environment = environments.find("3.13")
    if environment is None:
        leave_out("no Python 3.13 (WEFT_PYTHON313, pyenv, PATH): its wheel and tests are skipped")
        return None
    environments.provide(environment, "build", "test")
    return environment


def wants_kernels(command: str, arguments: list[str]) -> bool:
    """Return whether the arguments of a command ask for compiled kernels.

    Raises:
        DevError: They are others.
    """
    if arguments not in ([], ["--kernels"]):
        raise DevError(f"./dev {command} knows --kernels, got {' '.join(arguments)}")
    return bool(arguments)


def command_wheel(arguments: list[str]) -> int:
    """Build all wheels and print where they lie."""
    provide = provide_wheel if wants_kernels("wheel", arguments) else build_wheel
    for environment in (setup(), second_environment()):
        if environment:
            print(os.path.relpath(provide(environment), ROOT))
    return 0
