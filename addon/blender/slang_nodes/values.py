# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes and modifiers hold in their inputs, while a group's sockets change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...core.slang_nodes.bundles import BUNDLE
from .users import group_nodes, modifiers

if TYPE_CHECKING:
    from ...core.slang_nodes.matching import Matching

    Noted = list[tuple[Any, str, Any]]
    """(Node or modifier, identifier of the socket, value)."""

HOLDERS_OF_OTHERS = frozenset(
    (
        *("NodeSocketImage", "NodeSocketMatrix", "NodeSocketString", "NodeSocketObject"),
        *("NodeSocketGeometry", BUNDLE),
    )
)
"""Sockets of these types hold nothing that others could."""


def changed_values(tree: bpy.types.NodeTree, inputs: Matching) -> Noted:
    """Note what sockets hold that get another type or other cases, as they shall hold it then."""
    noted: Noted = []
    changed = {
        match.old.identifier: match
        for match in inputs.sockets
        if match.old
        and match.has_other_values
        and HOLDERS_OF_OTHERS.isdisjoint((match.old.type, match.spec.type))
    }
    if not changed:
        return noted
    for node in group_nodes(tree):
        for socket in node.inputs:
            match = changed.get(socket.identifier)
            if match is not None and hasattr(socket, "default_value"):
                value = match.converted(_plain(socket.default_value))
                noted.append((node, socket.identifier, value))
    for modifier in modifiers(tree):
        for identifier, match in changed.items():
            value = modifier_value(modifier, identifier)
            if value is not None:
                noted.append((modifier, identifier, match.converted(value)))
    return noted


def new_values(
    users: list[bpy.types.Node],
    entries: list[bpy.types.NodeTreeInterfaceSocket],
    inputs: Matching,
) -> Noted:
    """Return what sockets hold that nodes have only now: the interface's value came too late."""
    return [
        (node, item.identifier, match.spec.shown(match.spec.default))
        for item, match in zip(entries, inputs.sockets, strict=True)
        if match.old is None and match.spec.default is not None
        for node in users
    ]


def set_values(noted: Noted) -> None:
    """Set values that were noted."""
    for owner, identifier, value in noted:
        if isinstance(owner, bpy.types.Modifier):
            set_modifier_value(owner, identifier, value)
            continue
        for socket in owner.inputs:
            if socket.identifier == identifier and hasattr(socket, "default_value"):
                set_value(socket, value)


def set_value(
    socket: bpy.types.NodeSocket | bpy.types.NodeTreeInterfaceSocket,
    value: Any,  # noqa: ANN401
) -> None:
    """Set a value; a menu that feeds nothing has no items, and shows none."""
    try:
        socket.default_value = value
    except TypeError:
        if not isinstance(value, str):
            raise


def _plain(value: Any) -> Any:  # noqa: ANN401
    is_list = hasattr(value, "__len__") and not isinstance(value, str)
    return tuple(value) if is_list else value


def modifier_value(modifier: bpy.types.Modifier, identifier: str) -> Any:  # noqa: ANN401
    """Return what a modifier gives to an input of its group; ``None``: nothing of its own."""
    inputs = getattr(getattr(modifier, "properties", None), "inputs", None)
    if inputs is not None:
        entry = getattr(inputs, identifier, None)
        return None if entry is None else _plain(getattr(entry, "value", None))
    value = modifier.get(identifier)
    if value is None:
        return None
    items = _menu_items(modifier, identifier)
    return items[value] if items and value in range(len(items)) else _plain(value)


def set_modifier_value(modifier: bpy.types.Modifier, identifier: str, value: Any) -> None:  # noqa: ANN401
    """Set it."""
    inputs = getattr(getattr(modifier, "properties", None), "inputs", None)
    if inputs is not None:
        getattr(inputs, identifier).value = value
        return
    items = _menu_items(modifier, identifier)
    modifier[identifier] = items.index(value) if items and value in items else value


def _menu_items(modifier: bpy.types.Modifier, identifier: str) -> list[str]:
    """Return what a menu of a modifier offers, whose place Blender 4.5 keeps; else nothing."""
    group = modifier.node_group
    entries = [node for node in group.nodes if node.bl_idname == "NodeGroupInput"]
    for entry in entries:
        for output in entry.outputs:
            if output.identifier == identifier and output.type == "MENU":
                return _items_at(output)
    return []


def _items_at(output: bpy.types.NodeSocket) -> list[str]:
    """Return the items of the Menu Switch that a menu leads to, through groups of parts."""
    for link in output.links:
        node = link.to_node
        if hasattr(node, "enum_items"):
            return [item.name for item in node.enum_items]
        inner = getattr(node, "node_tree", None)
        for entry in () if inner is None else inner.nodes:
            if entry.bl_idname != "NodeGroupInput":
                continue
            for own in entry.outputs:
                if own.identifier == link.to_socket.identifier:
                    return _items_at(own)
    return []
