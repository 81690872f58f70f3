# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's cameras as cameras of `weft.scene`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import weft

from ..core.problems import Problem

if TYPE_CHECKING:
    import bpy


def picture_size(scene: bpy.types.Scene) -> tuple[int, int]:
    """Return width and height of a render without its crop, pixels."""
    render = scene.render
    factor = render.resolution_percentage / 100
    return max(1, int(render.resolution_x * factor)), max(1, int(render.resolution_y * factor))


def export_camera(
    camera: bpy.types.Object, size: tuple[int, int]
) -> tuple[weft.scene.Camera, list[Problem]]:
    """Return a camera that sees what Blender's sees.

    Args:
        camera: An object that holds a camera, evaluated.
        size: Width and height of the picture, pixels.
    """
    data = camera.data
    where = f"Camera '{camera.name}'"
    problems: list[Problem] = []
    kind = {"PERSP": "perspective", "ORTHO": "orthographic"}.get(data.type, "perspective")
    sensor = data.sensor_height if data.sensor_fit == "VERTICAL" else data.sensor_width
    made = weft.scene.Camera(
        *size,
        kind=kind,
        fov=2 * math.atan(sensor / (2 * data.lens)),
        scale=data.ortho_scale,
        sensor_fit=data.sensor_fit.lower(),
        shift=(data.shift_x, data.shift_y),
        transform=np.array(camera.matrix_world),
        near=data.clip_start,
        far=data.clip_end,
        name=camera.name,
    )
    if data.type not in ("PERSP", "ORTHO"):
        problems.append(
            Problem(where, f"type {data.type} is not supported", "a perspective camera")
        )
    return made, problems
