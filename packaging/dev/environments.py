# SPDX-License-Identifier: Apache-2.0
"""The virtual environments under build/, one a Python version, and what is installed in them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dev.project import BUILD, PACKAGING, DevError, content_hash, run, timed

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Environment:
    """A virtual environment and the interpreter that it was made from."""

    name: str
    base_python: Path

    @property
    def folder(self) -> Path:
        """Where the environment lies."""
        return BUILD / f"venv-{self.name}"

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return self.folder / "bin" / "python"

    def tool(self, name: str) -> Path:
        """Return the path of a program that a package of the environment installed."""
        return self.folder / "bin" / name


def version_of(python: str | Path) -> str | None:
    """Return "3.11" for a working interpreter, None for anything else."""
    probe = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    try:
        result = subprocess.run([python, "-c", probe], capture_output=True, text=True)
    except OSError:
        return None
    return result.stdout.strip() if result.returncode == 0 else None


def primary() -> Environment:
    """Return the environment that everything is built, tested and checked in."""
    base = Path(getattr(sys, "_base_executable", sys.executable))
    return Environment(f"{sys.version_info.major}.{sys.version_info.minor}", base)


def find_python(version: str) -> Path | None:
    """Return an interpreter of a version, "3.13" say; None if this machine has none.

    It is looked for in WEFT_PYTHON313 (or the like); then the one that runs this counts, if it
    fits; then those in pyenv's folder and on PATH.

    Raises:
        DevError: The variable names something that is no Python.
    """
    variable = f"WEFT_PYTHON{version.replace('.', '')}"
    named = os.environ.get(variable)
    if named and version_of(named) is None:
        raise DevError(f"{variable} is '{named}', which is not a working Python")
    own = primary()
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    installed = sorted(pyenv.glob(f"versions/{version}.*/bin/python"))
    found = own.base_python if own.name == version else None
    for candidate in (named, found, *installed, shutil.which(f"python{version}")):
        if candidate and version_of(candidate) == version:
            return Path(candidate)
    return None


def find(version: str) -> Environment | None:
    """Return the environment of a Python version, None if this machine has no such interpreter."""
    python = find_python(version)
    return Environment(version, python) if python else None


def pip(
    environment: Environment,
    command: str,
    *arguments: str | Path,
    env: Mapping[str, str] | None = None,
) -> None:
    """Run pip, as the user configured it, in an environment; `env` adds variables."""
    run(environment.python, "-m", "pip", command, "-qq", *arguments, env=env)


def provide(environment: Environment, *groups: str) -> None:
    """Make sure that an environment exists and holds the packages of requirements-<group>.txt."""
    base_stamp = environment.folder / ".base"
    if not base_stamp.is_file() or base_stamp.read_text() != str(environment.base_python):
        shutil.rmtree(environment.folder, ignore_errors=True)
        with timed(f"creating {environment.folder.name}"):
            run(environment.base_python, "-m", "venv", environment.folder)
        base_stamp.write_text(str(environment.base_python))
    for group in groups:
        requirements = PACKAGING / f"requirements-{group}.txt"
        stamp = environment.folder / f".{group}"
        key = content_hash([requirements])
        if stamp.is_file() and stamp.read_text() == key:
            continue
        with timed(f"installing {requirements.name} into {environment.folder.name}"):
            pip(environment, "install", "-r", requirements)
        stamp.write_text(key)
