# SPDX-License-Identifier: GPL-3.0-or-later
"""Combine Bundle and Separate Bundle nodes beside Slang nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import bpy

from ...core.slang_nodes.bundles import ITEM_TYPES
from ..batches import COLUMN, ROW

if TYPE_CHECKING:
    from ...core.slang_nodes.interface import SocketSpec

    Give = Callable[[bpy.types.NodeSocket, SocketSpec, str], None]
    Wanted = Callable[[str], bool]

COMBINE, SEPARATE = "NodeCombineBundle", "NodeSeparateBundle"

MARK = "weft_bundle"
"""ID-property of nodes that Weft added: they go when they feed nothing any more."""


def new_bundle_node(
    tree: bpy.types.NodeTree, kind: str, items: Sequence[SocketSpec], beside: bpy.types.Node
) -> bpy.types.Node:
    """Add a node with the items of a structure, before or behind another."""
    node = tree.nodes.new(kind)
    node[MARK] = True
    for item in items:
        node.bundle_items.new(ITEM_TYPES[item.type], item.label)
    side = -1 if kind == COMBINE else 1
    level = sum(MARK in own for own in tree.nodes) - 1
    node.location = (beside.location[0] + side * COLUMN, beside.location[1] - level * ROW)
    return node


def put_together(
    target: bpy.types.NodeSocket,
    items: Sequence[SocketSpec],
    give: Give,
    is_wanted: Wanted,
    prefix: str = "",
) -> None:
    """Add what makes the bundle that an input takes, and the bundles in it.

    Args:
        target: The input.
        items: Of the structure.
        give: Called with the input, the item and its path, for items that are not made here.
        is_wanted: Whether a bundle at a path is made; others keep their values by default.
        prefix: Of the paths of items: the path of the structure, and a dot.
    """
    tree = target.id_data
    node = new_bundle_node(tree, COMBINE, items, target.node)
    tree.links.new(node.outputs[0], target)
    for socket, item in zip(list(node.inputs), items, strict=False):
        path = prefix + item.name
        if item.items and is_wanted(path):
            put_together(socket, item.items, give, is_wanted, f"{path}.")
            continue
        if item.default is not None and hasattr(socket, "default_value"):
            socket.default_value = item.shown(item.default)
        give(socket, item, path)


def take_apart(
    output: bpy.types.NodeSocket,
    items: Sequence[SocketSpec],
    is_wanted: Wanted,
    prefix: str = "",
) -> dict[str, bpy.types.NodeSocket]:
    """Add what takes a bundle apart, and those in it that are wanted; return outputs by path."""
    tree = output.id_data
    node = new_bundle_node(tree, SEPARATE, items, output.node)
    tree.links.new(output, node.inputs[0])
    found = {}
    for socket, item in zip(list(node.outputs), items, strict=False):
        path = prefix + item.name
        if not item.items:
            found[path] = socket
        elif is_wanted(path):
            found.update(take_apart(socket, item.items, is_wanted, f"{path}."))
    return found


def remove_unused_node(node: bpy.types.Node | None) -> None:
    """Remove a node that Weft added if nothing takes what it gives, and those of the same bundle.

    Args:
        node: One that puts a bundle together, or takes it apart; others stay.
    """
    if node is None or MARK not in node:
        return
    if node.bl_idname == SEPARATE:
        for inner in [link.to_node for output in node.outputs for link in output.links]:
            if inner.bl_idname == SEPARATE:
                remove_unused_node(inner)
    if any(socket.is_linked for socket in node.outputs):
        return
    before = [socket.links[0].from_node for socket in node.inputs if socket.is_linked]
    node.id_data.nodes.remove(node)
    for own in before:
        if own.bl_idname == COMBINE:
            remove_unused_node(own)
