# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers and places of many nodes in one call.

Each that is set alone makes Blender look at the whole tree, which takes as long as to add a node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import bpy

    Source = float | bool | str | Mapping[str, Any]

COLUMN, ROW = 180, 160
"""Distances of nodes in the editor."""

ALIKE = frozenset({"ShaderNodeMath"})
"""Nodes whose inputs are all numbers."""


def place_nodes(group: bpy.types.NodeTree, places: Mapping[str, tuple[float, float]]) -> None:
    """Give nodes their places in the editor, by name; others stay where they are."""
    numbers = [0.0] * (2 * len(group.nodes))
    group.nodes.foreach_get("location", numbers)
    for k, node in enumerate(group.nodes):
        numbers[2 * k : 2 * k + 2] = places.get(node.name, numbers[2 * k : 2 * k + 2])
    group.nodes.foreach_set("location", numbers)


def set_property(node: bpy.types.Node, name: str, value: Any) -> None:  # noqa: ANN401
    """Set a property that is not that already."""
    if getattr(node, name) != value:
        setattr(node, name, value)


def set_numbers(
    node: bpy.types.Node, inputs: Mapping[str, Source], is_open: Callable[[str], bool]
) -> Mapping[str, Source]:
    """Set the numbers among a node's inputs, if they can be set at once.

    Args:
        node: It is new.
        inputs: By the sockets' identifiers.
        is_open: Whether an input is left alone.

    Returns:
        What is still to be fed.
    """
    if node.bl_idname not in ALIKE or not any(
        not isinstance(source, dict) for source in inputs.values()
    ):
        return inputs
    values = [0.0] * len(node.inputs)
    node.inputs.foreach_get("default_value", values)
    rest = {}
    for place, socket in enumerate(node.inputs):
        identifier = socket.identifier
        source = inputs.get(identifier)
        if isinstance(source, dict) or (source is not None and is_open(identifier)):
            rest[identifier] = source
        elif source is not None:
            values[place] = float(source)
    node.inputs.foreach_set("default_value", values)
    return rest
