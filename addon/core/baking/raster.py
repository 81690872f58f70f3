# SPDX-License-Identifier: GPL-3.0-or-later
"""Which texels triangles of a UV map cover: those whose centres lie in them.

Rows of the image are cut with all triangles at once. An edge that two triangles share is cut at
the same place from both sides, so that neither gaps nor overlaps come from rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

MAX_LAYERS = 16
"""Of surfaces on each other, on average: a UV map beyond that repeats its image."""

MAX_SPANNED_IMAGES = 64
"""Images that a triangle reaches over, of a UV map that wraps: beyond, it is a mistake, and would
take a row of work for each row that it crosses."""

AT_ONCE = 1 << 22
"""Rows, and texels, that are cut at a time."""


@dataclass(frozen=True, eq=False)
class Coverage:
    """The texels that triangles cover.

    Args:
        size: Width and height of the image.
        texels: Numbers of the covered texels, ascending, from the lower left corner along the rows,
            shape ``(n,)``.
        triangles: The triangle on each, of several the last one, shape ``(n,)``.
        crowded: Texels that triangles of several owners cover.
        folded: Texels that several triangles of one owner alone cover.
    """

    size: tuple[int, int]
    texels: NDArray[np.int64]
    triangles: NDArray[np.int32]
    crowded: int
    folded: int


def is_finite(values: NDArray[np.float32]) -> bool:
    """Return whether all numbers are finite; their sum is in double precision."""
    return bool(np.isfinite(np.sum(values, dtype=np.float64)))


def layers_of(uvs: NDArray[np.float32]) -> float:
    """Return the area of triangles in the UV map, overlaps counted; those without numbers are 0."""
    one, two = uvs[:, 1] - uvs[:, 0], uvs[:, 2] - uvs[:, 0]
    areas = np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]).astype(np.float64) / 2
    return float(areas[np.isfinite(areas)].sum())


def is_stretched(uvs: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which triangles reach over more images than they may."""
    return np.asarray((uvs.max(axis=1) - uvs.min(axis=1) > MAX_SPANNED_IMAGES).any(axis=1))


def cover(
    uvs: NDArray[np.float32],
    owners: NDArray[np.int32],
    size: tuple[int, int],
    *,
    wraps: bool,
) -> Coverage:
    """Return the texels that triangles cover.

    Args:
        uvs: Corners of the triangles, shape ``(triangles, 3, 2)``. Those without finite places
            cover nothing.
        owners: The object of each triangle, shape ``(triangles,)``.
        size: Width and height of the image that lies over [0, 1] in both directions.
        wraps: What lies outside comes in at the other side; else it is cut off.
    """
    width, height = size
    on: NDArray[np.int32] = np.full(width * height, -1, np.int32)
    first, layers = on.copy(), np.zeros(width * height, bool)
    for texels, triangle in _covered(uvs, size, wraps=wraps):
        layers[texels] |= on[texels] >= 0
        place = np.arange(len(texels), dtype=np.int32)
        on[texels] = place
        layers[texels[on[texels] != place]] = True
        on[texels] = triangle
        fresh = first[texels] < 0
        first[texels[fresh][::-1]] = triangle[fresh][::-1]
    covered = np.flatnonzero(on >= 0)
    last, many = on[covered], layers[covered]
    of_others: NDArray[np.bool_] = owners[last] != owners[first[covered]]
    folded = int((many & ~of_others).sum())
    return Coverage(size, covered, last, int(of_others.sum()), folded)


