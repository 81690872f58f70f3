# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of geometry as arrays, read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft import ArgumentError

from .. import attributes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import bpy
    from numpy.typing import NDArray

    Geometry = bpy.types.Mesh | bpy.types.Curves | bpy.types.PointCloud

MATRIX = "FLOAT4X4"
FIELDS = attributes.FIELDS | {MATRIX: ("value", 16, np.float32)}
"""Of each type of attribute: how its values are called, how many numbers one has, and which."""


_COLLECTIONS = {"EDGE": "edges", "FACE": "polygons", "CORNER": "loops", "CURVE": "curves"}
_ELEMENTS = {"CORNER": "face corners", "FACE": "faces", "CURVE": "splines", "INSTANCE": "instances"}


def count_of(geometry: Geometry, domain: str) -> int:
    """Return how many elements a domain has."""
    points = "vertices" if hasattr(geometry, "vertices") else "points"
    return len(getattr(geometry, _COLLECTIONS.get(domain, points)))


def require_domain(geometries: Sequence[Geometry], domain: str) -> None:
    """Refuse elements that no part of a geometry can have.

    Raises:
        ArgumentError: There are no such.
    """
    name = _COLLECTIONS.get(domain)
    if domain != "INSTANCE" and (not name or any(hasattr(own, name) for own in geometries)):
        return
    elements = _ELEMENTS.get(domain, "edges")
    message = f"its geometry has no {elements}: choose another Domain in the panel"
    raise ArgumentError(message)


def read_attribute(attribute: bpy.types.Attribute) -> NDArray[Any]:
    """Return the values of an attribute whose type is one of `FIELDS`."""
    name, width, dtype = FIELDS[attribute.data_type]
    values = attributes.read_array(attribute.data, name, width, dtype)
    if attribute.data_type == MATRIX:
        # Blender stores columns.
        return values.reshape(-1, 4, 4).transpose(0, 2, 1)
    return values


def write_attribute(
    geometry: Geometry, name: str, kind: str, domain: str, values: NDArray[Any]
) -> None:
    """Write an attribute, which is made, or made anew if it is of another type or domain."""
    attribute = geometry.attributes.get(name)
    if attribute is not None and (attribute.data_type != kind or attribute.domain != domain):
        geometry.attributes.remove(attribute)
        attribute = None
    if attribute is None:
        attribute = geometry.attributes.new(name, kind, domain)
    field, _, _ = FIELDS[kind]
    rows = values.transpose(0, 2, 1) if kind == MATRIX else values
    attribute.data.foreach_set(field, np.ascontiguousarray(rows).reshape(-1))


def remove_attributes(geometry: Geometry, prefix: str, keep: frozenset[str] = frozenset()) -> None:
    """Remove the attributes whose names begin so, but for some."""
    names = [one.name for one in geometry.attributes if one.name.startswith(prefix)]
    for name in set(names) - keep:
        geometry.attributes.remove(geometry.attributes[name])
