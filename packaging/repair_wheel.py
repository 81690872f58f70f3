# SPDX-License-Identifier: Apache-2.0
"""Check that a Linux wheel runs on every manylinux_2_34 system, and tag it so.

    python packaging/repair_wheel.py <wheel> <output folder>

The Slang libraries set the floor: they need glibc 2.34.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

from elf_versions import is_elf, needed_libraries, needed_versions

PLATFORM = "manylinux_2_34_x86_64"
NEWEST = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (7, 0, 0)}
SYSTEM_LIBRARIES = {
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libstdc++.so.6",
}


def complaints_about(name: str, data: bytes, bundled: set[str]) -> list[str]:
    """Return what keeps one ELF file from running on the platform, one sentence each."""
    found = []
    for library in needed_libraries(data):
        if library not in SYSTEM_LIBRARIES and library not in bundled:
            found.append(f"{name} needs {library}, which {PLATFORM} does not offer; bundle it")
    for library, version in needed_versions(data):
        family, _, number = version.rpartition("_")
        newest = NEWEST.get(family)
        if newest and tuple(int(part) for part in number.split(".")) > newest:
            limit = f"{family}_{'.'.join(map(str, newest))}"
            found.append(f"{name} needs {version} of {library}, {PLATFORM} ends at {limit}")
    return found


def record_line(name: str, data: bytes) -> str:
    """Return the line of a wheel's RECORD for one file."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def retagged(wheel_file: str, tag: str) -> str:
    """Return the text of a WHEEL file with its platform replaced by that of `tag`."""
    kept = [line for line in wheel_file.splitlines() if line and not line.startswith("Tag:")]
    return "\n".join([*kept, f"Tag: {tag}", "", ""])


def repair(wheel: Path, output: Path) -> Path:
    """Write the retagged wheel into `output` and return its path; ValueError says what is wrong."""
    stem, python, abi, _platform = wheel.stem.rsplit("-", 3)
    target = output / f"{stem}-{python}-{abi}-{PLATFORM}.whl"
    complaints: list[str] = []
    with zipfile.ZipFile(wheel) as source:
        contents = {info: source.read(info) for info in source.infolist()}
    bundled = {Path(info.filename).name for info in contents}
    for info, data in contents.items():
        if is_elf(data):
            complaints += complaints_about(info.filename, data, bundled)
    if complaints:
        raise ValueError("\n".join(complaints))
    write(target, contents, f"{python}-{abi}-{PLATFORM}")
    return target


def write(target: Path, contents: dict[zipfile.ZipInfo, bytes], tag: str) -> None:
    """Write a wheel with another tag; RECORD goes last, as installers expect."""
    target.parent.mkdir(parents=True, exist_ok=True)
    ordered = sorted(contents, key=lambda info: info.filename.endswith(".dist-info/RECORD"))
    replaced: dict[str, str] = {}
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for info in ordered:
            data = contents[info]
            if info.filename.endswith(".dist-info/WHEEL"):
                data = retagged(data.decode(), tag).encode()
                replaced[info.filename] = record_line(info.filename, data)
            elif info.filename.endswith(".dist-info/RECORD"):
                lines = data.decode().splitlines()
                data = "".join(
                    f"{replaced.get(line.split(',')[0], line)}\n" for line in lines
                ).encode()
            archive.writestr(info, data)


def main() -> int:
    """Repair the wheel named on the command line."""
    try:
        print(repair(Path(sys.argv[1]), Path(sys.argv[2])))
    except ValueError as error:
        print(f"repair_wheel: {sys.argv[1]} is not portable:\n{error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