def _covered(
    uvs: NDArray[np.float32], size: tuple[int, int], *, wraps: bool
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """Return some texels at a time, and the triangle on each; triangles come in order."""
    width, height = size
    for triangles, rows, starts, stops in _spans(uvs, size, wraps=wraps):
        counts = stops - starts
        ends = np.cumsum(counts)
        cuts = np.searchsorted(ends, np.arange(0, ends[-1] if len(ends) else 0, AT_ONCE))
        for low, high in pairwise([*np.unique(cuts), len(ends)]):
            part = slice(low, high)
            widths, begins = counts[part], starts[part]
            before = np.cumsum(widths) - widths
            columns = np.arange(int(widths.sum()), dtype=np.int64)
            columns += np.repeat(begins - before, widths)
            lines = rows[part]
            if wraps:
                columns %= width
                lines = lines % height
            columns += np.repeat(lines * width, widths)
            yield columns, np.repeat(triangles[part], widths)


def _spans(
    uvs: NDArray[np.float32], size: tuple[int, int], *, wraps: bool
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Return parts of rows that triangles cover: triangle, row, first column, column after."""
    width, height = size
    a, b, c = (uvs[:, k, 1] * np.float64(height) for k in range(3))
    low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
    # Of fine meshes most triangles lie between the middles of two rows.
    whole = np.flatnonzero(np.ceil(high - 0.5) > np.ceil(low - 0.5))
    if not is_finite(uvs):
        whole = whole[np.isfinite(uvs[whole]).all((1, 2))]
    if wraps:
        whole = whole[~is_stretched(uvs[whole])]
    x, y = _sorted(uvs[whole].astype(np.float64) * np.array(size, np.float64))
    first, end = np.ceil(y[:, 0] - 0.5), np.ceil(y[:, 2] - 0.5)
    if not wraps:
        first, end = np.clip(first, 0, height), np.clip(end, 0, height)
    counts = (end - first).astype(np.int64)
    slopes = _slopes(x, y)
    ends = np.cumsum(counts)
    cuts = np.searchsorted(ends, np.arange(0, ends[-1] if len(ends) else 0, AT_ONCE))
    for low_one, high_one in pairwise([*np.unique(cuts), len(ends)]):
        part = slice(low_one, high_one)
        number = np.repeat(np.arange(low_one, high_one), counts[part])
        before = np.cumsum(counts[part]) - counts[part]
        rows = np.arange(len(number)) + np.repeat(
            first[part].astype(np.int64) - before, counts[part]
        )
        middle = rows + 0.5
        long_edge = _cut(x, y, slopes, 0, number, middle)
        is_low = middle < y[number, 1]
        short_edge = np.where(
            is_low,
            _cut(x, y, slopes, 1, number, middle),
            _cut(x, y, slopes, 2, number, middle),
        )
        starts = np.ceil(np.minimum(long_edge, short_edge) - 0.5).astype(np.int64)
        stops = np.ceil(np.maximum(long_edge, short_edge) - 0.5).astype(np.int64)
        if not wraps:
            starts, stops = np.clip(starts, 0, width), np.clip(stops, 0, width)
        kept = stops > starts
        yield whole[number[kept]].astype(np.int32), rows[kept], starts[kept], stops[kept]


def _sorted(corners: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return x and y of triangles, their corners from the lowest to the highest, then by x."""
    x, y = corners[..., 0].copy(), corners[..., 1].copy()
    for one, two in ((0, 1), (1, 2), (0, 1)):
        swaps = y[:, one] > y[:, two]
        swaps |= (y[:, one] == y[:, two]) & (x[:, one] > x[:, two])
        for values in (x, y):
            first = np.where(swaps, values[:, two], values[:, one])
            values[:, two] = np.where(swaps, values[:, one], values[:, two])
            values[:, one] = first
    return x, y


EDGES = ((0, 2), (0, 1), (1, 2))
"""Of sorted corners; the lower end of an edge is the first."""


def _slopes(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return how far each edge goes along x in a row."""
    found = []
    for low, high in EDGES:
        rise = y[:, high] - y[:, low]
        found.append((x[:, high] - x[:, low]) / np.where(rise > 0, rise, 1.0))
    return found


def _cut(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    slopes: Sequence[NDArray[np.float64]],
    edge: int,
    number: NDArray[np.int64],
    middle: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return where rows cut an edge of their triangles."""
    low, _ = EDGES[edge]
    cut: NDArray[np.float64] = x[number, low] + (middle - y[number, low]) * slopes[edge][number]
    return cut


def weights_of(
    uvs: NDArray[np.float32],
    size: tuple[int, int],
    texels: NDArray[np.int64],
    triangles: NDArray[np.int32],
    *,
    wraps: bool,
) -> NDArray[np.float32]:
    """Return weights of a triangle's second and third corner at texels' centres, shape ``(n, 2)``.

    Beyond the triangle they go on, from -1 to 2.
    """
    if len(uvs) > len(texels):
        uvs, triangles = uvs[triangles], np.arange(len(texels), dtype=np.int32)
    corners = uvs.astype(np.float64) * np.array(size, np.float64)
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    scale = 1 / np.where(np.abs(area) > 0, area, np.inf)
    y, x = np.divmod(texels.astype(np.int32), np.int32(size[0]))
    if wraps:
        # A texel stands for places that are whole images apart: the nearest one is meant.
        middle = corners.mean(axis=1)[triangles]
        x = x - np.round((x - middle[:, 0]) / size[0]) * size[0]
        y = y - np.round((y - middle[:, 1]) / size[1]) * size[1]
    x, y = x.astype(np.float32), y.astype(np.float32)
    weights = np.empty((len(texels), 2), np.float32)
    for column, (along, over) in enumerate(((two[:, 1], -two[:, 0]), (-one[:, 1], one[:, 0]))):
        of_x, of_y = along * scale, over * scale
        rest = of_x * (0.5 - corners[:, 0, 0]) + of_y * (0.5 - corners[:, 0, 1])
        row = np.take(of_x.astype(np.float32), triangles)
        row *= x
        other = np.take(of_y.astype(np.float32), triangles)
        other *= y
        row += other
        row += np.take(rest.astype(np.float32), triangles)
        weights[:, column] = row
    return np.clip(weights, -1, 2, out=weights)
