# SPDX-License-Identifier: Apache-2.0
"""Masks in double precision: streaks by all cells around, weights by logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft
from support.template_cases import Case

Array = np.ndarray[Any, Any]

NOISES = """
import weft.noise;
float white(float3 p) { return whiteNoise(p); }
float3 colors(float3 p) { return whiteNoiseColor(p); }
float sway(float2 p) { return perlinNoise(p, 1); }
float patches(float3 p, float detail, float roughness) { return perlinNoise(p, detail, roughness); }
"""


def noise(name: str, **values: Array) -> Array:
    """Ask the engine for one of the noises above."""
    graph = weft.lower(None, name, text=NOISES, to="dag", blender=(5, 2))
    floats = {key: np.asarray(value, np.float32) for key, value in values.items()}
    return graph.evaluate(floats)["Result"].astype(np.float64)


def hermite(t: Array) -> Array:
    """The cubic from 0 to 1 that is level at both ends, as an integral of 6 t (1 - t)."""
    inside = np.clip(t, 0, 1)
    return np.polynomial.Polynomial([0, 6, -6]).integ()(inside)


def patches(position: Array, scale: Array, detail: Array, roughness: Array, seed: Array) -> Array:
    place = position * scale[:, None] + np.outer(seed, [17, 31, 5])
    return noise("patches", p=place, detail=detail, roughness=roughness)


def edge_wear(
    position: Array,
    curvature: Array,
    amount: Array,
    softness: Array,
    breakup: Array,
    scale: Array,
    flat_value: Array,
    edge_range: Array,
    detail: Array,
    roughness: Array,
    seed: Array,
) -> dict[str, Array]:
    bend = np.interp((curvature - flat_value) / edge_range, [-1, 1], [-1, 1])
    level = np.interp(patches(position, scale, detail, roughness, seed), [0.25, 0.75], [-1, 1])
    most = 1 + breakup + softness / 2
    # The parabola through most, 1/2 and -most at amounts 0, 1/2 and 1.
    threshold = most + amount * (2 - 2 * most) - 2 * amount**2
    worn = bend + breakup * level - threshold
    return {
        "Result.wear": hermite(worn / softness + 0.5),
        "Result.cavity": hermite((worn - 2 * bend) / softness + 0.5),
        "Result.distance": worn,
    }


def dust(
    position: Array,
    normal: Array,
    direction: Array,
    cavity: Array,
    amount: Array,
    steepest: Array,
    softness: Array,
    breakup: Array,
    scale: Array,
    detail: Array,
    roughness: Array,
    seed: Array,
) -> dict[str, Array]:
    facing = np.einsum("ni,ni->n", normal, direction) / np.linalg.norm(direction, axis=1)
    level = 1 - (1 - facing) / (1 - np.cos(steepest)) + cavity
    found = patches(position, scale, detail, roughness, seed)
    bare = (1 + breakup) * (1 - amount) + softness / 2
    over = level + breakup * np.interp(found, [0.25, 0.75], [-1, 1]) - bare
    mask = hermite(over / softness + 0.5) * np.interp(level, [0, 0.25], [0, 1])
    rough = np.minimum(breakup, 1)
    return {
        "Result.mask": mask,
        "Result.height": mask * (1 - rough + rough * found),
        "Result.distance": over,
    }


def streaks(
    p: Array, seed: Array, layer: int, density: Array, shape: tuple[Array, ...]
) -> dict[str, Array]:
    """One layer: of all cells around, that whose middle is nearest; no other streak comes here."""
    longest, width, variation, meander, bead = shape
    period = longest + 1.2
    nearest = np.full(len(p), np.inf)
    found: dict[str, Array] = {}
    others = []
    for column in (np.floor(p[:, 0]) + offset for offset in (-1, 0, 1)):
        start = noise("white", p=np.stack([column, seed, np.full_like(seed, layer)], 1))
        down = start - p[:, 1] / period
        for row in (np.floor(down) + offset for offset in (-1, 0, 1)):
            chance = noise("colors", p=np.stack([column, row, seed + 100 * layer + 50], 1))
            half = 0.5 * width * (1 - 0.7 * variation * np.clip(chance[:, 2] / density, 0, 1))
            length = longest * (1 - 0.85 * variation * chance[:, 0])
            sway = noise("sway", p=np.stack([0.6 * p[:, 1], 7 * column + 3 * row], 1))
            middle = column + 0.5 + (chance[:, 1] - 0.5) * (1 - width - 2 * meander)
            beside = p[:, 0] - middle - meander * (2 * sway - 1)
            fallen = (down - row) * period - 0.6
            along = np.clip(fallen / length, 0, 1)
            swell = hermite(1 - length * (1 - along) / (5 * half))
            radius = half * (1 - bead + bead * swell)
            inside = radius - np.abs(beside + 1j * (fallen - along * length))
            inside = np.where(chance[:, 2] < density, inside, -0.5)
            others.append(inside)
            away = np.maximum(np.abs(p[:, 0] - column - 0.5), np.abs(down - row - 0.5))
            closer = away < nearest
            nearest = np.where(closer, away, nearest)
            cell = {"inside": inside, "along": along, "half": half, "random": chance[:, 1]}
            for name, values in cell.items():
                found[name] = np.where(closer, values, found.get(name, values))
    assert (np.max(others, axis=0) <= np.maximum(found["inside"], 1e-3)).all()
    return found


def drips(
    coordinate: Array,
    scale: Array,
    density: Array,
    length: Array,
    width: Array,
    softness: Array,
    fade: Array,
    bead: Array,
    meander: Array,
    variation: Array,
    fine_density: Array,
    seed: Array,
) -> dict[str, Array]:
    p = coordinate * scale[:, None]
    shape = (length, width, variation, meander, bead)
    large = streaks(p, seed, 0, density, shape)
    small = streaks(2 * p, seed, 1, fine_density, shape)
    for name in ("inside", "half"):
        small[name] = small[name] / 2
    fine = small["inside"] > large["inside"]
    found = {name: np.where(fine, small[name], large[name]) for name in large}
    inside = np.maximum(found["inside"], -0.5)
    return {
        "Result.mask": hermite(inside / softness + 0.5) * (1 - fade * found["along"]),
        "Result.height": 1 - (1 - np.clip(inside / found["half"], 0, 1)) ** 2,
        "Result.distance": inside,
        "Result.along": found["along"],
        "Result.random": found["random"],
    }


def height_blend(
    factor: Array, color1: Array, height1: Array, color2: Array, height2: Array, width: Array
) -> dict[str, Array]:
    """As Mishkinis has it: what is higher than the highest less a width."""
    raised1 = height1 + (1 - factor) * (1 + width)
    raised2 = height2 + factor * (1 + width)
    floor = np.maximum(raised1, raised2) - width
    weight1, weight2 = np.maximum(raised1 - floor, 0), np.maximum(raised2 - floor, 0)
    share1, share2 = weight1 / (weight1 + weight2), weight2 / (weight1 + weight2)
    return {
        "Result.color": color1 * share1[:, None] + color2 * share2[:, None],
        "Result.factor": share2,
        "Result.height": height1 * share1 + height2 * share2,
        "Result.seam": 1 - (share1 - share2) ** 2,
    }


def triplanar_weights(normal: Array, sharpness: Array) -> Array:
    """In logarithms: what is left of a soft maximum."""
    logarithms = sharpness[:, None] * np.log(np.maximum(np.abs(normal), 1e-12))
    shares = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def sphere(random: np.random.Generator, count: int) -> Array:
    """Directions to all sides."""
    found = random.normal(size=(count, 3))
    return found / np.linalg.norm(found, axis=1)[:, None]


def octant(random: np.random.Generator, count: int) -> Array:
    """Directions whose components are none near 0 or each other's."""
    return random.uniform((0.3, 0.5, 0.8), (0.4, 0.7, 1.0), (count, 3))


