# SPDX-License-Identifier: Apache-2.0
"""Distances in double precision: by nearest points, piece by piece, by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft
from support.template_cases import Case

Array = np.ndarray[Any, Any]


def nearest_point_distance(p: Array, half_size: Array, radius: Array) -> Array:
    """Distance to a rounded box of any dimension: to the nearest point of the box within it."""
    core = half_size - radius[:, None]
    outside = np.linalg.norm(p - np.clip(p, -core, core), axis=1)
    inside = np.min(np.minimum(core - p, core + p), axis=1)
    return np.where(inside > 0, -inside, outside) - radius


def rounded_primitive(position: Array, shape: Array, size: Array, rounding: Array) -> Array:
    half = np.maximum(size, 0) / 2
    x, z = half[:, 0], half[:, 2]
    profile = np.stack([np.hypot(position[:, 0], position[:, 1]), position[:, 2]], 1)
    thick = np.minimum(x / 2, z)
    middle = np.stack([x - thick, np.zeros_like(x)], 1)
    end = np.maximum(z - x, 0)
    on_axis = np.stack([np.zeros_like(x), np.clip(position[:, 2], -end, end)], 1)
    found = [
        nearest_point_distance(position, half, np.minimum(rounding, half.min(1))),
        np.sqrt((position**2).sum(1)) - x,
        nearest_point_distance(profile, half[:, [0, 2]], np.minimum(rounding, np.minimum(x, z))),
        np.linalg.norm(profile - on_axis, axis=1) - x,
        nearest_point_distance(
            profile - middle, np.stack([thick, z], 1), np.minimum(rounding, thick)
        ),
        np.linalg.norm(profile - middle, axis=1) - thick,
    ]
    return np.choose(shape, found)


def soft_minimum(u: Array, v: Array, width: Array, seam: Array) -> Array:
    share = np.clip(0.5 + 0.5 * (v - u) / width, 0, 1)
    smooth = v * (1 - share) + u * share - width * share * (1 - share)
    fillet = (u < width) & (v < width)
    circle = np.where(fillet, width - np.hypot(width - u, width - v), np.minimum(u, v))
    facet = (u + v - width) / np.sqrt(2)
    return np.choose(seam, [smooth, circle, np.stack([u, v, facet]).min(0)])


def smooth_combine(
    a: Array, b: Array, operation: Array, seam: Array, width: Array
) -> dict[str, Array]:
    width = np.maximum(width, 1e-5)
    union = soft_minimum(a, b, width, seam)
    intersection = -soft_minimum(-a, -b, width, seam)
    difference = -soft_minimum(-a, b, width, seam)
    over = np.choose(operation, [a - b, b - a, -a - b])
    return {
        "Result.distance": np.choose(operation, [union, intersection, difference]),
        "Result.blend": np.interp(over / width, [-1, 1], [0, 1]),
    }


def white_noise(p: Array) -> Array:
    text = "import weft.noise; float noise(float3 p) { return whiteNoise(p); }"
    graph = weft.lower(None, "noise", text=text, to="dag")
    return graph.evaluate({"p": p.astype(np.float32)})["Result"].astype(np.float64)


def nearest_copy(p: Array, places: Array) -> Array:
    """Which of the places along a line, (N, k), is nearest."""
    return np.argmin(np.abs(places - p[:, None]), axis=1)


def folded(position: Array, spacing: Array, count: Array, limited: bool) -> tuple[Array, Array]:
    """Place within the cell and cell, by looking at each copy."""
    wide = np.abs(spacing)
    local, cells = np.zeros_like(position), np.zeros_like(position)
    rows = np.arange(len(position))
    for axis in range(3):
        copies = np.arange(-64, 65)[None] + np.zeros((len(position), 1))
        places = copies * wide[:, [axis]]
        if limited:
            last = np.maximum(np.rint(count[:, [axis]]), 1) - 1
            places -= last / 2 * wide[:, [axis]]
            places[(copies < 0) | (copies > last)] = np.inf
        else:
            places[(spacing[:, axis] == 0)[:, None] & (copies != 0)] = np.inf
        nearest = nearest_copy(position[:, axis], places)
        local[:, axis] = position[:, axis] - places[rows, nearest]
        cells[:, axis] = copies[rows, nearest]
    return local, cells


def around(position: Array, radius: Array, count: Array) -> tuple[Array, Array]:
    """The same of copies around Z: the copy whose direction is nearest."""
    copies = np.maximum(np.rint(count), 1)
    turned = np.arange(32)[None] / copies[:, None]
    place = position[:, 0] + 1j * position[:, 1]
    seen = place[:, None] * np.exp(-2j * np.pi * turned)
    seen_real = np.where(turned < 1, seen.real, -np.inf)
    cell = np.argmax(seen_real, axis=1)
    local = seen[np.arange(len(cell)), cell]
    zero = np.zeros(len(cell))
    return (
        np.stack([local.real - radius, local.imag, position[:, 2]], 1),
        np.stack([cell, zero, zero], 1),
    )


def sdf_repeat(
    position: Array, repetition: Array, spacing: Array, count: Array, mirror: Array, seed: Array
) -> dict[str, Array]:
    infinite = folded(position, spacing, count, False)
    limited = folded(position, spacing, count, True)
    radial = around(position, spacing[:, 0], count[:, 0])
    which = repetition[:, None] * np.ones(3, int)
    cell = np.choose(which, [infinite[1], limited[1], radial[1]])
    flipped = mirror.astype(bool)[:, None] & (cell % 2 == 1)
    folded_place = np.choose(which, [infinite[0], limited[0], radial[0]])
    flipped[repetition == 2] = flipped[repetition == 2][:, :1] & np.array([False, True, False])
    return {
        "Result.position": np.where(flipped, -folded_place, folded_place),
        "Result.cell": cell,
        "Result.random": white_noise(cell.astype(np.float32) + seed.astype(np.float32)[:, None]),
    }


def covered(distance: Array, softness: Array) -> Array:
    return np.interp(distance / softness, [-0.5, 0.5], [1, 0])


def sdf_outline(
    distance: Array,
    grow: Array,
    softness: Array,
    outline_width: Array,
    outline_offset: Array,
    glow_radius: Array,
    glow_falloff: Array,
) -> dict[str, Array]:
    soft = np.maximum(softness, 1e-6)
    away = distance - grow
    half = outline_width / 2
    inner, outer = half * outline_offset - half, half * outline_offset + half
    fill = covered(away, soft)
    edge = np.maximum(inner - away, away - outer)
    outline = np.where(outline_width > 0, covered(edge, soft), 0)
    near = np.interp(away / np.maximum(glow_radius, 1e-6), [0, 1], [1, 0])
    glow = near**glow_falloff
    layers = np.stack([fill, outline, glow])
    return {
        "Result.fill": fill,
        "Result.outline": outline,
        "Result.glow": glow,
        "Result.all": layers.max(0),
    }


def sdf_extrude(distance: Array, along: Array, depth: Array, rounding: Array, wall: Array) -> Array:
    radius = np.minimum(rounding, depth / 2)
    place = np.stack([distance + radius, np.abs(along) - depth / 2 + radius], 1)
    corner = np.hypot(place[:, 0], place[:, 1])
    solid = np.where((place > 0).all(1), corner, place.max(1)) - radius
    return np.where(wall > 0, np.maximum(solid, -wall - solid), solid)


def sdf_revolve(position: Array, axis: Array, radius: Array) -> dict[str, Array]:
    turned = [np.roll(position, shift, axis=1) for shift in (-1, 1, 0)]
    x, y, z = np.choose(axis[:, None] * np.ones(3, int), turned).T
    turn = np.angle(x + 1j * y) / (2 * np.pi)
    return {
        "Result.coordinate": np.stack([np.abs(x + 1j * y) - radius, z], 1),
        "Result.turn": turn % 1,
    }


def scene(
    p: Array, box_size: Array, rounding: Array, ring: Array, tube: Array, width: Array
) -> Array:
    """Distance to the scene of `ray_march`, and to its box and its ring."""
    half = np.maximum(box_size, 0) / 2
    box = nearest_point_distance(p, half, np.minimum(rounding, half.min(1)))
    circle = np.hypot(np.hypot(p[:, 0], p[:, 1]) - ring, p[:, 2]) - tube
    wide = np.maximum(width, 1e-4)
    overlap = np.maximum(wide - np.abs(box - circle), 0)
    return np.stack([np.minimum(box, circle) - overlap**2 / (4 * wide), box, circle])


def ray_march(
    origin: Array,
    direction: Array,
    box_size: Array,
    rounding: Array,
    ring_radius: Array,
    tube: Array,
    width: Array,
    reach: Array,
    steps: int,
) -> dict[str, Array]:
    solids = (box_size, rounding, ring_radius, tube, width)
    ray = direction / np.linalg.norm(direction, axis=1)[:, None]
    along = np.zeros(len(origin))
    for _ in range(steps):
        left = scene(origin + along[:, None] * ray, *solids)[0]
        along = np.minimum(along + left, reach)
    position = origin + along[:, None] * ray
    slopes = []
    for axis in np.eye(3):
        ahead, behind = (scene(position + h * axis, *solids)[0] for h in (1e-6, -1e-6))
        slopes.append((ahead - behind) / 2e-6)
    normal = np.stack(slopes, 1)
    _, box, ring = scene(position, *solids)
    return {
        "Result.hit": ((along < reach) & (left < 2e-3)).astype(float),
        "Result.distance": along,
        "Result.position": position,
        "Result.normal": normal / np.linalg.norm(normal, axis=1)[:, None],
        "Result.blend": np.interp((box - ring) / np.maximum(width, 1e-4), [-1, 1], [0, 1]),
    }


def cases_of_menu(count: int) -> Any:
    return lambda random, size: random.integers(0, count, size)


def rays_that_cross(random: np.random.Generator, size: int) -> Array:
    """Origins outside, whose rays along -Z pass near the solid."""
    origins = random.uniform(-1.0, 1.0, (size, 3))
    origins[:, 2] += 3
    return origins


def above_the_ring(random: np.random.Generator, size: int) -> Array:
    turn, radius = random.uniform(0, 2 * np.pi, size), random.uniform(0.7, 0.8, size)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), np.full(size, 3.0)], 1)


def sloping(random: np.random.Generator, size: int) -> Array:
    slopes = random.uniform(-0.2, 0.2, (size, 3))
    slopes[:, 2] = -1
    return slopes


CASES = {
    "rounded_primitive": Case(
        rounded_primitive,
        draws={"position": (-2, 2), "shape": cases_of_menu(6), "size": (0.4, 3)},
        wrt=("position", "size", "rounding"),
        tolerance=1e-5,
    ),
    "smooth_combine": Case(
        smooth_combine,
        draws={
            "a": (-1, 1),
            "b": (-1, 1),
            "operation": cases_of_menu(3),
            "seam": cases_of_menu(3),
        },
        wrt=("a", "b", "width"),
        gradient_draws={"width": (0.2, 1)},
        tolerance=1e-5,
    ),
    "sdf_repeat": Case(
        sdf_repeat,
        draws={
            "repetition": cases_of_menu(3),
            "spacing": (0.5, 2),
            "count": lambda random, size: random.integers(1, 9, (size, 3)),
            "seed": lambda random, size: random.integers(0, 100, size),
        },
        wrt=("position", "spacing"),
        tolerance=1e-5,
        edges=0.002,
    ),
    "sdf_outline": Case(
        sdf_outline,
        draws={"distance": (-1, 1), "softness": (0.01, 0.2)},
        wrt=("distance", "softness", "outline_width", "glow_radius", "glow_falloff"),
        gradient_draws={"softness": (0.1, 0.2), "outline_width": (0.3, 0.5)},
    ),
    "sdf_extrude": Case(
        sdf_extrude,
        draws={"distance": (-2, 2), "along": (-2, 2)},
        wrt=("distance", "along", "depth", "rounding", "wall"),
        tolerance=1e-5,
    ),
    "sdf_revolve": Case(
        sdf_revolve,
        draws={"axis": cases_of_menu(3)},
        wrt=("position", "radius"),
        tolerance=1e-5,
        edges=0.001,
    ),
    "ray_march": Case(
        ray_march,
        draws={
            "origin": rays_that_cross,
            "direction": sloping,
            "box_size": (0.4, 1.2),
            "rounding": (0.02, 0.2),
            "ring_radius": (0.4, 1),
            "tube": (0.08, 0.3),
            "width": (0.05, 0.5),
        },
        build={"steps": 16},
        wrt=("origin", "direction", "ring_radius", "tube", "width"),
        gradient_draws={
            "origin": above_the_ring,
            "direction": lambda random, size: random.uniform(-0.02, 0.02, (size, 3)) - [0, 0, 1],
            "box_size": (0.4, 0.6),
            "ring_radius": (0.75, 0.85),
            "tube": (0.2, 0.3),
            "width": (0.4, 0.5),
        },
        tolerance=2e-4,
        edges=0.02,
    ),
}
