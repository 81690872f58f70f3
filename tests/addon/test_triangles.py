# SPDX-License-Identifier: Apache-2.0
"""Polygons are cut where Blender cuts them."""

from __future__ import annotations

import numpy as np
import pytest
from addon.core.triangles import triangulate

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
# The third corner lies behind the line between its neighbours: only one diagonal is inside.
DART = np.array([[0, 0, 0], [2, 0, 0], [0.5, 0.5, 0], [0, 2, 0]], np.float32)
DART_FROM_SIDE = np.roll(DART, 1, axis=0)


def refuse(_triangles):
    raise AssertionError("no polygon here has more than four corners")


def cut(positions, sizes, cut_polygons=refuse):
    """Cut polygons that use the vertices one after the other."""
    offsets = np.cumsum([0, *sizes[:-1]]).astype(np.int32)
    return triangulate(positions, np.arange(sum(sizes), dtype=np.int32), offsets, cut_polygons)


def area(positions, triangles):
    a, b, c = (positions[triangles[:, i]] for i in range(3))
    return np.cross(b - a, c - a)[:, 2] / 2


@pytest.mark.parametrize(("quad", "whole"), [(SQUARE, 1.0), (DART, 1.0), (DART_FROM_SIDE, 1.0)])
def test_quads_are_cut_into_triangles_that_face_the_same_way(quad, whole):
    triangles, polygons = cut(quad, [4])

    areas = area(quad, triangles)
    assert (areas > 0).all()
    assert areas.sum() == pytest.approx(whole)
    assert polygons.tolist() == [0, 0]


def test_mixed_polygons_keep_their_order():
    pentagon = np.array([[0, 0, 0], [1, 0, 0], [1.5, 1, 0], [0.5, 2, 0], [-0.5, 1, 0]], np.float32)
    positions = np.concatenate([SQUARE[:3], pentagon, SQUARE])
    asked = []

    def fan(triangles):
        asked.extend(triangles.tolist())
        return np.array([[3, 4, 5], [3, 5, 6], [3, 6, 7]], np.int32)

    triangles, polygons = cut(positions, [3, 5, 4], fan)

    assert polygons.tolist() == [0, 1, 1, 1, 2, 2]
    assert asked == [1, 2, 3]
    assert triangles[0].tolist() == [0, 1, 2]
    assert triangles[1:4].tolist() == [[3, 4, 5], [3, 5, 6], [3, 6, 7]]
    assert triangles[4:].tolist() == [[8, 9, 10], [8, 10, 11]]


def test_triangles_stay_as_they_are():
    triangles, polygons = cut(np.concatenate([SQUARE[:3], SQUARE[1:]]), [3, 3])

    assert triangles.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert polygons.tolist() == [0, 1]


def test_a_mesh_without_polygons_has_no_triangles():
    triangles, polygons = triangulate(SQUARE, np.zeros(0, np.int32), np.zeros(0, np.int32), refuse)

    assert triangles.shape == (0, 3)
    assert polygons.shape == (0,)