def upwards(random: np.random.Generator, count: int) -> Array:
    return sphere(random, count) * 0.3 + np.array([0, 0, 0.8])


CASES = {
    "edge_wear": Case(
        edge_wear,
        draws={
            "position": (-2, 2),
            "curvature": (0.35, 0.65),
            "flat_value": (0.45, 0.55),
            "edge_range": (0.05, 0.3),
            "seed": (0, 3),
            "scale": (0.5, 5),
        },
        wrt=(
            "position",
            "curvature",
            "amount",
            "softness",
            "breakup",
            "scale",
            "flat_value",
            "edge_range",
        ),
        gradient_draws={
            "position": (-1, 1),
            "curvature": (0.52, 0.58),
            "amount": (0.4, 0.6),
            "softness": (3, 4),
            "breakup": (0.2, 0.5),
            "scale": (0.5, 1.5),
            "flat_value": (0.48, 0.5),
            "edge_range": (0.2, 0.3),
            "detail": (0, 1),
        },
    ),
    "dust": Case(
        dust,
        draws={
            "position": (-2, 2),
            "normal": sphere,
            "direction": sphere,
            "seed": (0, 3),
            "scale": (0.5, 5),
        },
        wrt=(
            "position",
            "normal",
            "direction",
            "cavity",
            "amount",
            "steepest",
            "softness",
            "breakup",
            "scale",
        ),
        gradient_draws={
            "position": (-1, 1),
            "normal": upwards,
            "direction": upwards,
            "cavity": (0.1, 0.3),
            "amount": (0.5, 0.8),
            "steepest": (1.3, 1.6),
            "softness": (2, 4),
            "breakup": (0.2, 0.5),
            "scale": (0.5, 1.5),
            "detail": (0, 1),
        },
    ),
    "drips": Case(
        drips,
        draws={
            "coordinate": (-2, 2),
            "scale": (1, 10),
            "density": (0.2, 1),
            "length": (1, 10),
            "width": (0.1, 0.5),
            "meander": (0, 0.2),
            "fine_density": (0.2, 1),
            "seed": lambda random, count: random.integers(0, 9, count),
        },
        wrt=(
            "coordinate",
            "scale",
            "length",
            "width",
            "softness",
            "fade",
            "bead",
            "meander",
            "variation",
        ),
        gradient_draws={
            "coordinate": (-1, 1),
            "scale": (0.8, 1.2),
            "density": (1, 1),
            "length": (4, 6),
            "width": (0.3, 0.5),
            "softness": (0.8, 1),
            "fade": (0.1, 0.9),
            "bead": (0.1, 0.5),
            "meander": (0.05, 0.2),
            "variation": (0.1, 0.5),
        },
        # Borders of cells, and of streaks of one layer with those of the other.
        edges=0.005,
    ),
    "height_blend": Case(
        height_blend,
        draws={"color1": (0, 1), "color2": (0, 1)},
        wrt=("factor", "color1", "height1", "color2", "height2", "width"),
        gradient_draws={
            "factor": (0.48, 0.52),
            "color1": (0.1, 0.9),
            "color2": (0.1, 0.9),
            "height1": (0.45, 0.5),
            "height2": (0.52, 0.57),
            "width": (0.5, 1),
        },
    ),
    "triplanar_weights": Case(
        triplanar_weights,
        draws={"normal": sphere},
        wrt=("normal", "sharpness"),
        gradient_draws={"normal": octant, "sharpness": (1, 6)},
    ),
}
