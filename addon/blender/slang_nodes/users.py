# SPDX-License-Identifier: GPL-3.0-or-later
"""Who uses a node group: group nodes of all trees, and modifiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import bpy

from ..lowered_groups import PART_MARK
from ..versions import scene_tree

NODE_TYPES = {
    "ShaderNodeTree": "ShaderNodeGroup",
    "GeometryNodeTree": "GeometryNodeGroup",
    "CompositorNodeTree": "CompositorNodeGroup",
}
if TYPE_CHECKING:
    Owner = bpy.types.ID


def all_trees() -> Iterator[tuple[Owner, bpy.types.NodeTree]]:
    """Return all node trees, each with the ID that people know it by."""
    for group in bpy.data.node_groups:
        yield group, group
    for owners in (bpy.data.materials, bpy.data.worlds, bpy.data.lights, bpy.data.linestyles):
        for owner in owners:
            if owner.node_tree is not None:
                yield owner, owner.node_tree
    for scene in bpy.data.scenes:
        tree = scene_tree(scene)
        if tree is not None and tree.is_embedded_data:
            yield scene, tree


def owner_of(tree: bpy.types.NodeTree) -> Owner:
    """Return the ID that people know a tree by."""
    return next((owner for owner, own in all_trees() if own == tree), tree)


def group_nodes(tree: bpy.types.NodeTree) -> list[bpy.types.Node]:
    """Return the nodes that show a group."""
    return [
        node
        for _, outer in all_trees()
        if outer.bl_idname == tree.bl_idname
        for node in outer.nodes
        if getattr(node, "node_tree", None) == tree
    ]


def modifiers(tree: bpy.types.NodeTree) -> list[bpy.types.Modifier]:
    """Return the modifiers that are a group of geometry nodes."""
    if tree.bl_idname != "GeometryNodeTree":
        return []
    return [
        modifier
        for thing in bpy.data.objects
        for modifier in thing.modifiers
        if modifier.type == "NODES" and modifier.node_group == tree
    ]


def is_editable(own: bpy.types.ID) -> bool:
    """Return whether changes of an ID stay: it is neither linked nor packed from a library."""
    return own.library is None and bool(getattr(own, "is_editable", True))


def remove_group(tree: bpy.types.NodeTree) -> None:
    """Remove a group, and those of its parts that nothing else uses."""
    parts = {getattr(node, "node_tree", None) for node in tree.nodes} - {None}
    bpy.data.node_groups.remove(tree)
    for part in parts:
        if part.users == 0 and PART_MARK in part:
            bpy.data.node_groups.remove(part)
