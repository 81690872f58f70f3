# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's lamps as lights of `weft.scene`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import weft

from ..core.problems import Problem

if TYPE_CHECKING:
    import bpy
    from mathutils import Matrix

    from weft.scene.lights import Light


def export_light(lamp: bpy.types.Object, matrix: Matrix, name: str) -> tuple[Light, list[Problem]]:
    """Return a light that shines as a lamp does in Cycles.

    Args:
        lamp: An object that holds a lamp, evaluated.
        matrix: To world.
        name: What parameters call the light.
    """
    data = lamp.data
    problems: list[Problem] = []
    color = np.array(data.color)
    if data.use_temperature:
        color = color * np.array(data.temperature_color)[:3]
    power = data.energy * 2**data.exposure
    world = np.array(matrix)
    position = world[:3, 3].tolist()
    direction = (-world[:3, 2] / np.linalg.norm(world[:3, 2])).tolist()
    shared = {"color": color.tolist(), "name": name}
    if data.type == "SUN":
        return (
            weft.scene.SunLight(direction, strength=power, angle=data.angle, **shared),
            problems,
        )
    if data.type == "AREA":
        height = data.size_y if data.shape in ("RECTANGLE", "ELLIPSE") else data.size
        shape = "ellipse" if data.shape in ("DISK", "ELLIPSE") else "rectangle"
        return (
            weft.scene.AreaLight(world, (data.size, height), shape, power=power, **shared),
            problems,
        )
    shared |= {"power": power, "radius": data.shadow_soft_size}
    if data.type == "SPOT":
        return (
            weft.scene.SpotLight(
                position, direction, angle=data.spot_size, blend=data.spot_blend, **shared
            ),
            problems,
        )
    return weft.scene.PointLight(position, **shared), problems
