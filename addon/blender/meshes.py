# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated meshes as arrays, and as meshes of `weft.scene`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import weft

from ..core.triangles import triangulate
from .attributes import read_array, read_normals, read_request, uv_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    import bpy
    from numpy.typing import NDArray

    from ..core.graph.compile import AttributeRequest
    from .instances import ObjectInstance


@dataclass
class MeshData:
    """What is read of a mesh before it is cut into triangles.

    Args:
        positions: Shape ``(vertices, 3)``, metres.
        corner_vertices: Shape ``(corners,)``.
        offsets: First corner of each polygon, shape ``(polygons,)``.
        normals: At vertices or at corners, shape ``(n, 3)``; ``None``: flat.
        slots: Material of each polygon; ``None``: the first.
        uvs: UV maps by name, shape ``(corners, 2)``.
        attributes: Others by name, shape ``(n, 3)``, at vertices, corners or polygons.
    """

    positions: NDArray[np.float32]
    corner_vertices: NDArray[np.int32]
    offsets: NDArray[np.int32]
    normals: NDArray[np.float32] | None = None
    slots: NDArray[np.int32] | None = None
    uvs: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    attributes: dict[str, tuple[str, NDArray[np.float32]]] = field(default_factory=dict)

    def digest(self) -> bytes:
        """Return 16 bytes that differ where the contents differ."""
        digest = hashlib.blake2b(digest_size=16)
        arrays: dict[str, NDArray[Any] | None] = {
            "positions": self.positions,
            "corners": self.corner_vertices,
            "offsets": self.offsets,
            "normals": self.normals,
            "slots": self.slots,
        }
        arrays |= {f"uv {name}": values for name, values in self.uvs.items()}
        arrays |= {f"{place} {name}": rows for name, (place, rows) in self.attributes.items()}
        for name, values in arrays.items():
            if values is not None:
                digest.update(f"{name} {values.shape} ".encode())
                digest.update(np.ascontiguousarray(values).data)
        return digest.digest()


def read_mesh(instance: ObjectInstance, requests: Sequence[AttributeRequest]) -> MeshData:
    """Read a mesh.

    Args:
        instance: An object that holds an evaluated mesh.
        requests: UV maps and attributes that materials ask for, in the order of their numbers; zero
            where the mesh lacks them.
    """
    mesh = instance.data
    layers = mesh.attributes
    data = MeshData(
        read_array(layers["position"].data, "vector", 3)
        if mesh.vertices
        else np.zeros((0, 3), np.float32),
        read_array(layers[".corner_vert"].data, "value", 1, np.int32)
        if mesh.polygons
        else np.zeros(0, np.int32),
        read_array(mesh.polygons, "loop_start", 1, np.int32),
        read_normals(mesh),
    )
    slots = layers.get("material_index")
    if slots is not None and slots.domain == "FACE" and slots.data_type == "INT":
        data.slots = np.maximum(read_array(slots.data, "value", 1, np.int32), 0)
    for request in requests:
        key = f"{request.kind} {request.name}"
        if request.kind == "uv":
            data.uvs[key] = uv_map(mesh, request.name)
        else:
            data.attributes[key] = read_request(mesh, request, instance)
    return data


def cut(mesh: bpy.types.Mesh, data: MeshData) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the corners of the triangles of a mesh, shape ``(n, 3)``, and their polygons."""

    def cut_polygons(triangles: NDArray[np.int64]) -> NDArray[np.int32]:
        mesh.calc_loop_triangles()
        if len(triangles) < len(mesh.loop_triangles) // 64:
            return np.array([mesh.loop_triangles[i].loops[:] for i in triangles.tolist()], np.int32)
        return read_array(mesh.loop_triangles, "loops", 3, np.int32)[triangles]

    return triangulate(data.positions, data.corner_vertices, data.offsets, cut_polygons)


def build_mesh(name: str, mesh: bpy.types.Mesh, data: MeshData) -> weft.scene.Mesh | None:
    """Return triangles; ``None`` if the mesh has no faces."""
    corners, polygons = cut(mesh, data)
    if not len(corners):
        return None
    vertices = data.corner_vertices[corners]
    places = {"POINT": vertices, "CORNER": corners, "FACE": np.repeat(polygons, 3).reshape(-1, 3)}
    normals = data.normals
    if normals is not None and len(normals) != len(data.positions):
        normals = normals[corners]
    return weft.scene.Mesh(
        data.positions,
        vertices,
        normals,
        {key: uv[corners] for key, uv in data.uvs.items()},
        {key: rows[places[place]] for key, (place, rows) in data.attributes.items()},
        None if data.slots is None else data.slots[polygons],
        name=name,
    )
