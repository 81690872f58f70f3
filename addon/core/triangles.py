# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons as triangles, cut where Blender cuts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

QUAD = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
TURNED_QUAD = np.array([[0, 1, 3], [1, 2, 3]], np.int32)


def triangulate(
    positions: NDArray[np.float32],
    corner_vertices: NDArray[np.int32],
    offsets: NDArray[np.int32],
    cut_polygons: Callable[[NDArray[np.int64]], NDArray[np.int32]],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Cut polygons into triangles.

    Args:
        positions: Of the vertices, shape ``(vertices, 3)``.
        corner_vertices: Vertex of each corner, shape ``(corners,)``.
        offsets: First corner of each polygon, shape ``(polygons,)``; polygons follow one another,
            and have three corners or more.
        cut_polygons: Gets the numbers of the triangles that polygons of more than four corners
            become, in the order of all triangles, and returns their corners, shape ``(n, 3)``.

    Returns:
        The corners of each triangle, shape ``(triangles, 3)``, and its polygon, shape
        ``(triangles,)``, in the order of the polygons.
    """
    sizes = np.diff(offsets, append=np.int32(len(corner_vertices)))
    if len(sizes) == 0:
        return np.zeros((0, 3), np.int32), np.zeros(0, np.int32)
    if (sizes == 4).all():
        return _cut_quads(positions, corner_vertices, offsets)
    if (sizes == 3).all():
        only = offsets[:, None] + np.arange(3, dtype=np.int32)
        return only.astype(np.int32), np.arange(len(sizes), dtype=np.int32)
    polygon = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes - 2)
    first = np.cumsum(sizes - 2) - (sizes - 2)
    corners: NDArray[np.int32] = np.empty((len(polygon), 3), np.int32)
    three, four = sizes == 3, sizes == 4
    corners[first[three]] = offsets[three, None] + np.arange(3, dtype=np.int32)
    quads = _cut_quads(positions, corner_vertices, offsets[four])[0].reshape(-1, 2, 3)
    corners[first[four]], corners[first[four] + 1] = quads[:, 0], quads[:, 1]
    more = np.flatnonzero((sizes > 4)[polygon])
    if len(more):
        corners[more] = cut_polygons(more)
    return corners, polygon


def _cut_quads(
    positions: NDArray[np.float32], corner_vertices: NDArray[np.int32], offsets: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Cut along the diagonal from the first corner, or along the other one.

    The other one where the first would make two triangles that face away from each other, as in
    quads that are concave there.
    """
    corners: NDArray[np.int32] = (offsets[:, None, None] + QUAD).astype(np.int32)
    index = [corner_vertices[offsets + step] for step in range(4)]
    origin = positions[index[0]]
    second, third, fourth = (positions[entry] - origin for entry in index[1:])
    turned = np.einsum("ij,ij->i", np.cross(second, third), np.cross(fourth, third)) > 0
    if turned.any():
        corners[turned] = offsets[turned, None, None] + TURNED_QUAD
    return corners.reshape(-1, 3), np.repeat(np.arange(len(offsets), dtype=np.int32), 2)
