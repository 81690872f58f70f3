# SPDX-License-Identifier: Apache-2.0
"""Light sources as shaders/weft/render/light.slang reads them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
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
from weft.render.alias_table import build_alias_table
from weft.render.light_tree import CONE_SLACK, LightTree, bounds_row, light_tree
from weft.scene import AreaLight, PointLight, SpotLight, SunLight
from weft.scene.ray_kinds import SCATTERED, SEEN_BY, hidden_bits, is_hidden_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.render.keeping import KeptParts
    from weft.scene.lights import Environment, Light

STRIDE = LightWord.end
ENVIRONMENT = LightKind.environment
NONE = 0xFFFFFFFF
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


def _row(kind: int, color: NDArray[np.float64]) -> NDArray[np.float32]:
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
    words = _row(kind, color)
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
    words = _row(
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
    words = _row(
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
        words = _row(LightKind.triangle, radiance)
        words.view(np.uint32)[[TriangleWord.instance, TriangleWord.triangle]] = instance, triangle
        words[TriangleWord.both_sides], words[TriangleWord.varies] = both, varies
        rows.append(LightRow(words, watts * float(area), float(area), limits))
    return rows


@dataclass
class EnvironmentTable:
    """The environment as shaders/weft/render/environment.slang reads it."""

    texels: NDArray[np.float32]  # rows from the bottom
    alias: NDArray[np.float32]  # threshold, other, density
    rotation: NDArray[np.float32]
    strength: NDArray[np.float32]
    mean: float  # luminance
    layers: tuple[int, ...]  # of each kind of ray, NONE: it sees nothing
    is_sampled: bool  # light rays are sent there

    @property
    def can_be_drawn(self) -> bool:
        """Whether light rays find light there."""
        return self.is_sampled and self.mean * float(self.strength.max()) > 0


def environment_table(environment: Environment, kept: KeptParts) -> EnvironmentTable:
    """Return the tables of an environment.

    Args:
        environment: The light from everywhere.
        kept: Those of its images, whatever they are turned or scaled by, if they are there already.
    """
    images = [environment.image, *environment.views.values()]
    found = kept.get(
        "environment",
        tuple(kept.digest_of(environment, image) for image in images),
        lambda: _environment_images(images),
    )
    rotation = (
        np.eye(3) if environment.rotation is None else np.asarray(environment.rotation, np.float64)
    )
    return replace(
        found,
        rotation=rotation.T.astype(np.float32),
        strength=np.broadcast_to(np.asarray(environment.strength, np.float32), (3,)).copy(),
        layers=environment_layers(environment),
        is_sampled=not SCATTERED & set(environment.hidden_from),
    )


def _environment_images(images: Sequence[NDArray[np.float32]]) -> EnvironmentTable:
    """Return the tables of images, of which light rays see the first, as they are."""
    image = images[0][::-1].astype(np.float64)
    height, width = image.shape[:2]
    # Between pixels light is interpolated: what a pixel may show is what its neighbours have, too.
    bright = luminance(image)
    rows = np.maximum(np.maximum(bright, np.roll(bright, 1, 1)), np.roll(bright, -1, 1))
    padded = np.concatenate([rows[:1], rows, rows[-1:]])
    around = np.maximum(np.maximum(padded[:-2], padded[1:-1]), padded[2:])
    around = 0.5 * around + 0.5 * bright
    sine = np.cos(np.pi * ((np.arange(height) + 0.5) / height - 0.5))
    weights = (around * sine[:, None]).ravel()
    if weights.sum() <= 0:
        weights = np.broadcast_to(sine[:, None], bright.shape).ravel()
    threshold, other = build_alias_table(weights)
    density = weights / weights.mean()
    alias = np.stack([threshold, other.view(np.float32), density.astype(np.float32)], axis=1)
    return EnvironmentTable(
        np.stack([np.asarray(entry[::-1], np.float32) for entry in images]),
        alias,
        np.eye(3, dtype=np.float32),
        np.ones(3, np.float32),
        float((bright * sine[:, None]).sum() / (sine.sum() * width)),
        (),
        True,
    )


def environment_layers(environment: Environment) -> tuple[int, ...]:
    """Return the number of the image that each kind of ray sees."""
    own = {kind: number for number, kind in enumerate(environment.views, 1)}
    return tuple(
        NONE if is_hidden_from(kind, environment.hidden_from) else own.get(kind, 0)
        for kind in SEEN_BY
    )


@dataclass
class LightTable:
    """All lights of a scene."""

    records: NDArray[np.float32]
    alias: NDArray[np.float32]
    lamp_count: int
    environment_light: int
    tree: LightTree | None = None


LEAST_SHARE = 0.25
"""Of lights at finite and of those at infinite distance, where a scene has both."""


def light_probabilities(
    kinds: NDArray[np.uint32], powers: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return with what probability each light is drawn.

    Args:
        kinds: Shape ``(n,)``.
        powers: Shape ``(n,)``, not negative. That of a light at infinite distance grows with the
            extent of the scene, so a wide floor must not drown the lamps above it.
    """
    if powers.sum() <= 0:
        return np.full(len(powers), 1 / len(powers))
    chosen = powers / powers.sum()
    is_far = (kinds == LightKind.environment) | (kinds == LightKind.sun)
    far = float(chosen[is_far].sum())
    # All of them may add up to a little less than 1.
    if 0 < far < 1 and not is_far.all():
        share = min(max(far, LEAST_SHARE), 1 - LEAST_SHARE)
        chosen = np.where(is_far, chosen * (share / far), chosen * ((1 - share) / (1 - far)))
    # A dark light may still matter where it is near.
    return np.asarray(0.9 * chosen + 0.1 / len(powers))


def build_light_table(
    rows: list[LightRow],
    lamp_count: int,
    environment: EnvironmentTable | None,
    extent: float,
    left_out: NDArray[np.bool_] | None = None,
    *,
    has_tree: bool = False,
) -> LightTable:
    """Return records with probabilities in proportion to power; the environment comes last.

    Args:
        rows: Lamps first, then triangles.
        lamp_count: How many of them are lamps.
        environment: The environment, if there is one.
        extent: Radius of the scene, metres.
        left_out: Which of the rows are never drawn; ``None``: all may be.
        has_tree: Build a tree of the lights at finite distance, too.
    """
    rows = list(rows)
    environment_light = NONE
    if environment is not None and environment.can_be_drawn:
        environment_light = len(rows)
        power = (
            environment.mean
            * float(luminance(environment.strength))
            * math.pi
            * math.pi
            * extent**2
        )
        rows.append(LightRow(_row(LightKind.environment, np.zeros(3)), power))
    if not rows:
        return LightTable(np.zeros((1, STRIDE), np.float32), np.zeros((1, 2), np.float32), 0, NONE)
    records = np.stack([row.words for row in rows])
    chosen = light_probabilities(
        records.view(np.uint32)[:, LightWord.kind], np.array([r.power for r in rows])
    )
    if left_out is not None:
        chosen[np.flatnonzero(left_out)] = 0
        chosen /= max(chosen.sum(), 1e-300)
    records[:, LightWord.probability] = chosen
    threshold, other = build_alias_table(chosen)
    alias = np.stack([threshold, other.view(np.float32)], axis=1)
    tree = light_tree([row.bounds for row in rows], chosen) if has_tree else None
    if tree is not None:
        records.view(np.uint32)[:, LightWord.trail] = tree.trails
    return LightTable(records, alias, lamp_count, environment_light, tree)
