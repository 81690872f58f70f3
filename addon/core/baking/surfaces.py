# SPDX-License-Identifier: GPL-3.0-or-later
"""What is baked on: triangles of objects, with what materials read of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Corners = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Surface:
    """The triangles of one object that show a material.

    Args:
        name: Of the object.
        positions: Of the corners, in the object's space, shape ``(triangles, 3, 3)``.
        normals: The same; ``None``: triangles are flat.
        matrix: To the world, shape ``(4, 4)``.
        rows: What else is read of the corners, by kind and name as of ``AttributeRequest``, shape
            ``(triangles, 3, 2)`` of UV maps and ``(triangles, 3, 3)`` of all others.
        uv_maps: Names of the UV maps that the mesh has.
        corners: The mesh's corner at each corner of a triangle, shape ``(triangles, 3)``.
        identity: Equal where surfaces are.
    """

    name: str
    positions: Corners
    normals: Corners | None
    matrix: NDArray[np.float64]
    rows: Mapping[tuple[str, str], Corners]
    uv_maps: tuple[str, ...] = ()
    corners: NDArray[np.int32] | None = None
    identity: object = None


def parts_in(surfaces: Sequence[Surface], kept: NDArray[np.bool_]) -> list[Surface]:
    """Return what is left of surfaces: of some of their triangles, counted through all."""
    found = []
    start = 0
    for surface in surfaces:
        own = kept[start : start + len(surface.positions)]
        start += len(own)
        part = replace(
            surface,
            positions=surface.positions[own],
            normals=None if surface.normals is None else surface.normals[own],
            rows={key: rows[own] for key, rows in surface.rows.items()},
            corners=None if surface.corners is None else surface.corners[own],
        )
        found.append(part)
    return found


@dataclass(eq=False)
class Points:
    """Places on surfaces at which values are computed.

    Args:
        surfaces: On which they lie.
        triangles: The triangle of each, counted through all surfaces, shape ``(n,)``.
        weights: Of its second and third corner, shape ``(n, 2)``.
    """

    surfaces: Sequence[Surface]
    triangles: NDArray[np.int32]
    weights: NDArray[np.float32]
    _known: dict[object, Corners] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.triangles)

    def row(self, kind: str, name: str) -> Corners:
        """Return what is read of the surfaces by kind and name; 0 where one lacks it."""
        return self._once(
            (kind, name), lambda surface: _row(surface, kind, name), 2 if kind == "uv" else 3
        )

    def positions(self) -> Corners:
        """Return places in the world."""
        return self._once("positions", _world_positions)

    def normals(self) -> Corners:
        """Return shading normals in the world, unit vectors."""
        found = self._once("normals", _world_normals)
        return _unit(found)

    def face_normals(self) -> Corners:
        """Return normals of the triangles in the world, unit vectors."""
        return _unit(self._once("face normals", _world_face_normals))

    def _once(self, key: object, make: object, width: int = 3) -> Corners:
        if key not in self._known:
            parts = [make(surface) for surface in self.surfaces]  # type: ignore[operator]
            corners = np.concatenate([np.zeros((0, 3, width), np.float32), *parts])
            self._known[key] = _between(corners, self.triangles, self.weights)
        return self._known[key]


def _between(
    corners: Corners, triangles: NDArray[np.int32], weights: NDArray[np.float32]
) -> Corners:
    """Return values between the corners of triangles, shape ``(n, k)``."""
    if len(corners) > len(triangles):
        corners, triangles = corners[triangles], np.arange(len(triangles), dtype=np.int32)
    first = np.ascontiguousarray(corners[:, 0])
    one, two = corners[:, 1] - first, corners[:, 2] - first
    if not one.any() and not two.any():
        return np.take(first, triangles, 0)
    found = np.take(one, triangles, 0)
    found *= weights[:, :1]
    second = np.take(two, triangles, 0)
    second *= weights[:, 1:]
    found += second
    found += np.take(first, triangles, 0)
    return found


def _row(surface: Surface, kind: str, name: str) -> Corners:
    found = surface.rows.get((kind, name))
    width = 2 if kind == "uv" else 3
    return np.zeros((len(surface.positions), 3, width), np.float32) if found is None else found


def _world_positions(surface: Surface) -> Corners:
    turned = surface.positions @ surface.matrix[:3, :3].T + surface.matrix[:3, 3]
    return turned.astype(np.float32)


def _face_normals(surface: Surface) -> Corners:
    places = surface.positions
    found = np.cross(places[:, 1] - places[:, 0], places[:, 2] - places[:, 0])
    return np.repeat(_unit(found)[:, None], 3, axis=1)


def _world_normals(surface: Surface) -> Corners:
    normals = _face_normals(surface) if surface.normals is None else surface.normals
    return _turned(normals, surface.matrix)


def _world_face_normals(surface: Surface) -> Corners:
    return _turned(_face_normals(surface), surface.matrix)


def _turned(normals: Corners, matrix: NDArray[np.float64]) -> Corners:
    """Return normals in the world."""
    turn = np.linalg.pinv(matrix[:3, :3])
    found: Corners = (normals @ turn).astype(np.float32)
    return found


def _unit(vectors: Corners) -> Corners:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    found: Corners = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return found
