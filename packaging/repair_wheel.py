# SPDX-License-Identifier: Apache-2.0
"""Make a Linux wheel run on every manylinux_2_34 system: bundle what it needs, check it, tag it so.

    python packaging/repair_wheel.py <wheel> <output folder> [<folder of compiled kernels>]

The Slang libraries set the floor: they need glibc 2.34. On a system newer than Debian 12, whose
libraries and headers ask for more than that, the wheel is tagged for that system's own glibc.
"""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import zipfile
from pathlib import Path

from elf_versions import is_elf, needed_libraries, needed_versions
from graft_libraries import graft

PLATFORM = "manylinux_2_34_x86_64"
NEWEST = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (7, 0, 0)}
RELEASE_GLIBC = (2, 36)
"""glibc of Debian 12, where released wheels are built: whatever exceeds NEWEST there is our own."""
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


def libraries_missing(name: str, data: bytes, bundled: set[str]) -> list[str]:
    """Return the libraries of one ELF file that the platform lacks, one sentence each."""
    return [
        f"{name} needs {library}, which {PLATFORM} does not offer; bundle it"
        for library in needed_libraries(data)
        if library not in SYSTEM_LIBRARIES and library not in bundled
    ]


def versions_too_new(name: str, data: bytes) -> list[str]:
    """Return the symbol versions of one ELF file that the platform lacks, one sentence each."""
    found = []
    for library, version in needed_versions(data):
        family, _, number = version.rpartition("_")
        newest = NEWEST.get(family)
        if newest and tuple(int(part) for part in number.split(".")) > newest:
            limit = f"{family}_{'.'.join(map(str, newest))}"
            found.append(f"{name} needs {version} of {library}, {PLATFORM} ends at {limit}")
    return found


def system_glibc() -> tuple[int, int]:
    """Return the version of this system's glibc; (0, 0) where the C library is another."""
    try:
        name, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()
    except ValueError:
        return (0, 0)
    major, minor = version.split(".")[:2]
    return (int(major), int(minor)) if name == "glibc" else (0, 0)


def platform_of(contents: dict[str, bytes], glibc: tuple[int, int]) -> str:
    """Return the platform that a wheel of these files is tagged for.

    Args:
        contents: Files by name; the ones that are no ELF files count for nothing.
        glibc: What it was built with: above RELEASE_GLIBC, what the platform lacks makes the tag
            this glibc's.

    Raises:
        ValueError: A library is neither the system's nor in the wheel, or a symbol version is newer
            than the platform although the system is not.
    """
    libraries = {name: data for name, data in contents.items() if is_elf(data)}
    bundled = {Path(name).name for name in contents}
    missing = [
        text for name, data in libraries.items() for text in libraries_missing(name, data, bundled)
    ]
    newer = [text for name, data in libraries.items() for text in versions_too_new(name, data)]
    if missing or (newer and glibc <= RELEASE_GLIBC):
        raise ValueError("\n".join(missing + newer))
    if not newer:
        return PLATFORM
    tag = f"manylinux_{glibc[0]}_{glibc[1]}_x86_64"
    print(f"repair_wheel: only for {tag} and later: {newer[0]}")
    return tag


def record_line(name: str, data: bytes) -> str:
    """Return the line of a wheel's RECORD for one file."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def retagged(wheel_file: str, tag: str) -> str:
    """Return the text of a WHEEL file with its platform replaced by that of `tag`."""
    kept = [line for line in wheel_file.splitlines() if line and not line.startswith("Tag:")]
    return "\n".join([*kept, f"Tag: {tag}", "", ""])


def recorded(record: str, changed: dict[str, bytes]) -> str:
    """Return the text of a RECORD that fits files which were changed or added."""
    lines = {line.split(",")[0]: line for line in record.splitlines() if line}
    lines |= {name: record_line(name, data) for name, data in changed.items()}
    return "".join(f"{line}\n" for line in lines.values())


def kernel_files(folder: Path | None) -> dict[str, bytes]:
    """Return names in the wheel and contents of compiled kernels."""
    files = sorted(file for file in folder.rglob("*") if file.is_file()) if folder else []
    return {
        f"weft/kernels/{file.relative_to(folder).as_posix()}": file.read_bytes()
        for file in files
        if folder
    }


def repair(wheel: Path, output: Path, kernels: Path | None = None) -> Path:
    """Write the repaired wheel into `output` and return its path; ValueError says what is wrong.

    Args:
        wheel: As built.
        output: Folder of the new one.
        kernels: What packaging/kernels/build.py wrote, to be added; None: nothing is.
    """
    stem, python, abi, _platform = wheel.stem.rsplit("-", 3)
    with zipfile.ZipFile(wheel) as source:
        entries = {info.filename: info for info in source.infolist()}
        contents = {name: source.read(name) for name in entries}
    changed = graft({name: data for name, data in contents.items() if is_elf(data)})
    contents |= changed
    changed |= kernel_files(kernels)
    platform = platform_of(contents, system_glibc())
    target = output / f"{stem}-{python}-{abi}-{platform}.whl"
    (info_folder,) = {name.split("/")[0] for name in contents if name.endswith("-info/WHEEL")}
    wheel_file, record = f"{info_folder}/WHEEL", f"{info_folder}/RECORD"
    tag = f"{python}-{abi}-{platform}"
    changed[wheel_file] = retagged(contents[wheel_file].decode(), tag).encode()
    contents[record] = recorded(contents[record].decode(), changed).encode()
    write(target, entries, contents | changed)
    return target


def write(target: Path, entries: dict[str, zipfile.ZipInfo], contents: dict[str, bytes]) -> None:
    """Write a wheel; RECORD goes last, as installers expect."""
    target.parent.mkdir(parents=True, exist_ok=True)
    like = entries[min(entries)]  # new files have the time of others
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(contents, key=lambda name: name.endswith(".dist-info/RECORD")):
            info = zipfile.ZipInfo(name, entries.get(name, like).date_time)
            info.external_attr = entries[name].external_attr if name in entries else 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, contents[name], compresslevel=9)


def main() -> int:
    """Repair the wheel named on the command line."""
    try:
        print(repair(*map(Path, sys.argv[1:4])))
    except ValueError as error:
        print(f"repair_wheel: {sys.argv[1]} is not portable:\n{error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
