# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Geometry node says of a mesh's shape: Pointiness and Random Per Island.

Both depend on details of how Cycles goes through a mesh, which were read in its source
(blender/mesh.cpp, Apache-2.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .name_hash import mix_one

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALL = np.finfo(np.float32).eps
"""Vertices count as one whose squared distance is less, m^2."""


def pointiness(
    positions: NDArray[np.float32], normals: NDArray[np.float32], edges: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Return how convex a mesh is at its vertices: 0.5 where it is flat, more on ridges.

    The angle between the normal and the mean direction of the edges, over pi, then the mean over
    the vertex and its neighbours.

    Args:
        positions: Shape ``(vertices, 3)``.
        normals: Of the vertices, unit.
        edges: Shape ``(edges, 2)``.

    Returns:
        Shape ``(vertices,)``, 0 to 1; 0 at vertices without edges.
    """
    count = len(positions)
    if not count:
        return np.zeros(0, np.float32)
    first = _welded(positions)
    sums = np.zeros((count, 3))
    np.add.at(sums, first, normals)
    welded = _unit(sums)[first]
    ends = np.unique(np.sort(first[edges], axis=1), axis=0).reshape(-1, 2)
    a, b = ends.T
    along = _unit(positions[b].astype(np.float64) - positions[a])
    directions = np.zeros((count, 3))
    np.add.at(directions, a, along)
    np.add.at(directions, b, -along)
    degree = np.bincount(ends.ravel(), minlength=count)
    mean = directions / np.maximum(degree, 1)[:, None]
    raw = np.arccos((welded * mean).sum(axis=1).clip(-1, 1)) / np.pi
    raw[degree == 0] = 0
    around = raw + np.bincount(a, raw[b], count) + np.bincount(b, raw[a], count)
    smooth: NDArray[np.float32] = (around / (degree + 1))[first].astype(np.float32)
    return smooth


def island_numbers(count: int, edges: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return a number for each vertex that is the same on what edges connect, in [0, 1].

    Args:
        count: Of vertices.
        edges: Shape ``(edges, 2)``.
    """
    # Which vertex stands for its island depends on the order: by rank, with paths compressed.
    parents, ranks = list(range(count)), [0] * count

    def find(x: int) -> int:
        root = x
        while parents[root] != root:
            root = parents[root]
        while parents[x] != root:
            parents[x], x = root, parents[x]
        return root

    for one, other in edges.tolist():
        x, y = find(one), find(other)
        if x == y:
            continue
        if ranks[x] < ranks[y]:
            x, y = y, x
        parents[y] = x
        ranks[x] += ranks[x] == ranks[y]
    roots = np.array([find(x) for x in range(count)], np.int64)
    names, places = np.unique(roots, return_inverse=True)
    numbers = np.array([mix_one(int(name)) / 0xFFFFFFFF for name in names], np.float32)
    return numbers[places.ravel()]


def _welded(positions: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return for each vertex the one that stands for all at its place."""
    sums = positions.sum(axis=1, dtype=np.float32)
    order = np.argsort(sums, kind="stable")
    place, along = positions[order], sums[order]
    other = np.arange(len(order))
    open_ = np.arange(len(order) - 1)
    for step in range(1, len(order)):
        open_ = open_[open_ + step < len(order)]
        open_ = open_[along[open_ + step] - along[open_] <= 3 * SMALL]
        if not len(open_):
            break
        apart = ((place[open_ + step] - place[open_]) ** 2).sum(axis=1)
        found = apart < SMALL
        other[open_[found]] = open_[found] + step
        open_ = open_[~found]
    while (other != other[other]).any():
        other = other[other]
    out = np.empty(len(order), np.int64)
    out[order] = order[other]
    return out


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(length > 0, vectors / np.where(length > 0, length, 1), 0.0)
