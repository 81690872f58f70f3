# SPDX-License-Identifier: GPL-3.0-or-later
"""How large pictures are, and which part of them is rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import bpy


def picture_size(scene: bpy.types.Scene) -> tuple[int, int]:
    """Return width and height of a render before it is cropped, pixels."""
    render = scene.render
    factor = render.resolution_percentage / 100
    return max(1, int(render.resolution_x * factor)), max(1, int(render.resolution_y * factor))


def crop_of(render: bpy.types.RenderSettings, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return left, bottom, right and top of what is rendered, pixels from the lower left."""
    width, height = size
    left, right = int(render.border_min_x * width), int(render.border_max_x * width)
    bottom, top = int(render.border_min_y * height), int(render.border_max_y * height)
    left, bottom = min(left, width - 1), min(bottom, height - 1)
    return left, bottom, max(right, left + 1), max(top, bottom + 1)
