# SPDX-License-Identifier: Apache-2.0
"""Build the Blender extension: a zip a platform, with a wheel for each Python of Blender's."""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from dev import environments, templates, wheels
from dev.native_build import setup
from dev.project import BUILD, ROOT, DevError, Stamp, content_hash, say, timed
from dev.shared_wheel import share_libraries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dev.environments import Environment

ADDON = ROOT / "addon"
OUTPUT = BUILD / "extension"
PACKERS = (Path(__file__), Path(__file__).with_name("shared_wheel.py"))
PLATFORMS = {
    r"(many)?linux\w*_x86_64": "linux-x64",
    r"(many)?linux\w*_aarch64": "linux-arm64",
    r"macosx_\w+_arm64": "macos-arm64",
    r"win_amd64": "windows-x64",
}
"""Tags of wheels, and what Blender calls the platform."""

PYTHONS = {"cp311": ("4.5.0", "5.1.0"), "cp313": ("5.1.0", "")}
"""Tags of Pythons, and of which Blenders they are: the first one, and the first one later."""

EPOCH = (1980, 1, 1, 0, 0, 0)  # equal files make equal archives
LIBRARY = "assets"
"""Where the asset library of the node templates is, below the extension."""

LEFT_OUT = ("__pycache__", ".mypy_cache", ".ruff_cache", "wheels")


def blender_platform(wheel: Path) -> str:
    """Return what Blender calls a wheel's platform; DevError for one that it does not know."""
    tag = wheel.stem.rsplit("-", 1)[1]
    for pattern, platform in PLATFORMS.items():
        if re.fullmatch(pattern, tag):
            return platform
    raise DevError(f"{wheel.name}: Blender knows no platform '{tag}'; build another wheel")


def pythons_of(names: Iterable[str]) -> list[str]:
    """Return the Pythons that wheels are for, as their tags."""
    return [tag for tag in PYTHONS if any(f"-{tag}-" in name for name in names)]


def manifest(text: str, platform: str, names: Sequence[str]) -> str:
    """Return the manifest of one platform's zip, made from the one in addon/.

    With the wheel of one Python it says for which Blenders that is; others refuse the zip.
    """
    tags = pythons_of(names)
    if len(tags) == 1:
        first, later = PYTHONS[tags[0]]
        limits = f'blender_version_min = "{first}"\n'
        limits += f'blender_version_max = "{later}"\n' if later else ""
        text = re.sub(r'blender_version_min = "[^"]+"\n', limits, text)
    entries = ",\n".join(f'  "./wheels/{name}"' for name in names)
    added = f'platforms = ["{platform}"]\nwheels = [\n{entries},\n]\n'
    head, mark, tail = text.partition("\n[permissions]")
    if not mark:
        raise DevError("addon/blender_manifest.toml has no [permissions], before which wheels go")
    return f"{head}\n{added}{mark}{tail}"


def version_of(text: str) -> str:
    """Return the version that a manifest states."""
    found = re.search(r'^version = "([^"]+)"$', text, re.MULTILINE)
    if not found:
        raise DevError('addon/blender_manifest.toml has no line version = "..."')
    return found[1]


def sources() -> Iterator[tuple[str, Path]]:
    """Yield names in the archive and files of the extension, without its manifest."""
    for file in sorted(ADDON.rglob("*")):
        name = file.relative_to(ADDON)
        if file.is_file() and name.name != "blender_manifest.toml":
            if not set(name.parts) & set(LEFT_OUT) and file.suffix != ".pyc":
                yield name.as_posix(), file


def library_files(library: Path | None) -> Iterator[tuple[str, Path]]:
    """Yield names in the archive and files of the asset library, nothing without one."""
    for file in sorted(library.iterdir()) if library else ():
        yield f"{LIBRARY}/{file.name}", file


