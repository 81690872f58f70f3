# SPDX-License-Identifier: GPL-3.0-or-later
"""What modifiers, or group nodes, hold in the inputs of a group, in each layout of Blender's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

if TYPE_CHECKING:
    Holder = bpy.types.Modifier | bpy.types.Node


@dataclass(frozen=True)
class SocketValue:
    """What a modifier gives to an input.

    Args:
        value: One for all elements; ``None``: nothing of its own.
        attribute: The name of the attribute that it takes instead; ``None``: it takes the value.
    """

    value: Any = None
    attribute: str | None = None


def socket_value(modifier: Holder, identifier: str) -> SocketValue:
    """Return what a modifier or a node gives to an input; nothing where a link does."""
    if isinstance(modifier, bpy.types.Node):
        socket = _socket(modifier, identifier)
        is_open = socket is not None and not socket.is_linked
        return SocketValue(_plain(getattr(socket, "default_value", None)) if is_open else None)
    inputs = _entries(modifier, "inputs")
    if inputs is not None:
        entry = getattr(inputs, identifier, None)
        if entry is None or entry.type == "FALLBACK":
            return SocketValue()
        if entry.type == "ATTRIBUTE":
            return SocketValue(attribute=entry.attribute_name)
        return SocketValue(_plain(getattr(entry, "value", None)))
    if modifier.get(f"{identifier}_use_attribute"):
        return SocketValue(attribute=str(modifier.get(f"{identifier}_attribute_name", "")))
    return SocketValue(_plain(modifier.get(identifier)))


def hold(modifier: Holder, identifier: str, value: Any) -> None:  # noqa: ANN401
    """Let a modifier or a node give a value to an input."""
    if isinstance(modifier, bpy.types.Node):
        socket = _socket(modifier, identifier)
        if socket is not None:
            socket.default_value = value
        return
    inputs = _entries(modifier, "inputs")
    if inputs is not None:
        getattr(inputs, identifier).value = value
        return
    modifier[identifier] = value
    name = f"{identifier}_use_attribute"
    if modifier.get(name):
        modifier[name] = False


def hold_attribute(modifier: bpy.types.Modifier, identifier: str, name: str) -> None:
    """Let a modifier give an attribute to an input."""
    inputs = _entries(modifier, "inputs")
    if inputs is not None:
        entry = getattr(inputs, identifier)
        entry.type, entry.attribute_name = "ATTRIBUTE", name
        return
    modifier[f"{identifier}_use_attribute"] = True
    modifier[f"{identifier}_attribute_name"] = name


def name_output(modifier: bpy.types.Modifier, identifier: str, name: str) -> None:
    """Let a modifier store an output as an attribute; ``""``: it does not."""
    outputs = _entries(modifier, "outputs")
    if outputs is not None:
        getattr(outputs, identifier).attribute_name = name
    else:
        modifier[f"{identifier}_attribute_name"] = name


def named_outputs(modifier: bpy.types.Modifier) -> frozenset[str]:
    """Return the attributes that a modifier stores its group's outputs as."""
    outputs = _entries(modifier, "outputs")
    identifiers = [
        entry.identifier
        for entry in modifier.node_group.interface.items_tree
        if entry.item_type == "SOCKET" and entry.in_out == "OUTPUT"
    ]
    if outputs is not None:
        found = [
            getattr(getattr(outputs, name, None), "attribute_name", "") for name in identifiers
        ]
    else:
        found = [modifier.get(f"{name}_attribute_name", "") for name in identifiers]
    return frozenset(str(name) for name in found if name)


def relate(modifier: Holder) -> None:
    """Let Blender see on which objects a modifier depends: an input that is set tells none."""
    if isinstance(modifier, bpy.types.Node):
        return  # whose inputs tell
    modifier.node_group = modifier.node_group


def _entries(modifier: bpy.types.Modifier, way: str) -> Any:  # noqa: ANN401
    """Return a modifier's inputs or outputs; ``None``: ID-properties, before Blender 5.2."""
    return getattr(getattr(modifier, "properties", None), way, None)


def _socket(node: bpy.types.Node, identifier: str) -> bpy.types.NodeSocket | None:
    return next((own for own in node.inputs if own.identifier == identifier), None)


def _plain(value: Any) -> Any:  # noqa: ANN401
    is_list = hasattr(value, "__len__") and not isinstance(value, str)
    return tuple(value) if is_list else value
