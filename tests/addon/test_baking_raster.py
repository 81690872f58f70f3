# SPDX-License-Identifier: Apache-2.0
"""Texels that triangles cover, the margin around them, and places between corners."""

from __future__ import annotations

import numpy as np
import pytest
from addon.core.baking.bake import gaps_of, tiles_of
from addon.core.baking.margin import rings
from addon.core.baking.raster import cover, layers_of, weights_of

from support.baked import grid

SIZE = (64, 48)


def alone(uvs, size=SIZE, wraps=False):
    return cover(uvs, np.zeros(len(uvs), np.int32), size, wraps=wraps)


@pytest.mark.parametrize("count", [1, 7, 40])
def test_neighbours_leave_no_gap_and_share_no_texel(count):
    found = alone(grid(count))

    assert np.array_equal(found.texels, np.arange(SIZE[0] * SIZE[1]))
    assert (found.crowded, found.folded) == (0, 0)


@pytest.mark.parametrize("turn", [False, True])
def test_texels_are_those_whose_centres_lie_in_the_triangle(turn):
    triangle = np.array([[[0.1, 0.2], [0.9, 0.35], [0.4, 0.95]]], np.float32)
    if turn:
        triangle = triangle[:, ::-1]

    found = alone(triangle)

    x, y = np.meshgrid((np.arange(64) + 0.5) / 64, (np.arange(48) + 0.5) / 48)
    (a, b, c) = triangle[0].astype(np.float64)

    def side(p, q):
        return (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])

    signs = np.stack([side(a, b), side(b, c), side(c, a)])
    inside = (signs > 0).all(0) | (signs < 0).all(0)
    assert np.array_equal(found.texels, np.flatnonzero(inside.ravel()))


def test_weights_give_the_centres_back():
    uvs = grid(9)
    found = alone(uvs)

    weights = weights_of(uvs, SIZE, found.texels, found.triangles, wraps=False)

    corners = uvs[found.triangles]
    place = (
        corners[:, 0] * (1 - weights.sum(1, keepdims=True))
        + corners[:, 1] * weights[:, :1]
        + corners[:, 2] * weights[:, 1:]
    )
    y, x = np.divmod(found.texels, SIZE[0])
    wanted = np.column_stack([(x + 0.5) / SIZE[0], (y + 0.5) / SIZE[1]])
    assert np.abs(place - wanted).max() < 1e-5


def test_what_lies_outside_comes_in_at_the_other_side():
    uvs = grid(3) * 0.5 + np.float32([0.75, -0.25])

    found = alone(uvs, wraps=True)
    cut = alone(uvs)

    assert len(found.texels) == 32 * 24
    assert len(cut.texels) == 16 * 12
    weights = weights_of(uvs, SIZE, found.texels, found.triangles, wraps=True)
    assert weights.min() > -1e-4
    assert weights.sum(1).max() < 1 + 1e-4


def test_overlaps_of_objects_are_told_from_those_of_one():
    square = grid(1) * 0.5
    moved = square + np.float32([0.25, 0])
    uvs = np.concatenate([square, moved])

    apart = cover(uvs, np.int32([0, 0, 1, 1]), SIZE, wraps=False)
    one = cover(uvs, np.int32([0, 0, 0, 0]), SIZE, wraps=False)

    assert (apart.crowded, apart.folded) == (16 * 24, 0)
    assert (one.crowded, one.folded) == (0, 16 * 24)
    _, x = np.divmod(apart.texels, SIZE[0])
    assert (apart.triangles[(x >= 16) & (x < 32)] >= 2).all()  # the last one shows


def test_triangles_without_area_or_numbers_cover_nothing():
    flat = np.float32([[[0.1, 0.1], [0.9, 0.9], [0.5, 0.5]]])
    broken = np.float32([[[0.1, 0.1], [0.9, np.nan], [0.5, np.inf]]])

    found = alone(np.concatenate([flat * [1, 1], broken]))

    assert len(found.texels) < 64
    assert (found.triangles == 0).all()
    assert len(alone(np.zeros((0, 3, 2), np.float32)).texels) == 0
    assert layers_of(np.concatenate([grid(2), broken])) == pytest.approx(1)


def test_the_margin_surrounds_what_is_covered():
    found = alone(grid(2) * 0.5 + 0.25)

    first, beside, outer, inner = rings(found, 5, wraps=False)

    assert len(first) == 2 * 32 + 2 * 24 + 4
    covered = np.zeros(SIZE[::-1], int).ravel()
    covered[found.texels] = 1
    covered[first] += 1
    covered[outer] += 1
    assert covered.max() == 1
    assert np.array_equal(np.flatnonzero(covered.reshape(48, 64).any(0)), np.arange(16 - 5, 48 + 5))
    y, x = np.divmod(first, 64)
    near_y, near_x = np.divmod(found.texels[beside], 64)
    assert max(np.abs(y - near_y).max(), np.abs(x - near_x).max()) == 1
    far = np.abs(np.divmod(outer, 64)[0] - np.divmod(first[inner], 64)[0])
    assert far.max() == 4
    assert [len(part) for part in rings(found, 0, wraps=False)] == [0, 0, 0, 0]


def test_the_margin_goes_on_at_the_other_side():
    found = alone(grid(1) * 0.5)

    first, *_ = rings(found, 1, wraps=True)
    cut, *_ = rings(found, 1, wraps=False)

    assert len(first) == 2 * 32 + 2 * 24 + 4
    assert len(cut) == 32 + 24 + 1


def test_tiles_and_gaps():
    squares = np.concatenate([grid(1) + np.float32([u, v]) for u, v in ((0, 0), (2, 0), (1, 1))])

    assert tiles_of(squares) == ((1001, 1003, 1012), 0)
    assert gaps_of((1001, 1003, 1012)) == (1002,)
    assert tiles_of(grid(1) - 3) == ((), 2)
