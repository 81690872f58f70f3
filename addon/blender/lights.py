# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's lamps as lights of `weft.scene`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft.scene import Closure, Constant

from ..core.frustum import is_in_view
from ..core.graph.compile import compile_material
from ..core.problems import Problem
from .graphs import read_graph
from .versions import node_tree_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import bpy
    from numpy.typing import NDArray

    from weft.scene.lights import Light

    from .instances import Placed


def lamps_in_view(lamps: Sequence[Placed], cameras: Sequence[weft.scene.Camera]) -> list[Problem]:
    """Return lamps that Cycles shows in a picture; Weft's cameras do not see lamps."""
    found = []
    for lamp in lamps:
        radius = _extent(lamp)
        if lamp.is_visible_to_cameras and any(
            is_in_view(camera, lamp.matrix[:3, 3], radius) for camera in cameras if radius > 0
        ):
            message = "cameras do not see lamps; hide it from cameras, or let a mesh shine"
            found.append(Problem(f"Light '{lamp.name}'", message, "its light only"))
    return found


def suns_in_view(
    suns: Sequence[weft.scene.SunLight], cameras: Sequence[weft.scene.Camera]
) -> list[Problem]:
    """Return suns of skies that stand in a picture."""
    found = []
    for sun in suns:
        towards = -np.asarray(sun.direction, np.float64)
        radius = FAR_AWAY * math.tan(max(sun.angle, 1e-6) / 2)
        if any(
            is_in_view(
                replace(camera, near=0.0, far=math.inf),
                camera.transform[:, 3] + FAR_AWAY * towards,
                radius,
            )
            for camera in cameras
            if camera.transform is not None
        ):
            message = "cameras do not see the sun of a sky"
            found.append(Problem(sun.name, message, "the sky there"))
    return found


FAR_AWAY = 1e6
"""Metres."""


def _extent(lamp: Placed) -> float:
    """Return the radius of a sphere around a lamp, metres; 0: it cannot be seen."""
    data = lamp.data
    if data.type == "AREA":
        scale = float(np.linalg.norm(lamp.matrix[:3, :2], axis=0).max())
        height = data.size_y if data.shape in ("RECTANGLE", "ELLIPSE") else data.size
        return math.hypot(data.size, height) / 2 * scale
    return data.shadow_soft_size if data.type in ("POINT", "SPOT") else 0.0


LEAST_SPREAD = math.radians(1)
"""Cycles makes narrower area lights as wide."""


def export_lights(lamps: Sequence[Placed]) -> tuple[list[Light], list[Problem]]:
    """Return lights that shine as lamps do in Cycles, each with a name of its own."""
    lights: list[Light] = []
    problems: list[Problem] = []
    names: set[str] = set()
    for lamp in lamps:
        name, number = lamp.name, 1
        while name in names:
            number += 1
            name = f"{lamp.name} {number}"
        light, found = export_light(lamp.data, lamp.matrix, name)
        problems += found
        if light is not None:
            names.add(name)
            lights.append(light)
    return lights, problems


def export_light(
    lamp: bpy.types.Light, matrix: NDArray[np.float64], name: str
) -> tuple[Light | None, list[Problem]]:
    """Return a light, ``None`` if it gives none, and what of it is left out.

    Args:
        lamp: Evaluated.
        matrix: To world, shape ``(4, 4)``.
        name: What parameters call the light.
    """
    where = f"Light '{name}'"
    color, problems = _color(lamp, where)
    problems += _problems_of(lamp, where)
    if getattr(lamp.cycles, "is_portal", False) and lamp.type == "AREA":
        return None, []
    strength = lamp.energy * 2**lamp.exposure
    if strength * color.max() <= 0:
        if strength * color.min() < 0:
            problems.append(Problem(where, "negative light is not supported", "no light"))
        return None, problems
    if np.linalg.det(matrix[:3, :3]) == 0 or (lamp.type == "AREA" and lamp.size <= 0):
        return None, [*problems, Problem(where, "it has no extent; enlarge it", "no light")]
    shared = {"color": color.tolist(), "name": name}
    return _LIGHTS[lamp.type](lamp, matrix, strength, shared), problems


