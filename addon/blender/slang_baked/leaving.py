# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked images and attributes go with what they were baked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .images import remove_unused_image
from .places import remove_attributes
from .record import PROPERTY
from .tree import LAYOUT, baked_attributes, baked_images

if TYPE_CHECKING:
    import bpy

    Held = tuple[list[bpy.types.Image], set[str]]


def held_by(tree: bpy.types.NodeTree) -> Held:
    """Return the baked images and the names of the baked attributes that a group looks up."""
    return list(baked_images(tree).values()), set(baked_attributes(tree).values())


def let_go_of(tree: bpy.types.NodeTree, held: Held, *, stays: bool) -> None:
    """Remove what a group does not look up any more.

    Args:
        tree: The group, with its new nodes.
        held: What it looked up before.
        stays: It is still baked.
    """
    images, names = held
    for image in images:
        remove_unused_image(image)
    if names:
        remove_attributes(names - set(baked_attributes(tree).values()) - _of_others(tree))
    if not stays:
        for name in (LAYOUT, PROPERTY):
            if name in tree:
                del tree[name]


def _of_others(tree: bpy.types.NodeTree) -> set[str]:
    """Return the names that other groups look up: a copy has those of its original at first."""
    import bpy

    return {
        name
        for other in bpy.data.node_groups
        if other != tree and LAYOUT in other
        for name in baked_attributes(other).values()
    }