def write_archive(
    target: Path, text: str, contained: Iterable[Path], library: Path | None = None
) -> None:
    """Write an extension; it appears under its name when it is whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.stem}.{os.getpid()}.zip")
    try:
        with zipfile.ZipFile(temporary, "w") as archive:
            add(archive, "blender_manifest.toml", text.encode(), zipfile.ZIP_DEFLATED)
            for name, file in sources():
                add(archive, name, file.read_bytes(), zipfile.ZIP_DEFLATED)
            for name, file in library_files(library):
                add(archive, name, file.read_bytes(), zipfile.ZIP_DEFLATED)
            for wheel in contained:  # compressed already
                add(archive, f"wheels/{wheel.name}", wheel.read_bytes(), zipfile.ZIP_STORED)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def add(archive: zipfile.ZipFile, name: str, data: bytes, compression: int) -> None:
    """Add a file with nothing in its entry that depends on when and where it is built."""
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = compression
    info.external_attr = 0o644 << 16
    archive.writestr(info, data)


def build_extension(
    contained: list[Path], output: Path = OUTPUT, library: Path | None = None
) -> list[Path]:
    """Return the extension's zips, one a platform that there are wheels for.

    Args:
        contained: The wheels.
        output: Folder that the zips are written to.
        library: Folder of the asset library that they bring; None: they work without.

    Raises:
        DevError: No wheel, or one for a platform that Blender does not have.
    """
    if not contained:
        raise DevError("an extension needs a wheel; run ./dev wheel")
    text = (ADDON / "blender_manifest.toml").read_text(encoding="utf-8")
    groups: dict[str, list[Path]] = {}
    for wheel in sorted(contained, key=lambda path: path.name):
        groups.setdefault(blender_platform(wheel), []).append(wheel)
    built = []
    for platform, members in groups.items():
        target = output / f"weft-{version_of(text)}-{platform.replace('-', '_')}.zip"
        with timed(f"packing {target.name}"), tempfile.TemporaryDirectory() as scratch:
            packed = share_libraries(members, Path(scratch))
            names = [wheel.name for wheel in packed]
            tags = pythons_of(names)
            if len(tags) == 1:
                target = target.with_name(f"{target.stem}-{tags[0]}.zip")
            write_archive(target, manifest(text, platform, names), packed, library)
        built.append(target)
    return built


def provide_extension(*, with_kernels: bool = False) -> list[Path]:
    """Build the wheels of all Pythons that this machine has, and the extension from them.

    Args:
        with_kernels: The kernels of common scenes are compiled, see wheels.provide_wheel().
    """
    provide = wheels.provide_wheel if with_kernels else wheels.build_wheel
    found = [provide(setup())]
    second = wheels.second_environment()
    if second:
        found.append(provide(second))
    else:
        say("the extension is for Blender 4.5 only: 5.1 and later have Python 3.13")
    return pack(found, OUTPUT, templates.provide_library())


def provide_extension_for(environment: Environment) -> Path:
    """Return the extension with the wheel of one Python: what the demo waits for.

    It brings the asset library only where that is built already.

    Args:
        environment: That Python's.
    """
    environments.provide(environment, "build")
    output = BUILD / f"extension-{environment.name}"
    (built,) = pack([wheels.build_wheel(environment)], output, templates.built())
    return built


def pack(found: list[Path], output: Path, library: Path | None) -> list[Path]:
    """Build the extension from wheels and the asset library, unless nothing has changed."""
    parts = [ADDON, *PACKERS, *found, *([library] if library else [])]
    stamp = Stamp(output.name, content_hash(parts))
    built = sorted(output.glob("*.zip"))
    if not (stamp.is_fresh() and built):
        for old in built:
            old.unlink()
        built = build_extension(found, output, library)
        stamp.write()
    return built


def command_extension(arguments: list[str]) -> int:
    """Build the extension and print where it lies."""
    for path in provide_extension(with_kernels=wheels.wants_kernels("extension", arguments)):
        print(os.path.relpath(path, ROOT))
    return 0
