# SPDX-License-Identifier: GPL-3.0-or-later
"""Widths of Slang nodes: their words can be read, and a width that a person chose stays.

Blender keeps with a group how wide its new nodes are. Nodes that are as wide as that was follow it
when the text changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import blf
import bpy

from ...core.slang_nodes.widths import DEFAULT, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...core.slang_nodes.interface import Interface

FONT = 0
"""Blender's own of its interface."""


def set_width(
    tree: bpy.types.NodeTree, users: Iterable[bpy.types.Node], interface: Interface, given: int
) -> int:
    """Make the nodes of a group as wide as their words ask for.

    Args:
        tree: The group.
        users: The nodes that show it; those that are not as wide as they were made stay so.
        interface: What they show.
        given: The width that they got last; 0: none yet.

    Returns:
        The width that they have now, of which the group's tag tells.
    """
    before = given or DEFAULT
    if tree.default_group_node_width != before:
        return given  # a person chose one for all
    width = width_of(interface, measure)
    tree.default_group_node_width = width
    for node in users:
        follow_width(node, before, tree)
    return width


def follow_width(node: bpy.types.Node, before: int, tree: bpy.types.NodeTree) -> None:
    """Make a node as wide as new nodes of a group, unless a person changed what it had before."""
    if round(node.width) == before:
        node.width = tree.default_group_node_width


def measure(text: str) -> float:
    """Return how wide a text is in the interface, in units of nodes' widths."""
    blf.size(FONT, bpy.context.preferences.ui_styles[0].widget.points)
    return float(blf.dimensions(FONT, text)[0])
