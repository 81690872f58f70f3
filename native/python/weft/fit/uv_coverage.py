# SPDX-License-Identifier: Apache-2.0
"""Where on a texture surfaces are: how much of it they share, and how much pictures show.

Start reading at shared_fraction() and known_fraction().
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.scene.changes import inputs_of
from weft.scene.parameter_ref import ParameterRef
from weft.scene.texture import Texture
from weft.scene.values import UVSet

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from weft.scene import Mesh, Scene

POINT_COUNT = 1 << 17  # on all surfaces of a texture
POINTS_PER_CELL = 16  # that a cell of the grid holds where nothing overlaps
MIN_OVERLAP_DENSITY = 1.6  # times POINTS_PER_CELL: two surfaces share the cell
MAX_CELLS = 512  # along a side


def shared_fraction(scene: Scene, name: str) -> float:
    """Return which fraction of surfaces lies on texels that others use too, in [0, 1].

    Args:
        scene: Which.
        name: Of the input of a material that the texture drives.

    Returns:
        0 where the coordinates of the texture are computed.
    """
    where = _uv_set_of(scene, name)
    if where is None:
        return 0.0
    return overlap_of(uv_places(scene, *where), uv_area(scene, *where))


def known_fraction(scene: Scene, name: str, known: NDArray[np.float32]) -> float:
    """Return for which fraction of the surfaces that show a texture it is known, in [0, 1].

    Args:
        scene: Which.
        name: Of the input of a material that the texture drives.
        known: Shape ``(height, width)``, the top row first: 1 where pictures show the texture.

    Returns:
        The fraction of texels where the coordinates of the texture are computed.
    """
    where = _uv_set_of(scene, name)
    return coverage_of(np.zeros((0, 2)) if where is None else uv_places(scene, *where), known)


def _uv_set_of(scene: Scene, name: str) -> tuple[list[str], int] | None:
    """Return the material that shows a texture, and the number of its UV set; ``None``: none."""
    texture = inputs_of(scene).get(ParameterRef(name))
    if not isinstance(texture, Texture) or not isinstance(texture.uv, UVSet):
        return None
    return [ParameterRef(name).owner], texture.uv.index


def uv_places(scene: Scene, materials: Collection[str], number: int) -> NDArray[np.float64]:
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


def _triangles(mesh: Mesh, slots: list[int], number: int) -> NDArray[np.float64]:
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
    marks = (np.arange(POINT_COUNT) + random.random(POINT_COUNT)) * total / POINT_COUNT
    chosen = np.minimum(np.searchsorted(np.cumsum(areas), marks), len(areas) - 1)
    a, b = random.random((2, POINT_COUNT, 1))
    a, b = np.where(a + b > 1, 1 - a, a), np.where(a + b > 1, 1 - b, b)
    points = corners[chosen, 0] + a * one[chosen] + b * two[chosen]
    return np.asarray(points % 1.0, np.float64)


def uv_area(scene: Scene, materials: Collection[str], number: int) -> float:
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
    """Return which fraction of surfaces lies on texels that others use too, in [0, 1].

    Args:
        points: Of uv_places().
        area: Of all surfaces in the UV map, overlaps counted.
    """
    if not len(points) or area <= 0:
        return 0.0
    side = int(min(max(np.sqrt(len(points) / (POINTS_PER_CELL * area)), 1), MAX_CELLS))
    cells = (points * side).astype(np.int64)
    index = cells[:, 0] * side + cells[:, 1]
    counts = np.bincount(index, minlength=side * side)
    usual = len(points) / (area * side * side)
    return float((counts[index] > MIN_OVERLAP_DENSITY * usual).mean())


def coverage_of(points: NDArray[np.float64], known: NDArray[np.float32]) -> float:
    """Return for which fraction of surfaces a texture is known for, in [0, 1].

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
