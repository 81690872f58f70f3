# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels of Blender's images as arrays."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
import numpy as np

from weft.colors import linear_from_srgb

from ..core.graph.model import ImageData
from ..core.images import image_data
from ..core.problems import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray


SMALL = 64 << 20
"""Bytes of all texels together below which nobody is asked whether there is room."""


class ImageStore(Mapping[str, ImageData]):
    """Images by Blender's full name, read when they are asked for, again when they changed.

    Args:
        room: Returns how many bytes of texels the device takes; asked from `small` bytes on.
            ``None``: as many as there are. Images beyond are refused before they are read.
        small: See `room`.

    Attributes:
        problems: Of the images that were asked for since begin().
    """

    def __init__(self, room: Callable[[], int] | None = None, small: int = SMALL) -> None:
        """Begin without pixels."""
        self.problems: list[Problem] = []
        self._room = room
        self._small = small
        self._known: dict[str, tuple[tuple[object, ...], ImageData]] = {}
        self._asked: set[str] = set()

    def begin(self) -> None:
        """Begin an export: forget the images that the last one did not ask for."""
        self._known = {name: entry for name, entry in self._known.items() if name in self._asked}
        self._asked, self.problems = set(), []

    def __getitem__(self, name: str) -> ImageData:
        """Return an image; KeyError if it is missing or of a kind that has no pixels."""
        image = _images_by_name().get(name)
        if image is None:
            raise KeyError(name)
        if name not in self._asked:
            self._asked.add(name)
            self._read(image)
        return self._known[name][1]

    def __iter__(self) -> Iterator[str]:
        """Return the names of all images of the file."""
        return iter(_images_by_name())

    def __len__(self) -> int:
        """Return how many images the file has."""
        return len(bpy.data.images)

    def _read(self, image: bpy.types.Image) -> None:
        """Read an image unless it is known and did not change."""
        name = image.name_full
        state = (
            *(image.size[:]),
            image.filepath,
            image.source,
            image.colorspace_settings.name,
            image.alpha_mode,
            image.is_float,
        )
        if name in self._known and self._known[name][0] == state and not image.is_dirty:
            return
        self._known.pop(name, None)
        problem = why_unreadable(image) or self._why_too_large(image)
        tiles: dict[int, NDArray[np.float32]] = {}
        if not problem:
            tiles, problem = read_tiles(image)
        if not tiles:
            self.problems.append(Problem(f"Image '{name}'", problem, "no image"))
            return
        data, wrong = image_data(
            name,
            tiles,
            is_float=image.is_float,
            space=image.colorspace_settings.name,
            alpha_mode=image.alpha_mode,
        )
        if problem:
            self.problems.append(Problem(f"Image '{name}'", problem, "the tiles that can be read"))
        if wrong:
            self.problems.append(Problem(f"Image '{name}'", wrong, "sRGB"))
        self._known[name] = (state, data)

    def _why_too_large(self, image: bpy.types.Image) -> str:
        """Return why the device cannot take an image beside the others; "" if it can."""
        used = [data for name, (_, data) in self._known.items() if name in self._asked]
        taken = sum(texel_bytes(data) for data in used)
        if self._room is None or taken + expected_bytes(image) <= self._small:
            return ""
        return why_too_large(image, self._room() - taken)


def _images_by_name() -> dict[str, bpy.types.Image]:
    return {image.name_full: image for image in bpy.data.images}


def why_unreadable(image: bpy.types.Image) -> str:
    """Return why an image has no pixels to read; "" if it has."""
    if image.source not in ("FILE", "GENERATED", "TILED"):
        return f"images of source {image.source} are not supported"
    if image.size[0] == 0 or image.size[1] == 0:
        place = f" '{image.filepath}'" if image.filepath else ""
        return f"its file{place} cannot be read; restore it or choose another"
    return ""


def texel_bytes(data: ImageData) -> int:
    """Return what an image takes on the device."""
    return sum(tile.nbytes for tile in data.tiles.values()) or data.pixels.nbytes


def expected_bytes(image: bpy.types.Image) -> int:
    """Return what an image that was not read takes on the device, at most."""
    width, height = image.size
    tiles = len(image.tiles) if image.source == "TILED" else 1
    return 4 * width * height * max(image.channels, 1) * tiles


def why_too_large(image: bpy.types.Image, room: int) -> str:
    """Return why an image is refused before its pixels are read; "" if it is not.

    Args:
        image: That has a size.
        room: What the device takes beside the images that it has, bytes.
    """
    size = expected_bytes(image)
    if size <= room:
        return ""
    width, height = image.size
    return (
        f"its {width} x {height} pixels take {size / 2**20:.1f} MiB as floats, and the device has "
        f"room for {max(room, 0) / 2**20:.1f} MiB; scale it down"
    )


def read_pixels(image: bpy.types.Image) -> NDArray[np.float32]:
    """Return pixels as Blender holds them, ``(height, width, channels)``, the top row first."""
    width, height = image.size
    values = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(height, width, image.channels)[::-1]


def read_linear(image: bpy.types.Image) -> tuple[NDArray[np.float32], str]:
    """Return linear Rec.709 that alpha does not multiply, with alpha, and what is wrong with it."""
    data, problem = image_data(
        image.name_full,
        {1001: read_pixels(image)},
        is_float=image.is_float,
        space=image.colorspace_settings.name,
        alpha_mode="CHANNEL_PACKED",
    )
    if data.encoding == "linear":
        return data.pixels, problem
    colors = min(data.pixels.shape[2], 3)
    linear = linear_from_srgb(data.pixels[..., :colors])
    joined = np.dstack([linear, data.pixels[..., colors:]])
    return np.ascontiguousarray(joined, np.float32), problem


def read_tiles(image: bpy.types.Image) -> tuple[dict[int, NDArray[np.float32]], str]:
    """Return the pixels of an image, or of its tiles, by number, and what is missing.

    Blender gives out the pixels of the first tile only; others are read from their files.
    """
    if image.source != "TILED":
        return {1001: read_pixels(image)}, ""
    tiles, missing = {}, []
    for tile in image.tiles:
        try:
            tiles[tile.number] = _read_tile(image, tile.number)
        except (OSError, RuntimeError):
            missing.append(str(tile.number))
    return tiles, f"its tiles {', '.join(missing)} cannot be read" if missing else ""


def _read_tile(image: bpy.types.Image, number: int) -> NDArray[np.float32]:
    """Return the pixels of a tile. OSError or RuntimeError: its file cannot be read."""
    path = bpy.path.abspath(image.filepath_raw, library=image.library)
    packed = [entry for entry in image.packed_files if str(number) in Path(entry.filepath).name]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(path.replace("<UDIM>", str(number)))
        if packed:
            file = Path(folder) / Path(packed[0].filepath).name
            file.write_bytes(packed[0].packed_file.data)
        loaded = bpy.data.images.load(str(file), check_existing=False)
        try:
            loaded.colorspace_settings.name = image.colorspace_settings.name
            loaded.alpha_mode = image.alpha_mode
            if not loaded.size[0]:
                raise OSError(f"{file} cannot be read")
            return read_pixels(loaded)
        finally:
            bpy.data.images.remove(loaded)