def _color(lamp: bpy.types.Light, where: str) -> tuple[NDArray[np.float64], list[Problem]]:
    """Return what a lamp's power is multiplied by: its colour, temperature and nodes."""
    color = np.array(lamp.color, np.float64)
    if lamp.use_temperature:
        color = color * np.array(lamp.temperature_color, np.float64)[:3]
    tree = node_tree_of(lamp)
    if tree is None:
        return color, []
    compiled = compile_material(read_graph(tree), {}, lamp.name, target="light")
    surface = compiled.material.surface
    if isinstance(surface, Closure) and surface.kind == "none":
        return np.zeros(3), compiled.problems
    if isinstance(surface, Closure) and surface.kind == "emission":
        parts = [_number(surface.inputs.get(name, 1.0)) for name in ("color", "strength")]
        if all(part is not None for part in parts):
            return color * parts[0] * parts[1], compiled.problems
    message = "its nodes do more than give one color, which is not supported"
    return color, [*compiled.problems, Problem(where, message, "the light without nodes")]


def _number(value: object) -> NDArray[np.float64] | None:
    """Return what an input of a closure is, ``None`` if it varies."""
    if isinstance(value, Constant):
        value = value.value
    if isinstance(value, (int, float, tuple, list)):
        return np.asarray(value, np.float64)
    return None


def _problems_of(lamp: bpy.types.Light, where: str) -> list[Problem]:
    found = []
    if not lamp.use_shadow:
        found.append(Problem(where, "lights without shadow are not supported", "shadows"))
    if lamp.type == "SPOT" and lamp.use_square:
        found.append(Problem(where, "square spots are not supported", "a round one"))
    if lamp.cycles.max_bounces < 8:
        found.append(Problem(where, "its limit of bounces is not supported", "no limit"))
    return found


def _unit(vector: NDArray[np.float64]) -> list[float]:
    return list(vector / np.linalg.norm(vector))


def _normalized(lamp: bpy.types.Light, strength: float, area: float) -> float:
    """Return the power of a lamp; its strength may be that of a square metre."""
    return strength if lamp.normalize else strength * area


def _sun(
    lamp: bpy.types.Light, matrix: NDArray[np.float64], strength: float, shared: dict[str, Any]
) -> Light:
    area = math.pi * math.sin(lamp.angle / 2) ** 2 if lamp.angle > 0 else 1.0
    irradiance = _normalized(lamp, strength, area)
    return weft.scene.SunLight(
        _unit(-matrix[:3, 2]), strength=irradiance, angle=lamp.angle, **shared
    )


def _area(
    lamp: bpy.types.Light, matrix: NDArray[np.float64], strength: float, shared: dict[str, Any]
) -> Light:
    height = lamp.size_y if lamp.shape in ("RECTANGLE", "ELLIPSE") else lamp.size
    is_round = lamp.shape in ("DISK", "ELLIPSE")
    placed = matrix[:3].copy()
    if np.linalg.det(placed[:, :3]) < 0:
        # A mirrored lamp shines to where its z axis says, too.
        placed[:, 0] *= -1
    sides = np.linalg.norm(placed[:, :2], axis=0)
    area = float(sides[0] * sides[1] * lamp.size * height) * (math.pi / 4 if is_round else 1.0)
    return weft.scene.AreaLight(
        placed,
        (lamp.size, height),
        "ellipse" if is_round else "rectangle",
        power=_normalized(lamp, strength, area),
        spread=min(max(lamp.spread, LEAST_SPREAD), math.pi),
        **shared,
    )


def _ball(lamp: bpy.types.Light, strength: float) -> dict[str, Any]:
    """Return radius, falloff and power of a point or spot light."""
    radius = lamp.shadow_soft_size
    # Cycles takes a lamp without size for one of 4 square metres.
    area = 4 * math.pi * radius**2 if radius > 0 else 4.0
    return {
        "radius": radius,
        "soft_falloff": lamp.use_soft_falloff,
        "power": _normalized(lamp, strength, area),
    }


def _spot(
    lamp: bpy.types.Light, matrix: NDArray[np.float64], strength: float, shared: dict[str, Any]
) -> Light:
    return weft.scene.SpotLight(
        matrix[:3, 3].tolist(),
        _unit(-matrix[:3, 2]),
        angle=lamp.spot_size,
        blend=lamp.spot_blend,
        **_ball(lamp, strength),
        **shared,
    )


def _point(
    lamp: bpy.types.Light, matrix: NDArray[np.float64], strength: float, shared: dict[str, Any]
) -> Light:
    return weft.scene.PointLight(matrix[:3, 3].tolist(), **_ball(lamp, strength), **shared)


_LIGHTS = {"SUN": _sun, "AREA": _area, "SPOT": _spot, "POINT": _point}
