# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels of Blender's images as arrays of linear Rec.709."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..core.graph.model import ImageData
from ..core.problems import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

AS_IT_IS = ("Non-Color", "Linear Rec.709", "Linear", "Raw")
"""Colour spaces of byte images whose numbers are taken as they are."""


class ImageStore(Mapping[str, ImageData]):
    """Images by Blender's full name, read when they are asked for, again when they changed.

    Attributes:
        problems: Of the images that were asked for since begin().
    """

    def __init__(self) -> None:
        """Begin without pixels."""
        self.problems: list[Problem] = []
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
        problem = why_unreadable(image)
        if problem:
            self.problems.append(Problem(f"Image '{name}'", problem, "no link"))
            return
        made = read_image(image)
        if made.encoding == "srgb" and image.colorspace_settings.name != "sRGB":
            message = f"colour space '{image.colorspace_settings.name}' is not supported for bytes"
            self.problems.append(Problem(f"Image '{name}'", message, "sRGB"))
        self._known[name] = (state, made)


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


def read_image(image: bpy.types.Image) -> ImageData:
    """Return an image as nodes use it: bytes with their curve, floats linear.

    Colours are multiplied by alpha, as Cycles has them, unless the image says that its channels
    have nothing to do with each other.
    """
    pixels = read_pixels(image)
    is_plain = image.is_float or image.colorspace_settings.name in AS_IT_IS
    tiles = _read_tiles(image) if image.source == "TILED" else {}
    return ImageData(
        image.name_full,
        pixels,
        "linear" if is_plain else "srgb",
        pixels.shape[2] == 4 and image.alpha_mode in ("STRAIGHT", "PREMUL"),
        tiles,
    )


def read_pixels(image: bpy.types.Image) -> NDArray[np.float32]:
    """Return pixels of shape ``(height, width, channels)``, the top row first, 1, 3 or 4 channels.

    Numbers of bytes are divided by 255, with their curve; floats are linear.
    """
    width, height = image.size
    values = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(values)
    pixels = values.reshape(height, width, image.channels)[::-1]
    if image.channels == 2:
        pixels = np.dstack([pixels, np.zeros((height, width, 1), np.float32)])
    pixels = np.ascontiguousarray(pixels)
    if pixels.shape[2] == 4 and image.alpha_mode == "NONE":
        pixels[..., 3] = 1
    # Blender's floats are multiplied by alpha already.
    if pixels.shape[2] == 4 and image.alpha_mode == "STRAIGHT" and not image.is_float:
        pixels[..., :3] *= pixels[..., 3:]
    return pixels


def _read_tiles(image: bpy.types.Image) -> dict[int, NDArray[np.float32]]:
    """Return the pixels of the tiles of a UDIM set; those that cannot be read are left out."""
    found = {}
    for tile in image.tiles:
        path = bpy.path.abspath(image.filepath_raw.replace("<UDIM>", str(tile.number)))
        if not Path(path).is_file():
            continue
        single = bpy.data.images.load(path)
        try:
            single.colorspace_settings.name = image.colorspace_settings.name
            single.alpha_mode = image.alpha_mode
            found[int(tile.number)] = read_pixels(single)
        finally:
            bpy.data.images.remove(single)
    return found
