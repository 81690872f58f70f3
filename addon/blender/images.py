# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels of Blender's images as arrays of linear Rec.709."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..core.graph.model import ImageData
from ..core.problems import Problem
from ..core.srgb import linear_from_srgb_bytes

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
            self.problems.append(Problem(f"Image '{name}'", problem, "Blender's pink"))
            return
        pixels, problem = read_pixels(image)
        if problem:
            self.problems.append(Problem(f"Image '{name}'", problem, "sRGB"))
        self._known[name] = (state, ImageData(name, pixels))


def _images_by_name() -> dict[str, bpy.types.Image]:
    return {image.name_full: image for image in bpy.data.images}


def why_unreadable(image: bpy.types.Image) -> str:
    """Return why an image has no pixels to read; "" if it has."""
    if image.source not in ("FILE", "GENERATED"):
        return f"images of source {image.source} are not supported"
    if image.size[0] == 0 or image.size[1] == 0:
        place = f" '{image.filepath}'" if image.filepath else ""
        return f"its file{place} cannot be read; restore it or choose another"
    return ""


def read_pixels(image: bpy.types.Image) -> tuple[NDArray[np.float32], str]:
    """Return pixels of shape ``(height, width, channels)``, the top row first, and what is wrong.

    Colours are linear Rec.709 and not multiplied by alpha, data is what the file holds. Images of
    two channels get three.
    """
    width, height = image.size
    values = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(values)
    pixels = values.reshape(height, width, image.channels)[::-1]
    if image.channels == 2:
        pixels = np.dstack([pixels, np.zeros((height, width, 1), np.float32)])
    space = image.colorspace_settings.name
    if image.is_float:
        # Blender keeps these linear, and multiplied by alpha.
        return _without_alpha(pixels, image), ""
    if space in AS_IT_IS:
        return np.ascontiguousarray(pixels), ""
    colors = min(pixels.shape[2], 3)
    linear = np.dstack([linear_from_srgb_bytes(pixels[..., :colors]), pixels[..., colors:]])
    problem = "" if space == "sRGB" else f"colour space '{space}' is not supported for byte images"
    return np.ascontiguousarray(linear, np.float32), problem


def _without_alpha(pixels: NDArray[np.float32], image: bpy.types.Image) -> NDArray[np.float32]:
    """Return a float image's colours, not multiplied by alpha."""
    is_joined = image.alpha_mode in ("STRAIGHT", "PREMUL") and pixels.shape[2] == 4
    if not is_joined or (pixels[..., 3] == 1).all():
        return np.ascontiguousarray(pixels)
    alpha = pixels[..., 3:]
    divided = np.where(alpha > 0, pixels[..., :3] / np.where(alpha > 0, alpha, 1), pixels[..., :3])
    return np.ascontiguousarray(np.dstack([divided, alpha]), np.float32)
