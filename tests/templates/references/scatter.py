# SPDX-License-Identifier: Apache-2.0
"""Scattered points in double precision: with whole numbers, by brute force over neighbours."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import weft
from support.template_cases import Case

Array = np.ndarray[Any, Any]

GOLDEN = (1 + np.sqrt(5)) / 2
PLASTIC = float(np.roots([1, 0, -1, -1])[0].real)


def white_noise_color(p: Array) -> Array:
    text = "import weft.noise; float3 noise(float3 p) { return whiteNoiseColor(p); }"
    graph = weft.lower(None, "noise", text=text, to="dag")
    return graph.evaluate({"p": p.astype(np.float32)})["Result"].astype(np.float64)


def white_noise(p: Array) -> Array:
    text = "import weft.noise; float noise(float3 p) { return whiteNoise(p); }"
    graph = weft.lower(None, "noise", text=text, to="dag")
    return graph.evaluate({"p": p.astype(np.float32)})["Result"].astype(np.float64)


def bayer(size: int) -> Array:
    """Bayer's matrix by his recursion: numbers from 0 to size^2 - 1."""
    if size == 1:
        return np.zeros((1, 1), int)
    finer = bayer(size // 2)
    # Blocks of four, whose order is the first digit: (x, y) in the order 0 0, 1 1, 1 0, 0 1.
    first = np.array([[0, 2], [3, 1]]) * (size * size // 4)
    return np.kron(finer, np.ones((2, 2), int)) + np.tile(first, (size // 2, size // 2))


def scrambled(cell: Array, seed: Array) -> Array:
    """Bayer's matrix whose digits are exchanged: both of their bits, the first with the draw."""
    matrix = bayer(16)
    number = matrix[cell[:, 1] % 16, cell[:, 0] % 16]
    for level in range(4):
        block = cell >> (level + 1)
        draw = white_noise_color(np.column_stack([block, seed * 8 + level])) >= 0.5
        number = number ^ (2 * draw[:, 0] + draw[:, 1]) << (2 * (3 - level))
    return (number + white_noise(np.column_stack([cell, seed * 8 + 4]))) / 256


def blue_noise_rank(
    position: Array, index: Array, order: Array, cell_size: Array, density: Array, seed: Array
) -> dict[str, Array]:
    cell = np.floor(position[:, :2] / cell_size[:, None]).astype(np.int64)
    lattice = cell[:, 0] / PLASTIC + cell[:, 1] / PLASTIC**2 + seed / GOLDEN
    row = index / GOLDEN + seed / PLASTIC
    ranks = [scrambled(cell, seed), lattice - np.floor(lattice), row - np.floor(row)]
    rank = np.choose(order, ranks)
    return {"Result.rank": rank, "Result.keep": rank < density}


def jittered(cell: Array, jitter: Array, seed: Array) -> tuple[Array, Array]:
    draw = white_noise_color(np.column_stack([cell, seed]))
    return cell + 0.5 + jitter[:, None] * (draw[:, :2] - 0.5), draw[:, 2]


def poisson_mask(
    position: Array, cell_size: Array, distance: Array, jitter: Array, seed: Array
) -> dict[str, Array]:
    """The same by all points within three cells."""
    cell = np.floor(position[:, :2] / cell_size[:, None]).astype(np.int64)
    own, rank = jittered(cell, jitter, seed)
    keep = np.ones(len(cell), bool)
    for step in itertools.product(range(-3, 4), repeat=2):
        if step != (0, 0):
            other, over = jittered(cell + step, jitter, seed)
            keep &= (np.hypot(*(other - own).T) >= distance) | (over < rank)
    place = np.column_stack([own * cell_size[:, None], position[:, 2]])
    return {"Result.keep": keep, "Result.position": place, "Result.rank": rank}


def phyllotaxis(
    index: Array,
    stem: Array,
    count: Array,
    radius: Array,
    height: Array,
    divergence: Array,
    growth: Array,
) -> dict[str, Array]:
    age = (index + 0.5) / count
    around = np.exp(1j * np.longdouble(1) * index * divergence).astype(complex)
    wide = age**growth
    zero, one = np.zeros_like(age), np.ones_like(age)
    latitude = np.arcsin(1 - 2 * np.minimum(age, 1))
    tilt = np.arctan2(height, radius)
    rings = [wide * radius, wide * radius, radius, np.cos(latitude) * radius]
    heights = [zero, height - height * wide, height * age, np.sin(latitude) * radius]
    outward = np.choose(stem, [zero, np.sin(tilt), one, np.cos(latitude)])
    upward = np.choose(stem, [one, np.cos(tilt), zero, np.sin(latitude)])
    ring = np.choose(stem, rings) * around
    facing = outward * around
    return {
        "Result.position": np.stack([ring.real, ring.imag, np.choose(stem, heights)], 1),
        "Result.normal": np.stack([facing.real, facing.imag, upward], 1),
        "Result.angle": np.angle(around) % (2 * np.pi),
        "Result.share": np.minimum(index / np.maximum(count - 1, 1), 1),
    }


def whole(low: int, high: int) -> Any:
    return lambda random, size: random.integers(low, high, size)


CASES = {
    "blue_noise_rank": Case(
        blue_noise_rank,
        draws={
            "position": (-3000, 3000),
            "index": whole(0, 1 << 20),
            "order": whole(0, 3),
            "cell_size": (0.5, 2),
        },
        edges=0.004,
    ),
    "poisson_mask": Case(
        poisson_mask,
        draws={"position": (-40, 40), "cell_size": (0.5, 2)},
        tolerance=1e-5,
        edges=0.002,
    ),
    "phyllotaxis": Case(
        phyllotaxis,
        draws={"index": whole(0, 1000), "stem": whole(0, 4), "count": whole(1, 1000)},
        wrt=("radius", "height", "divergence", "growth"),
        gradient_draws={"index": whole(0, 30), "count": whole(31, 60)},
        tolerance=1e-3,
        edges=0.002,
    ),
}
