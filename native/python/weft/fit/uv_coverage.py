# SPDX-License-Identifier: GPL-3.0-or-later
"""Where on a texture surfaces are: how much of it they share, and how much pictures show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    import weft

POINTS = 1 << 17  # on all surfaces of a texture
IN_CELL = 16  # points that a cell of the grid holds where nothing overlaps
TWICE = 1.6  # times as many: two surfaces share the cell
MOST_CELLS = 512  # along a side


def uv_places(scene: weft.Scene, materials: Collection[str], number: int) -> NDArray[np.float64]:
    """Return points spread evenly over the UV map of what shows some materials.

    Args:
        scene: Which.
        materials: Weft's names.
        number: Of the UV set.

    Returns:
        Shape ``(points, 2)``, wrapped into [0, 1); none where there is no UV map.
    """
    found, seen = [], set()
    for entry in scene.objects:
        names = [material.name for material in entry.materials]
        slots = [k for k, name in enumerate(names) if name in materials]
        if not slots or (id(entry.mesh), tuple(slots)) in seen:
            continue  # instances of a mesh share texels because they are alike
        seen.add((id(entry.mesh), tuple(slots)))
        found.append(_triangles(entry.mesh, slots, number))
    corners = np.concatenate(found) if found else np.zeros((0, 3, 2))
    return _spread(corners)


def _triangles(mesh: weft.scene.Mesh, slots: list[int], number: int) -> NDArray[np.float64]:
    """Return the UV corners of a mesh's triangles, shape ``(triangles, 3, 2)``."""
    sets = list(mesh.uvs.values())
    if number >= len(sets):
        return np.zeros((0, 3, 2))
    uvs = np.asarray(sets[number], np.float64)
    triangles = np.asarray(mesh.triangles)
    corners = uvs[triangles] if uvs.shape == (len(mesh.positions), 2) else uvs.reshape(-1, 3, 2)
    if mesh.slots is None:
        return corners
    return corners[np.isin(np.asarray(mesh.slots), slots)]


def _spread(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points with the same number for each area; seeds are fixed."""
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    areas = np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]) / 2
    total = float(areas.sum())
    if not np.isfinite(total) or total <= 0:
        return np.zeros((0, 2))
    random = np.random.default_rng(0)
    marks = (np.arange(POINTS) + random.random(POINTS)) * total / POINTS
    chosen = np.minimum(np.searchsorted(np.cumsum(areas), marks), len(areas) - 1)
    a, b = random.random((2, POINTS, 1))
    a, b = np.where(a + b > 1, 1 - a, a), np.where(a + b > 1, 1 - b, b)
    points = corners[chosen, 0] + a * one[chosen] + b * two[chosen]
    return np.asarray(points % 1.0, np.float64)


def uv_area(scene: weft.Scene, materials: Collection[str], number: int) -> float:
    """Return the area of the UV map of what shows some materials, overlaps counted."""
    total = 0.0
    seen = set()
    for entry in scene.objects:
        slots = [k for k, m in enumerate(entry.materials) if m.name in materials]
        if not slots or (id(entry.mesh), tuple(slots)) in seen:
            continue
        seen.add((id(entry.mesh), tuple(slots)))
        corners = _triangles(entry.mesh, slots, number)
        one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        total += float(np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]).sum()) / 2
    return total


def overlap_of(points: NDArray[np.float64], area: float) -> float:
    """Return which share of surfaces lies on texels that others use too, in [0, 1].

    Args:
        points: Of uv_places().
        area: Of all surfaces in the UV map, overlaps counted.
    """
    if not len(points) or area <= 0:
        return 0.0
    side = int(min(max(np.sqrt(len(points) / (IN_CELL * area)), 1), MOST_CELLS))
    cells = (points * side).astype(np.int64)
    index = cells[:, 0] * side + cells[:, 1]
    counts = np.bincount(index, minlength=side * side)
    usual = len(points) / (area * side * side)
    return float((counts[index] > TWICE * usual).mean())


def coverage_of(points: NDArray[np.float64], known: NDArray[np.float32]) -> float:
    """Return which share of surfaces a texture is known for, in [0, 1].

    Args:
        points: Of uv_places().
        known: Shape ``(height, width)``, the top row first: 1 where pictures show the texture.
    """
    if not len(points):
        return float(np.mean(known > 0))
    height, width = known.shape
    x = np.minimum((points[:, 0] * width).astype(np.int64), width - 1)
    y = np.minimum(((1 - points[:, 1]) * height).astype(np.int64), height - 1)
    return float(np.mean(known[y, x] > 0))
