# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated meshes as arrays, and as meshes of `weft.scene`."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import weft

from ..core.triangles import triangulate

if TYPE_CHECKING:
    import bpy
    from numpy.typing import NDArray


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
        attributes: Other attributes by name, shape ``(corners, 3)`` or ``(vertices, 3)``.
    """

    positions: NDArray[np.float32]
    corner_vertices: NDArray[np.int32]
    offsets: NDArray[np.int32]
    normals: NDArray[np.float32] | None = None
    slots: NDArray[np.int32] | None = None
    uvs: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    attributes: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def digest(self) -> bytes:
        """Return 16 bytes that differ where the contents differ."""
        digest = hashlib.blake2b(digest_size=16)
        arrays = {"p": self.positions, "c": self.corner_vertices, "o": self.offsets}
        arrays |= {} if self.normals is None else {"n": self.normals}
        arrays |= {} if self.slots is None else {"s": self.slots}
        arrays |= {f"u {name}": values for name, values in self.uvs.items()}
        arrays |= {f"a {name}": values for name, values in self.attributes.items()}
        for name, values in arrays.items():
            digest.update(f"{name} {values.shape} ".encode())
            digest.update(np.ascontiguousarray(values).data)
        return digest.digest()


def read_array(
    collection: bpy.types.bpy_prop_collection,
    name: str,
    width: int,
    dtype: type[np.generic] = np.float32,
) -> NDArray[Any]:
    """Return a property of all elements of a collection, shape ``(n,)`` or ``(n, width)``."""
    values = np.empty(len(collection) * width, dtype)
    collection.foreach_get(name, values)
    return values.reshape(-1, width) if width > 1 else values


def read_mesh(mesh: bpy.types.Mesh, uv_maps: list[str], attributes: list[str]) -> MeshData:
    """Read a mesh.

    Args:
        mesh: An evaluated mesh.
        uv_maps: Names of the UV maps that materials ask for; "" is the active one. Maps that the
            mesh lacks are zero.
        attributes: Names of the attributes that materials ask for; zero where they are missing.
    """
    layers = mesh.attributes
    data = MeshData(
        read_array(layers["position"].data, "vector", 3),
        read_array(layers[".corner_vert"].data, "value", 1, np.int32)
        if ".corner_vert" in layers
        else np.zeros(0, np.int32),
        read_array(mesh.polygons, "loop_start", 1, np.int32),
        _normals(mesh),
    )
    slots = layers.get("material_index")
    if slots is not None and slots.domain == "FACE":
        data.slots = read_array(slots.data, "value", 1, np.int32)
    for name in uv_maps:
        data.uvs[name] = _uv_map(mesh, name)
    return data


def _normals(mesh: bpy.types.Mesh) -> NDArray[np.float32] | None:
    """Return shading normals where the mesh has others than those of its faces."""
    if mesh.normals_domain == "FACE" or not mesh.polygons:
        return None
    if mesh.normals_domain == "POINT":
        return read_array(mesh.vertex_normals, "vector", 3)
    return read_array(mesh.corner_normals, "vector", 3)


def _uv_map(mesh: bpy.types.Mesh, name: str) -> NDArray[np.float32]:
    """Return a UV map at corners, zero where there is none."""
    layers = mesh.uv_layers
    layer = next((entry for entry in layers if entry.active_render), None)
    if name:
        layer = layers.get(name)
    if layer is None:
        return np.zeros((len(mesh.loops), 2), np.float32)
    return read_array(layer.uv, "vector", 2)


def build_mesh(name: str, mesh: bpy.types.Mesh, data: MeshData) -> weft.scene.Mesh | None:
    """Return triangles; ``None`` if the mesh has no faces."""

    def cut_polygons(triangles: NDArray[np.int64]) -> NDArray[np.int32]:
        mesh.calc_loop_triangles()
        if len(triangles) < len(mesh.loop_triangles) // 64:
            return np.array([mesh.loop_triangles[i].loops[:] for i in triangles.tolist()], np.int32)
        return read_array(mesh.loop_triangles, "loops", 3, np.int32)[triangles]

    corners, polygons = triangulate(
        data.positions, data.corner_vertices, data.offsets, cut_polygons
    )
    if not len(corners):
        return None
    vertices = data.corner_vertices

    def at_corners(values: NDArray[np.float32]) -> NDArray[np.float32]:
        return values[corners] if len(values) == len(vertices) else values[vertices[corners]]

    return weft.scene.Mesh(
        data.positions,
        vertices[corners],
        None if data.normals is None else at_corners(data.normals),
        {key: uv[corners] for key, uv in data.uvs.items()},
        {key: at_corners(values) for key, values in data.attributes.items()},
        None if data.slots is None else np.maximum(data.slots, 0)[polygons],
        name=name,
    )
