# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of lowered functions' groups that hold images."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import bpy

PART_MARK = "weft_part"
"""ID-property of groups that hold a part of another one."""

IMAGE_MARK = "weft_image"
"""ID-property of nodes that hold an image: the name by which the function calls it."""


def images_of(group: bpy.types.NodeTree) -> dict[str, bpy.types.Image | None]:
    """Return the images that a group's nodes hold, by the names that the function gives them."""
    return {node[IMAGE_MARK]: node.image for node in _image_nodes(group)}


def set_image(group: bpy.types.NodeTree, name: str, image: bpy.types.Image | None) -> bool:
    """Give the nodes of a group another image; return whether there are any of that name."""
    nodes = [node for node in _image_nodes(group) if node[IMAGE_MARK] == name]
    for node in nodes:
        node.image = image
    return bool(nodes)


def own_parts(group: bpy.types.NodeTree) -> None:
    """Give a group, which may be a copy, parts of its own where they hold images."""
    used: dict[bpy.types.NodeTree, list[bpy.types.Node]] = {}
    for node in group.nodes:
        part = getattr(node, "node_tree", None)
        if part is not None and PART_MARK in part:
            used.setdefault(part, []).append(node)
    for part, nodes in used.items():
        if not any(True for _ in _image_nodes(part)):
            continue
        own = part.copy() if part.users > len(nodes) else part
        for node in nodes:
            if own != part:
                node.node_tree = own
        own_parts(own)


def _image_nodes(group: bpy.types.NodeTree) -> Iterator[bpy.types.Node]:
    seen = set()
    for node in group.nodes:
        part = getattr(node, "node_tree", None)
        if IMAGE_MARK in node:
            yield node
        elif part is not None and PART_MARK in part and part not in seen:
            seen.add(part)
            yield from _image_nodes(part)
