# SPDX-License-Identifier: GPL-3.0-or-later
"""Texels around those that surfaces cover: lookups between texels and of smaller images reach them.

The first ring goes on with the triangle beside it, so that a lookup at the edge of a part of the
UV map is as right as one inside. Further rings repeat the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .raster import Coverage

NEIGHBOURS = ((-1, -1), (1, -1), (-1, 1), (1, 1), (-1, 0), (1, 0), (0, -1), (0, 1))
"""Steps along x and y; of several neighbours the last one counts, so those beside come last."""


def rings(
    coverage: Coverage, count: int, *, wraps: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the texels of the margin.

    Args:
        coverage: What is covered.
        count: How many rings; 0: none.
        wraps: The image goes on at its other side.

    Returns:
        Texels of the first ring, and for each the place among ``coverage.texels`` of what it goes
        on with; texels of further rings, and for each the place among those of the first ring.
    """
    none: NDArray[np.int64] = np.zeros(0, np.int64)
    if count < 1 or not len(coverage.texels):
        return none, none, none, none
    width, height = coverage.size
    place: NDArray[np.int64] = np.full(width * height, -1, np.int64)
    place[coverage.texels] = np.arange(len(coverage.texels))
    edge = coverage.texels[_is_at_edge(coverage)]
    first, sources = _grow(edge, place, coverage.size, wraps=wraps)
    origins = place[sources]
    place[first] = np.arange(len(first))
    found, found_places = [none], [none]
    ring = first
    for _ in range(count - 1):
        ring, sources = _grow(ring, place, coverage.size, wraps=wraps)
        if not len(ring):
            break
        place[ring] = place[sources]
        found.append(ring)
        found_places.append(place[sources])
    return first, origins, np.concatenate(found), np.concatenate(found_places)


def _is_at_edge(coverage: Coverage) -> NDArray[np.bool_]:
    """Return which covered texels may have a neighbour that is not covered."""
    width, height = coverage.size
    inner = np.zeros((height + 2, width + 2), bool)
    covered = np.zeros(width * height, bool)
    covered[coverage.texels] = True
    inner[1:-1, 1:-1] = covered.reshape(height, width)
    across = inner[:, :-2] & inner[:, 1:-1] & inner[:, 2:]
    all_around = across[:-2] & across[1:-1] & across[2:]
    return ~all_around.ravel()[coverage.texels]


def _grow(
    ring: NDArray[np.int64], place: NDArray[np.int64], size: tuple[int, int], *, wraps: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the free texels around a ring, each once, and the texel that each comes from.

    Their entries in `place` are below 0 still.
    """
    width, height = size
    y, x = np.divmod(ring, width)
    found, sources = [], []
    for step_x, step_y in NEIGHBOURS:
        to_x, to_y = x + step_x, y + step_y
        if wraps:
            to_x, to_y = to_x % width, to_y % height
            kept = np.ones(len(ring), bool)
        else:
            kept = (to_x >= 0) & (to_x < width) & (to_y >= 0) & (to_y < height)
        texel = to_y[kept] * width + to_x[kept]
        free = place[texel] < 0
        found.append(texel[free])
        sources.append(ring[kept][free])
    texels, origins = np.concatenate(found), np.concatenate(sources)
    marks = -2 - np.arange(len(texels))
    place[texels] = marks  # of several the last one stays
    last = place[texels] == marks
    return texels[last], origins[last]
