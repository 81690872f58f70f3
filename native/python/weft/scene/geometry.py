# SPDX-License-Identifier: Apache-2.0
"""Triangle meshes, and objects that place them in the world."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError
from weft.scene.ray_kinds import check_ray_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from weft.scene.materials import Material


def _rows(
    name: str, values: ArrayLike, width: int, dtype: type[np.generic] = np.float32
) -> NDArray[Any]:
    """Return an array of shape (n, width)."""
    array: NDArray[Any] = np.ascontiguousarray(values, dtype)
    if array.ndim != 2 or array.shape[1] != width:
        raise ArgumentError(f"{name} must have shape (n, {width}), got {np.shape(values)}")
    return array


def corner_values(
    name: str, values: ArrayLike, triangles: NDArray[np.uint32], vertices: int, width: int
) -> NDArray[np.float32]:
    """Return values at corners, (triangles, 3, width), from values at corners or at vertices."""
    array = np.ascontiguousarray(values, np.float32)
    count = len(triangles)
    if array.shape == (count, 3, width) or array.shape == (3 * count, width):
        return array.reshape(count, 3, width)
    if array.shape == (vertices, width):
        return array[triangles]
    raise ArgumentError(
        f"{name} must have shape ({vertices}, {width}), one a vertex, or ({count}, 3, "
        f"{width}), one a corner, "
        f"got {array.shape}"
    )


@dataclass(eq=False)
class Mesh:
    """Triangles in object space.

    Args:
        positions: Shape ``(vertices, 3)``, metres.
        triangles: Shape ``(triangles, 3)``, vertex numbers; counter-clockwise seen from the front.
        normals: Shading normals, one a vertex ``(vertices, 3)`` or one a corner ``(triangles, 3,
            3)``; ``None``: flat.
        uvs: UV sets by name, each one a vertex or one a corner, two components. Materials see the
            first one unless
            they ask for another.
        colors: Colour attributes by name, linear RGB, one a vertex or one a corner.
        slots: Material slot of each triangle; ``None``: slot 0.
        name: What messages call it.

    Raises:
        ArgumentError: Shapes do not fit, a number is not finite, or a triangle names a vertex that
            there is not.
    """

    positions: NDArray[np.float32]
    triangles: NDArray[np.uint32]
    normals: NDArray[np.float32] | None = None
    uvs: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    colors: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    slots: NDArray[np.uint32] | None = None
    name: str = field(default="mesh", kw_only=True)

    def __post_init__(self) -> None:
        """Check shapes, and bring everything to corners."""
        where = f"Mesh '{self.name}'"
        self.positions = _rows(f"{where}: positions", self.positions, 3).astype(np.float32)
        given = np.asarray(self.triangles)
        if given.size and (given.min() < 0 or given.max() >= len(self.positions)):
            bad = int(np.argwhere((given < 0) | (given >= len(self.positions)))[0][0])
            raise ArgumentError(
                f"{where}: triangle {bad} names vertices {given[bad].tolist()}, the mesh has "
                f"{len(self.positions)}"
            )
        self.triangles = _rows(f"{where}: triangles", given.reshape(-1, 3), 3, np.uint32).astype(
            np.uint32
        )
        finite = np.isfinite(self.positions).all(axis=1)
        if not finite.all():
            raise ArgumentError(
                f"{where}: vertex {int(np.argmin(finite))} is not finite; remove or repair it"
            )
        count = len(self.positions)
        if self.normals is not None:
            self.normals = corner_values(
                f"{where}: normals", self.normals, self.triangles, count, 3
            )
        self.uvs = {
            key: corner_values(f"{where}: UV set '{key}'", uv, self.triangles, count, 2)
            for key, uv in self.uvs.items()
        }
        self.colors = {
            key: corner_values(f"{where}: colour '{key}'", rgb, self.triangles, count, 3)
            for key, rgb in self.colors.items()
        }
        if self.slots is not None:
            self.slots = np.ascontiguousarray(self.slots, np.uint32)
            if self.slots.shape != (len(self.triangles),):
                raise ArgumentError(
                    f"{where}: slots must have shape ({len(self.triangles)},), got "
                    f"{self.slots.shape}"
                )

    def corner_positions(self) -> NDArray[np.float32]:
        """Return the corners of all triangles, shape ``(triangles, 3, 3)``, metres."""
        return self.positions[self.triangles]

    def corner_normals(self) -> NDArray[np.float32]:
        """Return unit normals of all corners, shape ``(triangles, 3, 3)``; flat without normals."""
        if self.normals is not None:
            normals = self.normals
        else:
            corners = self.corner_positions()
            face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            normals = np.repeat(face[:, None, :], 3, axis=1)
        length = np.linalg.norm(normals, axis=-1, keepdims=True)
        return (normals / np.where(length > 0, length, 1)).astype(np.float32)


def _check_terminator(name: str, offset: float) -> None:
    if not 0 <= offset <= 1:
        raise ArgumentError(
            f"Object '{name}': shadow_terminator_geometry_offset must be 0 to 1, got {offset}"
        )


@dataclass(eq=False)
class Object:
    """A mesh in the world. Several objects may share one mesh.

    Args:
        mesh: The mesh.
        materials: One a slot.
        transform: Object to world, shape ``(4, 4)`` or ``(3, 4)``, affine.
        name: What messages and the id pass call it.
        hidden_from: Kinds of ray that pass it as if it were not there: of ``camera``, ``shadow``,
            ``diffuse``, ``glossy`` and ``transmission``, as Blender's ray visibility.
        shadow_terminator_geometry_offset: Blender's Geometry Offset, 0 to 1: where smooth shading
            bends triangles, lights nearer to the edge of their shadow than this (a cosine) light
            them as the curved surface. 0, the default, is exact; Blender's own default is 0.1.
    """

    mesh: Mesh
    materials: Sequence[Material]
    transform: NDArray[np.float64] | None = None
    name: str = field(default="object", kw_only=True)
    hidden_from: Sequence[str] = field(default=(), kw_only=True)
    shadow_terminator_geometry_offset: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        """Check the transform, the slots and the kinds of ray."""
        check_ray_kinds(f"Object '{self.name}'", self.hidden_from)
        _check_terminator(self.name, self.shadow_terminator_geometry_offset)
        matrix = np.eye(4) if self.transform is None else np.asarray(self.transform, np.float64)
        if matrix.shape not in ((4, 4), (3, 4)) or not np.isfinite(matrix).all():
            raise ArgumentError(
                f"Object '{self.name}': transform must be a finite (4, 4) or (3, 4) matrix, "
                f"got shape {matrix.shape}"
            )
        if np.linalg.det(matrix[:3, :3]) == 0:
            raise ArgumentError(
                f"Object '{self.name}': transform flattens the object; give it some extent"
            )
        self.transform = matrix[:3]
        used = 1 + (
            int(self.mesh.slots.max())
            if self.mesh.slots is not None and self.mesh.slots.size
            else 0
        )
        if len(self.materials) < used:
            raise ArgumentError(
                f"Object '{self.name}': mesh '{self.mesh.name}' uses {used} material slots, "
                f"got {len(self.materials)} materials"
            )
