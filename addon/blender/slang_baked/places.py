# SPDX-License-Identifier: GPL-3.0-or-later
"""Where baked groups are shown: materials, their nodes, and the objects that show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy

from weft import ArgumentError

from ..slang_nodes.users import group_nodes, is_editable, remove_group
from .images import remove_unused_image
from .tree import MARK, baked_attributes, baked_images, baked_nodes, free_name, is_baked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True)
class Shown:
    """A node that shows a baked group.

    Args:
        material: In whose tree it stands, at any depth.
        path: Names of the group nodes around it, and its own.
    """

    material: bpy.types.Material
    path: tuple[str, ...]


def baked_groups() -> list[bpy.types.NodeTree]:
    """Return the baked groups of the open file that can be changed."""
    return [group for group in bpy.data.node_groups if is_baked(group) and is_editable(group)]


def place_of(group: bpy.types.NodeTree) -> Shown:
    """Return the one node that shows a group.

    Raises:
        ArgumentError: There is none in a material, or more than one place.
    """
    found = [
        Shown(material, path)
        for material in bpy.data.materials
        if material.node_tree is not None
        for path in _paths(material.node_tree, group)
    ]
    if not found:
        message = f"bake: no material shows '{group.name}': baked nodes stand in materials"
        raise ArgumentError(message)
    if len(found) > 1:
        names = ", ".join(f"'{shown.material.name}'" for shown in found)
        message = (
            f"bake: '{group.name}' stands at {len(found)} places ({names}), each with inputs of "
            "its own: make the groups around it single-user"
        )
        raise ArgumentError(message)
    material = found[0].material
    if not is_editable(group) or material.library is not None:
        message = f"bake: '{material.name}' is linked from another file; make it local first"
        raise ArgumentError(message)
    return found[0]


def _paths(tree: bpy.types.NodeTree, group: bpy.types.NodeTree) -> Iterator[tuple[str, ...]]:
    for node in tree.nodes:
        inner = getattr(node, "node_tree", None)
        if inner == group:
            yield (node.name,)
        elif inner is not None and not is_baked(inner):
            for path in _paths(inner, group):
                yield (node.name, *path)


def separate(group: bpy.types.NodeTree) -> int:
    """Give each node that shows a group one of its own; return how many were made.

    Each has its own inputs, so each has its own images.
    """
    nodes = group_nodes(group)
    for node in nodes[1:]:
        own = group.copy()
        own_lookups(own)
        node.node_tree = own
    return max(len(nodes) - 1, 0)


def own_lookups(group: bpy.types.NodeTree) -> None:
    """Give a copy of a group images and attributes of its own, which hold nothing yet."""
    from .record import PROPERTY

    for number, node in baked_nodes(group).items():
        if node.bl_idname == "ShaderNodeAttribute":
            node.attribute_name = free_name(group, number)
    if PROPERTY in group:
        del group[PROPERTY]


def users_of(material: bpy.types.Material, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the mesh objects that have a material in a slot, those of a scene first.

    An object that several scenes show is there once. Those that only instances of collections show
    count, and those whose modifiers set the material.
    """
    depsgraph = bpy.context.evaluated_depsgraph_get()
    inside = [thing for thing in scene.objects if _has(thing, material, depsgraph)]
    known = set(inside)
    others = [
        thing
        for thing in bpy.data.objects
        if thing not in known
        and _has(thing, material, depsgraph)
        and (thing.users_scene or thing.evaluated_get(depsgraph).is_evaluated)
    ]
    return sorted(inside, key=lambda own: own.name) + sorted(others, key=lambda own: own.name)


def _has(
    thing: bpy.types.Object, material: bpy.types.Material, depsgraph: bpy.types.Depsgraph
) -> bool:
    if thing.type != "MESH":
        return False
    if any(shows(slot, material) for slot in thing.material_slots):
        return True
    if not any(modifier.type == "NODES" for modifier in thing.modifiers):
        return False
    return any(shows(slot, material) for slot in thing.evaluated_get(depsgraph).material_slots)


def shows(slot: bpy.types.MaterialSlot, material: bpy.types.Material) -> bool:
    """Return whether a slot, of an evaluated object perhaps, has a material."""
    return slot.material is not None and slot.material.original == material


def let_go(group: bpy.types.NodeTree) -> None:
    """Remove what was baked for a group: its images and its attributes."""
    names = set(baked_attributes(group).values())
    images = list(baked_images(group).values())
    for node in baked_nodes(group).values():
        if node.bl_idname == "ShaderNodeTexImage":
            node.image = None
    for image in images:
        remove_unused_image(image)
    remove_attributes(names)


def remove_attributes(names: set[str], meshes: Iterable[bpy.types.Mesh] | None = None) -> None:
    """Remove baked attributes from meshes; ``None``: from all of the file."""
    if not names:
        return
    for mesh in bpy.data.meshes if meshes is None else meshes:
        if is_editable(mesh):
            for name in names & set(mesh.attributes.keys()):
                mesh.attributes.remove(mesh.attributes[name])
            if MARK in mesh:
                mark_mesh(mesh, set(str(mesh[MARK]).splitlines()) - names)


def mark_mesh(mesh: bpy.types.Mesh, names: set[str]) -> None:
    """Note which attributes of a mesh were baked, whatever becomes of their groups."""
    if names:
        mesh[MARK] = "\n".join(sorted(names))
    elif MARK in mesh:
        del mesh[MARK]


def sweep() -> int:
    """Remove baked groups that nothing shows any more, and what was baked; return how many."""
    gone = [group for group in baked_groups() if group.users == 0]
    for group in gone:
        let_go(group)
        remove_group(group)
    used = {
        name
        for group in bpy.data.node_groups
        if is_baked(group)
        for name in baked_attributes(group).values()
    }
    for mesh in bpy.data.meshes:
        if MARK in mesh:
            remove_attributes(set(str(mesh[MARK]).splitlines()) - used, [mesh])
    return len(gone)
