# SPDX-License-Identifier: GPL-3.0-or-later
"""What materials ask of a mesh: UV maps, attributes, coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import bpy
    from numpy.typing import NDArray

    from ..core.graph.compile import AttributeRequest

_FIELDS = {
    "FLOAT": ("value", 1),
    "INT": ("value", 1),
    "INT8": ("value", 1),
    "BOOLEAN": ("value", 1),
    "FLOAT2": ("vector", 2),
    "FLOAT_VECTOR": ("vector", 3),
    "FLOAT_COLOR": ("color", 4),
    "BYTE_COLOR": ("color", 4),
}
"""How the values of a type of attribute are called, and how many numbers one has."""

_TYPES: dict[str, type[np.generic]] = {"INT": np.int32, "INT8": np.int32, "BOOLEAN": np.bool_}


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


def read_request(
    mesh: bpy.types.Mesh,
    request: AttributeRequest,
    positions: NDArray[np.float32],
    undeformed: NDArray[np.float32] | None,
) -> tuple[str, NDArray[np.float32]]:
    """Return where an attribute's values stand, and the values, shape ``(n, 3)``.

    Args:
        mesh: An evaluated mesh.
        request: A named attribute, or coordinates.
        positions: Of the vertices.
        undeformed: The same before deforming modifiers, if the mesh does not know them.

    Returns:
        ``POINT``, ``CORNER`` or ``FACE``, and one row for each of these.
    """
    if request.kind == "object":
        return "POINT", positions
    if request.kind == "generated":
        return "POINT", generated(mesh, undeformed)
    found = named_attribute(mesh, request.name)
    return found or ("POINT", np.zeros((len(positions), 3), np.float32))


def generated(mesh: bpy.types.Mesh, undeformed: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """Return generated coordinates, shape ``(vertices, 3)``: 0 to 1 across the texture space.

    As Cycles computes them: from positions before deforming modifiers.
    """
    if undeformed is None:
        undeformed = read_array(mesh.vertices, "undeformed_co", 3)
    centre = np.array(mesh.texspace_location, np.float32)
    extent = np.array(mesh.texspace_size, np.float32)
    return (undeformed - centre) / (2 * np.where(extent == 0, 0.5, extent)) + 0.5


def named_attribute(mesh: bpy.types.Mesh, name: str) -> tuple[str, NDArray[np.float32]] | None:
    """Return a mesh's attribute as three numbers, with its place; ``None``: there is none.

    One number is repeated, as Cycles' Attribute node does. "" is the active colour attribute.
    """
    if not name and mesh.color_attributes:
        index = max(mesh.color_attributes.render_color_index, 0)
        name = mesh.color_attributes[index].name
    layer = mesh.attributes.get(name)
    if layer is None or layer.data_type not in _FIELDS or layer.domain == "EDGE":
        return None
    field, width = _FIELDS[layer.data_type]
    values = read_array(layer.data, field, width, _TYPES.get(layer.data_type, np.float32))
    rows = values.reshape(-1, width).astype(np.float32)
    if width == 1:
        rows = np.repeat(rows, 3, axis=1)
    if width == 2:
        rows = np.column_stack([rows, np.zeros(len(rows), np.float32)])
    return layer.domain, np.ascontiguousarray(rows[:, :3])
