# SPDX-License-Identifier: GPL-3.0-or-later
"""What materials ask of a mesh: UV maps, attributes, coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft import ArgumentError

from ..core.mesh_shape import island_numbers, pointiness
from .versions import normals_end_at_flat_faces

if TYPE_CHECKING:
    import bpy
    from numpy.typing import NDArray

    from ..core.graph.compile import AttributeRequest
    from .instances import ObjectInstance

FIELDS: dict[str, tuple[str, int, type[np.generic]]] = {
    "FLOAT": ("value", 1, np.float32),
    "INT": ("value", 1, np.int32),
    "INT8": ("value", 1, np.int32),
    "BOOLEAN": ("value", 1, np.bool_),
    "FLOAT2": ("vector", 2, np.float32),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "FLOAT_COLOR": ("color", 4, np.float32),
    "BYTE_COLOR": ("color", 4, np.float32),
}
"""Of each type of attribute: how its values are called, how many numbers one has, and which."""


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


def uv_map(mesh: bpy.types.Mesh, name: str) -> NDArray[np.float32]:
    """Return a UV map, shape ``(corners, 2)``, zero where there is none; "" is the active one."""
    layers = mesh.uv_layers
    active = next((entry for entry in layers if entry.active_render), None)
    layer = layers.get(name) if name else active
    if layer is None:
        return np.zeros((len(mesh.loops), 2), np.float32)
    return read_array(layer.uv, "vector", 2)


Rows = tuple[str, "NDArray[np.float32]"]
"""Where values stand, ``POINT``, ``CORNER`` or ``FACE``, and one row of three for each of these."""


def read_request(mesh: bpy.types.Mesh, request: AttributeRequest, instance: ObjectInstance) -> Rows:
    """Return what a material reads of a mesh.

    Args:
        mesh: Evaluated.
        request: A named attribute, coordinates, normals, or something of the object.
        instance: The object.

    Raises:
        ArgumentError: There is no such kind of request.
    """
    if request.kind == "object":
        return "POINT", read_array(mesh.attributes["position"].data, "vector", 3)
    if request.kind == "generated":
        return "POINT", generated(mesh, instance.undeformed)
    if request.kind == "normal":
        normals = read_normals(mesh)
        if normals is None:
            return "FACE", read_array(mesh.polygon_normals, "vector", 3)
        return ("POINT" if len(normals) == len(mesh.vertices) else "CORNER"), normals
    if request.kind == "shape":
        return _shape(mesh, request.name)
    if request.kind == "object_info":
        value = instance.info.get(request.name, (0.0,) * 3)
        return "POINT", np.broadcast_to(np.float32(value), (len(mesh.vertices), 3))
    if request.kind not in ("color", "alpha"):
        raise ArgumentError(f"read_request: a mesh has no '{request.kind}'")
    found = named_attribute(mesh, request.name, request.kind == "alpha")
    return found or ("POINT", np.zeros((len(mesh.vertices), 3), np.float32))


def _shape(mesh: bpy.types.Mesh, name: str) -> Rows:
    """Return ``Pointiness`` or ``Random Per Island`` at the vertices."""
    edges = read_array(mesh.edges, "vertices", 2, np.int32)
    if name == "Pointiness":
        positions = read_array(mesh.attributes["position"].data, "vector", 3)
        values = pointiness(positions, read_array(mesh.vertex_normals, "vector", 3), edges)
    else:
        values = island_numbers(len(mesh.vertices), edges)
    return "POINT", np.repeat(values[:, None], 3, axis=1)


def read_normals(mesh: bpy.types.Mesh) -> NDArray[np.float32] | None:
    """Return shading normals, at vertices or at corners; ``None``: those of the faces."""
    if not mesh.polygons:
        return None
    domain = mesh.normals_domain
    if domain == "FACE":
        # Where all edges are sharp but no face is, Cycles' normals are not those of faces.
        flat = mesh.attributes.get("sharp_face")
        if flat is not None and read_array(flat.data, "value", 1, np.bool_).any():
            return None
    if domain in ("FACE", "POINT"):
        return read_array(mesh.vertex_normals, "vector", 3)
    if normals_end_at_flat_faces() or mesh.has_custom_normals or _has_sharp_edge(mesh):
        return read_array(mesh.corner_normals, "vector", 3)
    return _normals_beside_flat_faces(mesh)


def _has_sharp_edge(mesh: bpy.types.Mesh) -> bool:
    edges = mesh.attributes.get("sharp_edge")
    return edges is not None and bool(read_array(edges.data, "value", 1, np.bool_).any())


def _normals_beside_flat_faces(mesh: bpy.types.Mesh) -> NDArray[np.float32]:
    """Return normals at corners where only some faces are flat: smooth ones take the vertices'.

    Blender's own normals at corners end at flat faces; Cycles' smooth faces lean towards them,
    up to Blender 5.1.
    """
    corners = read_array(mesh.vertex_normals, "vector", 3)[
        read_array(mesh.loops, "vertex_index", 1, np.int32)
    ]
    flat = read_array(mesh.attributes["sharp_face"].data, "value", 1, np.bool_)
    counts = read_array(mesh.polygons, "loop_total", 1, np.int32)
    faces = read_array(mesh.polygon_normals, "vector", 3)
    of_face = np.repeat(np.arange(len(counts)), counts)
    return np.where(flat[of_face, None], faces[of_face], corners)


def generated(mesh: bpy.types.Mesh, undeformed: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """Return generated coordinates, shape ``(vertices, 3)``: 0 to 1 across the texture space.

    As Cycles computes them: from positions before deforming modifiers.
    """
    if undeformed is None:
        undeformed = read_array(mesh.vertices, "undeformed_co", 3)
    centre = np.array(mesh.texspace_location, np.float32)
    extent = np.array(mesh.texspace_size, np.float32)
    return (undeformed - centre) / (2 * np.where(extent == 0, 0.5, extent)) + 0.5


def named_attribute(mesh: bpy.types.Mesh, name: str, wants_alpha: bool = False) -> Rows | None:
    """Return a mesh's attribute as three numbers, with its place; ``None``: there is none.

    One number is repeated, as Cycles' Attribute node does. "" is the active colour attribute.

    Args:
        mesh: Evaluated.
        name: Of the attribute.
        wants_alpha: Return the alpha of colours instead, 1 for what has none.
    """
    if not name and mesh.color_attributes:
        index = max(mesh.color_attributes.render_color_index, 0)
        name = mesh.color_attributes[index].name
    layer = mesh.attributes.get(name)
    if layer is None or layer.data_type not in FIELDS or layer.domain == "EDGE":
        return None
    field, width, dtype = FIELDS[layer.data_type]
    values = read_array(layer.data, field, width, dtype)
    rows = values.reshape(-1, width).astype(np.float32)
    if wants_alpha:
        rows = rows[:, 3:] if width == 4 else np.ones((len(rows), 1), np.float32)
    if rows.shape[1] == 1:
        rows = np.repeat(rows, 3, axis=1)
    if rows.shape[1] == 2:
        rows = np.column_stack([rows, np.zeros(len(rows), np.float32)])
    return layer.domain, np.ascontiguousarray(rows[:, :3])
