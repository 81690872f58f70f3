# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks of nodes whose source cannot be used as it is now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .contents import content_of
from .tags import read_tag, write_tag
from .users import group_nodes

if TYPE_CHECKING:
    import bpy

WRONG = (0.55, 0.16, 0.14)
"""Color of such a node."""
MARK = "weft_colors"


def note_error(tree: bpy.types.NodeTree, error: str) -> None:
    """Mark a tree whose source cannot be used, and the nodes that show it; "" clears the mark."""
    tag = read_tag(tree)
    if tag is None or tag.error == error:
        return
    write_tag(tree, replace(tag, error=error))
    mark_nodes(tree, is_wrong=bool(error))


def mark_nodes(tree: bpy.types.NodeTree, *, is_wrong: bool) -> None:
    """Color the nodes that show a tree, or give them back the colors that they had."""
    for node in group_nodes(tree):
        if is_wrong and MARK not in node:
            node[MARK] = [float(node.use_custom_color), *node.color]
            node.use_custom_color, node.color = True, WRONG
        elif not is_wrong and MARK in node:
            is_used, *color = node[MARK]
            node.use_custom_color, node.color = bool(is_used), color
            del node[MARK]


def confirm(tree: bpy.types.NodeTree) -> None:
    """Note that a tree is what its source says now."""
    note_error(tree, "")
    tag = read_tag(tree)
    if tag is not None:
        content = content_of(tag.source, tag.files)
        if content != tag.content:
            write_tag(tree, replace(tag, content=content))
