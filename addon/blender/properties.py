# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that Attribute nodes read: of objects, of what makes instances, of view layers.

How Blender looks for them was read in its source (object_dupli.cc, GPL-2.0-or-later): a custom
property first, then any other by its path; the first owner that has one counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import bpy

from ..core.graph.model import property_keys

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KINDS = ("OBJECT", "INSTANCER", "VIEW_LAYER")

Values = tuple[float, float, float, float]


def requested() -> set[tuple[str, str]]:
    """Return type and name of all that the Attribute nodes of the file's materials read."""
    return {
        (node.attribute_type, node.attribute_name)
        for tree in _trees()
        for node in tree.nodes
        if node.bl_idname == "ShaderNodeAttribute" and node.attribute_type in KINDS
    }


def _trees() -> Iterator[bpy.types.NodeTree]:
    yield from (entry.node_tree for entry in bpy.data.materials if entry.node_tree)
    yield from (entry for entry in bpy.data.node_groups if entry.bl_idname == "ShaderNodeTree")


def describe(
    wanted: set[tuple[str, str]],
    instance: bpy.types.DepsgraphObjectInstance,
    depsgraph: bpy.types.Depsgraph,
) -> dict[str, tuple[float, ...]]:
    """Return the values for an instance, by keys as of property_keys()."""
    out: dict[str, tuple[float, ...]] = {}
    for kind, name in wanted:
        values = _find(kind, name, instance, depsgraph)
        color, alpha = property_keys(kind, name)
        out |= {color: values[:3], alpha: (values[3],) * 3}
    return out


def _find(
    kind: str,
    name: str,
    instance: bpy.types.DepsgraphObjectInstance,
    depsgraph: bpy.types.Depsgraph,
) -> Values:
    entry = instance.object
    if kind == "VIEW_LAYER":
        scene = depsgraph.scene_eval
        return _first(name, (depsgraph.view_layer_eval, scene, scene.world))
    owners: tuple[bpy.types.ID | None, ...] = (entry, entry.data)
    if kind == "INSTANCER" and instance.is_instance:
        system = instance.particle_system
        made = _of_instance(name, instance)
        if system is None and made is not None:
            return made
        owners = (system.settings if system else None, instance.parent, *owners)
    return _first(name, owners)


UNUSED_ID = 0x7FFFFFFF
"""Fills persistent_id, which has the numbers of an instance from the innermost level outward."""


WITHOUT_GEOMETRY = frozenset(
    {"ARMATURE", "CAMERA", "EMPTY", "LATTICE", "LIGHT", "LIGHT_PROBE", "SPEAKER"}
)
"""Types of objects whose geometry Blender 5.2 refuses to look for."""


def _of_instance(name: str, instance: bpy.types.DepsgraphObjectInstance) -> Values | None:
    """Return an attribute that geometry nodes give an instance; that of the innermost level."""
    parent = instance.parent
    if parent is None or parent.type in WITHOUT_GEOMETRY:
        return None
    if not hasattr(parent, "evaluated_geometry"):
        return None
    found = None
    geometry = parent.evaluated_geometry()  # its point cloud does not outlive it
    for index in reversed([k for k in instance.persistent_id if k != UNUSED_ID]):
        cloud = geometry.instances_pointcloud()
        if cloud is None or index >= len(cloud.points):
            break
        layer = cloud.attributes.get(name)
        found = found if layer is None else _number_of(layer.data[index])
        inner = cloud.attributes[".reference_index"].data[index].value
        geometry = geometry.instance_references()[inner]
        if not hasattr(geometry, "instances_pointcloud"):
            break
    return found


def _number_of(row: bpy.types.bpy_struct) -> Values | None:
    """Return one value of an attribute."""
    fields = (field for field in ("color", "vector", "value") if hasattr(row, field))
    return next((_four(getattr(row, field)) for field in fields), None)


def _first(name: str, owners: Sequence[bpy.types.bpy_struct | None]) -> Values:
    """Return a property of the first owner that has it; 0 if none has."""
    for owner in owners:
        values = None if owner is None else _property(owner, name)
        if values is not None:
            return values
    return (0.0,) * 4


def _property(owner: bpy.types.bpy_struct, name: str) -> Values | None:
    try:
        if name in owner.keys():
            return _four(owner[name])
        return _four(owner.path_resolve(name))
    except (AttributeError, TypeError, ValueError, KeyError):
        return None


def _four(value: object) -> Values | None:
    """Return a value as Cycles has it: one number thrice, and 1 for an alpha that it lacks."""
    if isinstance(value, (bool, int, float)):
        return (float(value),) * 3 + (1.0,)
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        return None
    numbers = [float(number) for number in cast("Sequence[float]", value)]
    if not 1 <= len(numbers) <= 4:
        return None
    x, y, z, w = (*numbers, *(0.0, 0.0, 0.0, 1.0)[len(numbers) :])
    return x, y, z, w
