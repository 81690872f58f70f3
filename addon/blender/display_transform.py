# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene's view transform as a table: Blender itself draws its entries."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from weft.fit import DisplayTransform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

ENTRIES = 65
HIGH = 64.0
TOE = 0.003375
"""Puts light of 1, where views clip, on entry 37 of 65, so that no cell has the kink in it."""

_SETTINGS = {
    "file_format": "PNG",
    "color_mode": "RGB",
    "color_depth": "16",
    "compression": 0,
    "color_management": "FOLLOW_SCENE",
}


def sample_display_transform(
    scene: bpy.types.Scene, entries: int = ENTRIES, film: float = 1.0
) -> DisplayTransform:
    """Return what the scene's colour management makes of light.

    View transform, look, exposure, gamma, curves and white balance are those of the scene. The
    scene's settings are changed while the table is drawn, and put back.

    Args:
        scene: Whose colour management counts.
        entries: Of each axis of the table.
        film: Factor of light before it is shown.
    """
    factor = 2.0**-scene.view_settings.exposure / film
    high, toe = HIGH * factor, TOE * factor
    axis = DisplayTransform.axis(entries, high, toe)
    red, green, blue = np.meshgrid(axis, axis, axis, indexing="ij")
    light = np.stack([red, green, blue], axis=-1).reshape(entries, entries**2, 3)
    table = show(scene, (light * film).astype(np.float32))
    return DisplayTransform(table.reshape(entries, entries, entries, 3), high, toe)


def show(scene: bpy.types.Scene, light: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what Blender's display shows of light, in [0, 1], to 16 bits.

    Args:
        scene: Whose colour management counts.
        light: Linear Rec.709, shape ``(height, width, 3)``.
    """
    height, width = light.shape[:2]
    image = bpy.data.images.new("weft display", width, height, float_buffer=True)
    try:
        opaque = np.dstack([light, np.ones((height, width), np.float32)])
        image.pixels.foreach_set(np.ascontiguousarray(opaque, np.float32).ravel())
        with tempfile.TemporaryDirectory() as folder, _png_settings(scene):
            path = Path(folder) / "display.png"
            image.save_render(str(path), scene=scene)
            return _read(path)
    finally:
        bpy.data.images.remove(image)


def _read(path: Path) -> NDArray[np.float32]:
    """Return the numbers of a file as they are."""
    image = bpy.data.images.load(str(path))
    try:
        image.colorspace_settings.name = "Non-Color"
        width, height = image.size
        values = np.empty(width * height * image.channels, np.float32)
        image.pixels.foreach_get(values)
        return values.reshape(height, width, image.channels)[..., :3]
    finally:
        bpy.data.images.remove(image)


@contextmanager
def _png_settings(scene: bpy.types.Scene) -> Iterator[None]:
    """Let the scene write PNG files of 16 bits."""
    settings = scene.render.image_settings
    wanted: dict[str, Any] = dict(_SETTINGS)
    if hasattr(settings, "media_type"):
        wanted = {"media_type": "IMAGE", **wanted}
    before = {name: getattr(settings, name) for name in wanted}
    try:
        for name, value in wanted.items():
            setattr(settings, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(settings, name, value)
