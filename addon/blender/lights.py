# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's lights as lights of `weft.scene`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

import weft

from ..core.frustum import is_in_view
from ..core.graph.compile import compile_material
from ..core.light_profile import Factors, light_factors
from ..core.problems import Problem
from ..core.sky import key_of, ray_outputs
from .graphs import read_graph
from .ignored import LIGHT, ignored
from .versions import node_tree_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import bpy
    from numpy.typing import NDArray

    from weft.scene.lights import Light

    from ..core.graph.model import Graph, Images
    from .instances import ObjectInstance


def lights_in_view(
    lights: Sequence[ObjectInstance], cameras: Sequence[weft.scene.Camera]
) -> list[Problem]:
    """Return lights that Cycles shows in a picture; Weft's cameras do not see them."""
    found = []
    for light in lights:
        radius = _extent(light)
        if light.is_visible_to_cameras and any(
            is_in_view(camera, light.matrix[:3, 3], radius) for camera in cameras if radius > 0
        ):
            message = "cameras do not see lights; hide it from cameras, or use an emissive mesh"
            found.append(Problem(f"Light '{light.name}'", message, "its light only"))
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


def _extent(light: ObjectInstance) -> float:
    """Return the radius of a sphere around a light, metres; 0: it cannot be seen."""
    data = light.data
    if data.type == "AREA":
        scale = float(np.linalg.norm(light.matrix[:3, :2], axis=0).max())
        height = data.size_y if data.shape in ("RECTANGLE", "ELLIPSE") else data.size
        return math.hypot(data.size, height) / 2 * scale
    return data.shadow_soft_size if data.type in ("POINT", "SPOT") else 0.0


MIN_SPREAD = math.radians(1)
"""Cycles makes narrower area lights as wide."""


class LightStore:
    """Makes lights of `weft.scene` of Blender's; images of their nodes are kept while unchanged.

    Args:
        device: Returns the device that nodes are drawn on; ``None``: one is created for it.
    """

    def __init__(self, device: Callable[[], weft.Device] | None) -> None:
        self._device = device or weft.create_device
        self._known: dict[str, tuple[Factors, list[Problem]]] = {}

    def export(
        self, given: Sequence[ObjectInstance], images: Images
    ) -> tuple[list[Light], list[Problem]]:
        """Return lights that emit as in Cycles, each with a name of its own."""
        lights: list[Light] = []
        problems: list[Problem] = []
        names: set[str] = set()
        before, self._known = self._known, {}
        for instance in given:
            name, number = instance.name, 1
            while name in names:
                number += 1
                name = f"{instance.name} {number}"
            factors, found = self._factors(instance, images, before)
            problems += found
            light, found = export_light(instance, name, factors)
            problems += found
            if light is not None:
                names.add(name)
                lights.append(light)
        return lights, problems

    def export_one(
        self, instance: ObjectInstance, images: Images
    ) -> tuple[Light | None, list[Problem]]:
        """Return a light at another position; ``None`` if it emits nothing."""
        factors, problems = self._factors(instance, images, self._known)
        light, found = export_light(instance, instance.name, factors)
        return light, problems + found

    def _factors(
        self,
        instance: ObjectInstance,
        images: Images,
        before: Mapping[str, tuple[Factors, list[Problem]]],
    ) -> tuple[Factors, list[Problem]]:
        """Return the factors of a light's radiance that its nodes give."""
        tree = node_tree_of(instance.data)
        if tree is None:
            return Factors(np.ones(3)), []
        graph = read_graph(tree)
        lengths = np.linalg.norm(instance.matrix[:3, :3], axis=0)
        axes = instance.matrix[:3, :3].T / np.maximum(lengths[:, None], 1e-20)
        key = repr(
            (instance.name, instance.data.type, np.round(axes, 6).tolist(), key_of(graph, images))
        )
        if key not in self._known:
            self._known[key] = before.get(key) or self._make(instance, graph, images, axes)
        return self._known[key]

    def _make(
        self, instance: ObjectInstance, graph: Graph, images: Images, axes: NDArray[np.float64]
    ) -> tuple[Factors, list[Problem]]:
        where = f"Light '{instance.name}'"
        compiled = compile_material(
            graph,
            images,
            instance.data.name,
            target="light",
            ray="light",
            light_axes=[tuple(row) for row in axes.tolist()],
        )
        is_area = instance.data.type == "AREA"
        factors = light_factors(compiled, axes, has_own_normal=is_area, device=self._device)
        problems = list(compiled.problems)
        if factors.missing:
            problems.append(Problem(where, factors.missing, "the light without nodes"))
        if ray_outputs(graph):
            message = "its Light Path node is not supported"
            problems.append(Problem(where, message, "a ray of no kind"))
        scale = np.linalg.norm(instance.matrix[:3, :3], axis=0)
        if factors.profile is not None and np.ptp(scale) > 1e-3 * scale.max() and not is_area:
            message = "nodes of a light that is stretched are not supported"
            problems.append(Problem(where, message, "one that is not"))
        return factors, problems


