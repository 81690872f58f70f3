# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that lie in other faces: Cycles' rays stop at the other one where they begin.

Triangles are grouped by their planes; two of a group overlap unless a line along an edge of one
parts them (separating axes).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .problems import Problem

if TYPE_CHECKING:
    from weft.scene import Object

MAX_TRIANGLES = 50_000
"""More are not looked at: each edit in the viewport would wait for it."""

FLATNESS = 2e-6
"""Of the extent of the scene: what is farther apart does not lie in one plane."""

TURN_CELL, HEIGHT_CELL = 1e-3, 1e-4
"""Of planes that are compared: of their normals, and of their distances over the extent."""

NEIGHBOURS = 3
"""Triangles that follow one of its plane are compared with it, and more as long as there are few
pairs."""

THINNEST = 1e-3
"""Height over length of triangles, below which the plane is not known: poles of curved surfaces."""

MAX_PAIRS = 300_000
DEPTH = 1e-3  # of a triangle's size, by which it must reach into another


def coincident(corners: NDArray[np.float32], owners: Sequence[int] | NDArray[np.int64]) -> set[int]:
    """Return the owners of triangles that lie in others.

    Of two owners, triangles that face each other may touch: what stands on a floor does.

    Args:
        corners: World space, shape ``(triangles, 3, 3)``.
        owners: Object of each triangle, shape ``(triangles,)``.

    Returns:
        Empty for more than 50,000 triangles. Planes of many triangles are sampled.
    """
    if not 1 < len(corners) <= MAX_TRIANGLES:
        return set()
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals.astype(np.float64), axis=1)
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    whole = sizes > THINNEST * edges**2
    if not whole.any():
        return set()
    points = corners[whole] - corners[whole].mean(axis=(0, 1), dtype=np.float64)
    normals = normals[whole] / sizes[whole, None]
    sizes, of = sizes[whole], np.asarray(owners)[whole]
    extent = max(float(np.abs(corners).max()), 1e-30)
    found: set[int] = set()
    for shift in (0.0, 0.5):
        for one, other in _pairs(_planes(points, normals, shift)):
            swaps = sizes[one] < sizes[other]  # the larger one says where the plane is
            first, second = np.where(swaps, other, one), np.where(swaps, one, other)
            apart = of[first] != of[second]
            facing = np.einsum("ij,ij->i", normals[first], normals[second]) < 0
            away = points[second] - points[first][:, :1]
            height = np.abs(np.einsum("ijk,ik->ij", away, normals[first])).max(axis=1)
            asked = ~(apart & facing) & (height <= FLATNESS * extent)
            first, second = first[asked], second[asked]
            hit = _overlap(points[first], points[second], normals[first])
            found |= set(of[first[hit]].tolist()) | set(of[second[hit]].tolist())
    return found


def _planes(
    points: NDArray[np.float64], normals: NDArray[np.float64], shift: float
) -> NDArray[np.int64]:
    """Return a number for the plane of each triangle; cells begin at `shift` of their width."""
    strongest = np.abs(normals).argmax(axis=1)
    sign = np.sign(np.take_along_axis(normals, strongest[:, None], axis=1))
    facing = normals * sign
    cell = HEIGHT_CELL * max(float(np.abs(points).max()), 1e-30)
    height = np.einsum("ij,ij->i", facing, points.mean(axis=1)) / cell
    cells = np.column_stack([np.floor(facing / TURN_CELL + shift), np.floor(height + shift)])
    _, number = np.unique(cells.astype(np.int64), axis=0, return_inverse=True)
    return number.reshape(-1)


def _pairs(planes: NDArray[np.int64]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return pairs of triangles of one plane: neighbours first, then as many as there is time."""
    order = np.argsort(planes, kind="stable")
    ranked = planes[order]
    made, step, count = [], 1, 0
    while step < len(order) and (step <= NEIGHBOURS or count < MAX_PAIRS):
        same = np.flatnonzero(ranked[:-step] == ranked[step:])
        if len(same) == 0:
            break
        made.append((order[same], order[same + step]))
        count += len(same)
        step += 1
    return made


def _overlap(
    one: NDArray[np.float64], other: NDArray[np.float64], normals: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which triangles of a plane share more than an edge."""
    hit = np.ones(len(one), bool)
    for triangle in (one, other):
        for k in range(3):
            edge = triangle[:, (k + 1) % 3] - triangle[:, k]
            axis = np.cross(normals, edge)
            axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-300)
            a, b = (np.einsum("ijk,ik->ij", part, axis) for part in (one, other))
            depth = np.minimum(a.max(1), b.max(1)) - np.maximum(a.min(1), b.min(1))
            width = np.minimum(a.max(1) - a.min(1), b.max(1) - b.min(1))
            hit &= depth > DEPTH * width
    return hit


class CoincidentFaces:
    """Names objects whose faces lie in others, and keeps the answer while nothing moves."""

    def __init__(self) -> None:
        self._state: tuple[object, ...] = ()
        self._problems: list[Problem] = []

    def problems(self, objects: Sequence[Object]) -> list[Problem]:
        """Return a problem for each object; objects of one name share it."""
        count = sum(len(entry.mesh.triangles) for entry in objects)
        if count > MAX_TRIANGLES:
            return []
        # The meshes are held, so that their numbers stay theirs.
        state = tuple((entry.mesh, np.asarray(entry.transform).tobytes()) for entry in objects)
        if state == self._state:
            return self._problems
        corners = [
            entry.mesh.corner_positions() @ np.asarray(entry.transform)[:, :3].T
            + np.asarray(entry.transform)[:, 3]
            for entry in objects
        ]
        owners = np.repeat(np.arange(len(objects)), [len(part) for part in corners])
        points = np.concatenate([*corners, np.zeros((0, 3, 3))]).astype(np.float32)
        names = sorted({objects[number].name for number in coincident(points, owners)})
        self._state = state
        self._problems = [Problem(f"Object '{name}'", MESSAGE, "lit faces") for name in names]
        return self._problems


MESSAGE = (
    "some of its faces lie in other faces, where Cycles' rays end as they begin; "
    "move or delete one of them"
)
