# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes whose sockets are listed: repeat zones, bundles, and what picks one of many numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.slang_nodes.bundles import item_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import bpy

_ENDS = ("GeometryNodeRepeatInput", "GeometryNodeRepeatOutput")


def new_zone(group: bpy.types.NodeTree, items: Sequence[str]) -> list[bpy.types.Node]:
    """Add the first and the last node of a repeat zone.

    Args:
        group: Where.
        items: Types of what rounds hand on: ``"FLOAT"``, ``"INT"``, ...
    """
    first, last = (group.nodes.new(kind) for kind in _ENDS)
    first.pair_with_output(last)
    last.repeat_items.clear()
    for number, kind in enumerate(items):
        last.repeat_items.new(kind, str(number))
    return [first, last]


def add_items(node: bpy.types.Node, inputs: Mapping[str, Any]) -> None:
    """Give an Index Switch as many items as its inputs name."""
    if node.bl_idname == "GeometryNodeIndexSwitch":
        for _ in range(len(inputs) - 1 - len(node.index_switch_items)):
            node.index_switch_items.new()


def add_bundle_items(node: bpy.types.Node, names: Sequence[str], types: Sequence[str]) -> None:
    """Give a new node its items, whose sockets are then called Item_0, Item_1, ..."""
    for label, kind in zip(item_labels(names), types, strict=True):
        node.bundle_items.new(kind, label)


def by_identifier(
    node: bpy.types.Node, sockets: Iterable[bpy.types.NodeSocket]
) -> dict[str, bpy.types.NodeSocket]:
    """Return sockets as descriptions name them: those of zones by the numbers of their items.

    The one input of a Join Bundle is there twice: what is linked later wins.
    """
    if node.bl_idname == "NodeJoinBundle":
        return {name: socket for socket in sockets for name in ("Defaults", "Bundle")}
    is_zone = node.bl_idname in _ENDS
    return {
        socket.name if is_zone else socket.identifier: socket
        for socket in sockets
        if socket.enabled
    }
