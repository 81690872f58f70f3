# SPDX-License-Identifier: Apache-2.0
"""Give wheels for several Pythons their libraries in common, in a wheel of its own.

The bundled libraries are the same for each Python, and nearly all of a wheel. Blender unpacks all
wheels of an extension that fit its Python into one folder, so each file comes to where it belongs.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from repair_wheel import record_line, recorded, write

if TYPE_CHECKING:
    from collections.abc import Sequence

LIBRARIES = ("weft/lib/", "weft/kernels/")
NAME = "weft_libraries"
EPOCH = (1980, 1, 1, 0, 0, 0)  # equal files make equal wheels
WHEEL = "Wheel-Version: 1.0\nGenerator: weft\nRoot-Is-Purelib: false\nTag: {tag}\n\n"
METADATA = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nLicense: Apache-2.0\n\n"


def share_libraries(wheels: Sequence[Path], folder: Path) -> list[Path]:
    """Return wheels without what they have in common, after one that holds it.

    Args:
        wheels: Of one version and platform; a single one, or ones that share nothing, stay as is.
        folder: The new wheels are written to it.
    """
    common = common_libraries(wheels) if len(wheels) > 1 else set()
    if not common:
        return list(wheels)
    slim = [without(wheel, common, folder) for wheel in wheels]
    return [library_wheel(wheels[0], common, folder), *slim]


def common_libraries(wheels: Sequence[Path]) -> set[str]:
    """Return the names of libraries that are the same in all wheels."""
    found = []
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            entries = [info for info in archive.infolist() if info.filename.startswith(LIBRARIES)]
        found.append({(info.filename, info.file_size, info.CRC) for info in entries})
    return {name for name, _, _ in set.intersection(*found)}


def without(wheel: Path, names: set[str], folder: Path) -> Path:
    """Write a wheel without some of its files."""
    with zipfile.ZipFile(wheel) as archive:
        entries = {info.filename: info for info in archive.infolist()}
        contents = {name: archive.read(name) for name in entries if name not in names}
    (record,) = (name for name in contents if name.endswith(".dist-info/RECORD"))
    lines = contents[record].decode().splitlines()
    kept = "\n".join(line for line in lines if line.split(",")[0] not in names)
    contents[record] = recorded(kept, {}).encode()
    target = folder / wheel.name
    write(target, entries, contents)
    return target


def library_wheel(wheel: Path, names: set[str], folder: Path) -> Path:
    """Write a wheel, for every Python, of some files of another and that one's licences."""
    _, version, _, _, platform = wheel.stem.split("-")
    info_folder = f"{NAME}-{version}.dist-info"
    tag = f"py3-none-{platform}"
    contents = {
        f"{info_folder}/WHEEL": WHEEL.format(tag=tag).encode(),
        f"{info_folder}/METADATA": METADATA.format(name=NAME, version=version).encode(),
    }
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            head, mark, licence = name.partition(".dist-info/licenses/")
            if name in names:
                contents[name] = archive.read(name)
            elif mark and "/" not in head:
                contents[f"{info_folder}/licenses/{licence}"] = archive.read(name)
    lines = [*(record_line(*item) for item in contents.items()), f"{info_folder}/RECORD,,"]
    contents[f"{info_folder}/RECORD"] = "".join(f"{line}\n" for line in lines).encode()
    entries = {name: zipfile.ZipInfo(name, EPOCH) for name in contents}
    for info in entries.values():
        info.external_attr = 0o644 << 16
    target = folder / f"{NAME}-{version}-{tag}.whl"
    write(target, entries, contents)
    return target