def export_light(
    instance: ObjectInstance, name: str, factors: Factors
) -> tuple[Light | None, list[Problem]]:
    """Return a light, ``None`` if it gives none, and what of it is left out.

    Args:
        instance: The light.
        name: What parameters call the light.
        factors: Of its nodes.
    """
    light, matrix = instance.data, instance.matrix
    where = f"Light '{name}'"
    color = np.array(light.color, np.float64) * factors.color
    if light.use_temperature:
        color = color * np.array(light.temperature_color, np.float64)[:3]
    problems = _problems_of(light, where)
    if getattr(light.cycles, "is_portal", False) and light.type == "AREA":
        return None, []
    strength = light.energy * 2**light.exposure
    profile = factors.profile
    if strength * color.max() <= 0 or (profile is not None and profile.image.max() <= 0):
        if strength * color.min() < 0:
            problems.append(Problem(where, "negative light is not supported", "no light"))
        return None, problems
    if np.linalg.det(matrix[:3, :3]) == 0 or (light.type == "AREA" and light.size <= 0):
        return None, [*problems, Problem(where, "it has no extent; enlarge it", "no light")]
    shared = {
        "color": color.tolist(),
        "name": name,
        "profile": profile,
        "hidden_from": instance.hidden_from,
        "casts_shadow": light.use_shadow,
    }
    return _LIGHTS[light.type](light, matrix, strength, shared), problems


def _problems_of(light: bpy.types.Light, where: str) -> list[Problem]:
    found = ignored(light, LIGHT, where)
    if light.cycles.max_bounces < 8:
        found.append(Problem(where, "its limit of bounces is not supported", "no limit"))
    return found


def _unit(vector: NDArray[np.float64]) -> list[float]:
    return list(vector / np.linalg.norm(vector))


def _normalized(light: bpy.types.Light, strength: float, area: float) -> float:
    """Return the power of a light; its strength may be that of a square metre."""
    return strength if light.normalize else strength * area


def _sun(
    light: bpy.types.Light, matrix: NDArray[np.float64], strength: float, shared: dict[str, Any]
) -> Light:
    area = math.pi * math.sin(light.angle / 2) ** 2 if light.angle > 0 else 1.0
    irradiance = _normalized(light, strength, area)
    return weft.scene.SunLight(
        _unit(-matrix[:3, 2]), strength=irradiance, angle=light.angle, **shared
    )


def _area(
    light: bpy.types.Light, matrix: NDArray[np.float64], strength: float, shared: dict[str, Any]
) -> Light:
    height = light.size_y if light.shape in ("RECTANGLE", "ELLIPSE") else light.size
    is_round = light.shape in ("DISK", "ELLIPSE")
    transform = matrix[:3].copy()
    if np.linalg.det(transform[:, :3]) < 0:
        # A mirrored light emits to where its z axis says, too.
        transform[:, 0] *= -1
    sides = np.linalg.norm(transform[:, :2], axis=0)
    area = float(sides[0] * sides[1] * light.size * height) * (math.pi / 4 if is_round else 1.0)
    return weft.scene.AreaLight(
        transform,
        (light.size, height),
        "ellipse" if is_round else "rectangle",
        power=_normalized(light, strength, area),
        spread=min(max(light.spread, MIN_SPREAD), math.pi),
        **shared,
    )


def _ball(light: bpy.types.Light, strength: float) -> dict[str, Any]:
    """Return radius, falloff and power of a point or spot light."""
    radius = light.shadow_soft_size
    # Cycles takes a light without size for one of 4 square metres.
    area = 4 * math.pi * radius**2 if radius > 0 else 4.0
    return {
        "radius": radius,
        "soft_falloff": light.use_soft_falloff,
        "power": _normalized(light, strength, area),
    }


def _spot(
    light: bpy.types.Light, matrix: NDArray[np.float64], strength: float, shared: dict[str, Any]
) -> Light:
    return weft.scene.SpotLight(
        matrix[:3, 3].tolist(),
        _unit(-matrix[:3, 2]),
        angle=light.spot_size,
        blend=light.spot_blend,
        **_ball(light, strength),
        **shared,
    )


def _point(
    light: bpy.types.Light, matrix: NDArray[np.float64], strength: float, shared: dict[str, Any]
) -> Light:
    return weft.scene.PointLight(matrix[:3, 3].tolist(), **_ball(light, strength), **shared)


_LIGHTS = {"SUN": _sun, "AREA": _area, "SPOT": _spot, "POINT": _point}
