# SPDX-License-Identifier: Apache-2.0
"""Records of single lights, as shaders/weft/render/light.slang reads them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.colors import luminance
from weft.layouts import (
    AreaWord,
    LampRule,
    LampWord,
    LightKind,
    LightWord,
    SunWord,
    TriangleWord,
)
from weft.render.light_tree import CONE_SLACK, bounds_row
from weft.scene import AreaLight, PointLight, SpotLight, SunLight
from weft.scene.ray_kinds import hidden_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.scene.lights import Light

STRIDE = LightWord.end
NONE = 0xFFFFFFFF
"""Stands for no light, and for no image of an environment."""

COLOR = slice(LightWord.color, LightWord.color + 3)
POSITION = slice(LightWord.position, LightWord.position + 3)
AXIS = slice(LampWord.axis, LampWord.axis + 3)
HALF_X = slice(AreaWord.half_x, AreaWord.half_x + 3)
HALF_Y = slice(AreaWord.half_y, AreaWord.half_y + 3)


def _unit(name: str, vector: Sequence[float]) -> NDArray[np.float64]:
    array = np.asarray(vector, np.float64)
    length = np.linalg.norm(array)
    if array.shape != (3,) or not np.isfinite(length) or length == 0:
        raise ArgumentError(
            f"{name}: direction must be three numbers, not all zero, got {vector!r}"
        )
    return array / length


@dataclass
class LightRow:
    """One light: its record, and the power by which it is drawn."""

    words: NDArray[np.float32]
    power: float
    area: float = 0.0  # of a triangle, m^2
    bounds: NDArray[np.float32] | None = None  # see light_tree.py; None: infinitely far


def light_row(kind: int, color: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the record of a light of a kind and colour, all else 0."""
    words = np.zeros(STRIDE, np.float32)
    words.view(np.uint32)[LightWord.kind] = kind
    words[COLOR] = color
    return words


def _box(words: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the lowest and the highest corner of a lamp's sphere."""
    radius = words[LampWord.radius]
    return words[POSITION] - radius, words[POSITION] + radius


def _sphere_row(light: PointLight | SpotLight, kind: int) -> LightRow:
    intensity = light.power * np.asarray(light.color, np.float64) / (4 * math.pi)
    color = intensity / (math.pi * light.radius**2) if light.radius > 0 else intensity
    words = light_row(kind, color)
    words[POSITION] = light.position
    words[LampWord.radius] = light.radius
    words[LampWord.faces_disc] = light.soft_falloff
    bounds = bounds_row(*_box(words))
    return LightRow(words, float(luminance(intensity)) * 4 * math.pi, bounds=bounds)


def _spot_row(light: SpotLight) -> LightRow:
    row = _sphere_row(light, LightKind.spot)
    row.words[AXIS] = _unit(f"SpotLight '{light.name}'", light.direction)
    outer = math.cos(min(light.angle, math.pi) / 2)
    row.words[LampWord.cosine] = outer
    row.words[LampWord.edge] = (1 - outer) * light.blend
    row.power *= (1 - outer) / 2
    low, high = _box(row.words)
    # Within its cone a spot shines alike, so that the cone stands for the spread of its normals.
    row.bounds = bounds_row(low, high, row.words[AXIS], min(light.angle, math.pi) / 2, CONE_SLACK)
    return row


def _sun_row(light: SunLight, extent: float) -> LightRow:
    gap = 1 - math.cos(light.angle / 2)
    irradiance = light.strength * np.asarray(light.color, np.float64)
    words = light_row(
        LightKind.sun,
        irradiance / (math.pi * math.sin(light.angle / 2) ** 2) if gap > 0 else irradiance,
    )
    words[POSITION] = -_unit(f"SunLight '{light.name}'", light.direction)
    words[SunWord.gap] = gap
    return LightRow(words, float(luminance(irradiance)) * math.pi * extent**2)


def _area_row(light: AreaLight) -> LightRow:
    matrix = np.asarray(light.transform, np.float64)[:3]
    x = matrix[:, 0] * light.size[0] / 2
    y = matrix[:, 1] * light.size[1] / 2
    normal = np.cross(x, y)
    area = float(np.linalg.norm(normal)) * (math.pi if light.shape == "ellipse" else 4)
    if area <= 0:
        raise ArgumentError(
            f"AreaLight '{light.name}': its area is zero; make it larger, or use a PointLight"
        )
    # A surface that shines alike to all sides gives off pi times its radiance.
    words = light_row(
        LightKind.area, light.power * np.asarray(light.color, np.float64) / (math.pi * area)
    )
    words[POSITION] = matrix[:, 3]
    words[AreaWord.area] = area
    # The record's normal is x cross y; the lamp shines along -z.
    words[HALF_X] = x
    words[HALF_Y] = -y
    words[AreaWord.is_ellipse] = light.shape == "ellipse"
    if light.spread < math.pi:
        half = light.spread / 2
        words[AreaWord.spread] = math.tan(half)
        words[AreaWord.spread_factor] = 1 / (math.tan(half) - half)
    reach = np.abs(words[HALF_X]) + np.abs(words[HALF_Y])
    axis = np.cross(x, -y) / np.linalg.norm(normal)
    emission = min(light.spread / 2 + CONE_SLACK, math.pi / 2)
    bounds = bounds_row(words[POSITION] - reach, words[POSITION] + reach, axis, 0.0, emission)
    return LightRow(words, float(luminance(words[COLOR])) * math.pi * area, bounds=bounds)


def lamp_row(light: Light, extent: float) -> LightRow:
    """Return the record of a lamp. @param extent: radius of the scene, metres."""
    row = _row_of(light, extent)
    rules = hidden_bits(light.hidden_from) | (0 if light.casts_shadow else LampRule.shadowless)
    row.words.view(np.uint32)[LightWord.rules] = rules
    return row


def _row_of(light: Light, extent: float) -> LightRow:
    if isinstance(light, PointLight):
        return _sphere_row(light, LightKind.point)
    if isinstance(light, SpotLight):
        return _spot_row(light)
    if isinstance(light, SunLight):
        return _sun_row(light, extent)
    return _area_row(light)


def triangle_rows(
    instance: int,
    triangles: NDArray[np.int64],
    areas: NDArray[np.float64],
    radiance: NDArray[np.float64],
    both: bool,
    *,
    varies: bool = False,
    bounds: NDArray[np.float32],
) -> list[LightRow]:
    """Return the records of emissive triangles of one instance and material.

    Args:
        instance: Its number.
        triangles: Numbers among the triangles of all meshes, shape ``(n,)``.
        areas: World space, m^2, shape ``(n,)``.
        radiance: Linear RGB.
        both: Both sides shine.
        varies: The radiance is a factor of what is evaluated where light comes from.
        bounds: Of each, shape ``(n, 12)``, see light_tree.py.
    """
    rows = []
    watts = float(luminance(radiance)) * math.pi * (2 if both else 1)
    for triangle, area, limits in zip(triangles, areas, bounds, strict=True):
        words = light_row(LightKind.triangle, radiance)
        words.view(np.uint32)[[TriangleWord.instance, TriangleWord.triangle]] = instance, triangle
        words[TriangleWord.both_sides], words[TriangleWord.varies] = both, varies
        rows.append(LightRow(words, watts * float(area), float(area), limits))
    return rows
