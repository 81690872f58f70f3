# SPDX-License-Identifier: Apache-2.0
"""Cloth in double precision: woven by tables of drafts, knitted by curves of complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from support.noise_primitives import white_noise

Array = np.ndarray[Any, Any]


def columns(*parts: Array) -> Array:
    return np.stack(np.broadcast_arrays(*parts), axis=-1)


DRAFTS = (
    np.array([[1, -1], [-1, 1]]),
    np.array([[1, 1, -1, -1], [1, -1, -1, 1], [-1, -1, 1, 1], [-1, 1, 1, -1]]),
    1 - 2 * np.eye(5)[(-1 - 2 * np.arange(5)) % 5],
    np.kron([[1, -1], [-1, 1]], np.ones((2, 2))),
)
"""Rows from below, columns from the left: 1 where the warp lies over."""


def weave(
    coordinate: Array,
    draft: int,
    scale: Array,
    warp_color: Array,
    weft_color: Array,
    width: Array,
    roundness: Array,
    crimp: Array,
    twist: Array,
    color_variation: Array,
    occlusion: Array,
    seed: Array,
) -> dict[str, Array]:
    """Heights of both threads from the table of the draft; a hole where there is neither."""
    table = DRAFTS[draft]
    place = coordinate * scale[:, None]
    cell = np.floor(place).astype(int)
    local = place - cell - 0.5

    def wave(axis: int) -> Array:
        """The thread that runs along this axis: a cosine between one crossing and the next."""
        step = np.zeros((len(place), 2), int)
        step[:, axis] = np.where(local[:, axis] < 0, -1, 1)
        there = (cell + step) % len(table)
        a, b = table[tuple(cell.T[::-1] % len(table))], table[there[:, 1], there[:, 0]]
        return (a + b) / 2 + (a - b) / 2 * np.cos(np.pi * local[:, axis])

    across = local / (width[:, None] / 2)
    is_in = np.abs(across) < 1
    ellipse = np.sqrt(np.maximum(1 - across**2, 1e-6))
    section = 1 + roundness[:, None] * (ellipse - 1)
    heights = crimp[:, None] * columns(wave(1), -wave(0)) + section
    heights = np.where(is_in, heights, -np.inf)
    top = np.argmax(heights, axis=1)
    rows = np.arange(len(top))
    hole = ~is_in.any(1)
    random = white_noise(columns(np.where(hole, cell[:, 1], cell[rows, top]), top == 0, seed))
    random = np.where(hole, white_noise(columns(cell[:, 1], 0 * hole, seed)), random)
    warp = (top == 0) & ~hole
    side = np.where(warp, 0, 1)
    along, leftward = place[rows, 1 - side], np.where(warp, -1, 1) * across[rows, side]
    deep = twist * (1 + np.sin(np.pi * (6 * along + leftward))) / 2
    height = np.where(hole, 0, (heights[rows, side] + crimp) / (1 + 2 * crimp)) * (1 - deep)
    shade = (1 - color_variation * random) * (1 - occlusion * (1 - height**2)) * ~hole
    edges = width[:, None] / 2 - np.abs(local)
    return {
        "Result.color": np.where(warp[:, None], warp_color, weft_color) * shade[:, None],
        "Result.height": height,
        "Result.distance": np.where(hole, edges.max(1), edges[rows, side]),
        "Result.warp": warp.astype(float),
        "Result.thread": np.where(warp, cell[:, 0], cell[:, 1]).astype(float),
        "Result.random": random,
        "Result.position": columns(along, leftward),
    }


def knit(
    coordinate: Array,
    scale: Array,
    color: Array,
    thickness: Array,
    row_height: Array,
    bulge: Array,
    twist: Array,
    color_variation: Array,
    occlusion: Array,
    seed: Array,
) -> dict[str, Array]:
    """The curve as complex numbers; the yarn's surface in each row, and the highest of them."""
    radius, rise = thickness / 2, 0.95 * row_height
    place = (coordinate @ np.array([1, 1j])) * scale
    column = np.floor(place.real + 0.5)
    x = place.real - column
    rows = np.floor(place.imag / row_height + 0.5)[:, None] + np.array([-1, 0, 1])
    local = np.abs(x)[:, None] + 1j * (place.imag[:, None] - rows * row_height[:, None])
    a, b = bulge[:, None], rise[:, None]

    def curve(t: Array) -> Array:
        return t / (2 * np.pi) + a * np.sin(2 * t) + 1j * b * np.cos(t)

    def direction(t: Array) -> Array:
        return 1 / (2 * np.pi) + 2 * a * np.cos(2 * t) - 1j * b * np.sin(t)

    level = np.clip(local.imag / b, -1, 1)
    start = np.pi / 2 - level - (np.pi / 2 - 1) * level**5
    t = start + ((local - curve(start)) / direction(start)).real
    side = ((local - curve(t)) * np.conj(direction(t) / np.abs(direction(t)))).imag
    side /= radius[:, None]
    surface = np.sqrt(np.maximum(1 - side**2, 0)) - np.cos(2 * t)
    surface = np.where((np.abs(side) < 1) & (surface > -1), surface, -np.inf)
    best = np.argmax(surface, axis=1)
    index = np.arange(len(best))
    hole = np.isinf(surface[index, best])
    row = np.where(hole, rows[:, 1], rows[index, best])
    across = np.where(hole, 1, side[index, best])
    along = np.where(hole, 0, np.where(x < 0, -1, 1) * t[index, best]) / (2 * np.pi)
    ply = 1 - twist * (1 + np.sin(2 * np.pi * (8 * along + across))) / 2
    height = np.where(hole, 0, (surface[index, best] + 1) / 3 * ply)
    random = white_noise(columns(column, row, seed))
    shade = (1 - color_variation * random) * (1 - occlusion * (1 - height**2)) * ~hole
    return {
        "Result.color": color * shade[:, None],
        "Result.height": height,
        "Result.distance": np.where(hole, 0, radius * (1 - np.abs(across))),
        "Result.random": random,
        "Result.stitch": columns(column, row),
        "Result.position": columns(column + along, across),
    }
