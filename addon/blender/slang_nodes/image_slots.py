# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that a Slang node's function looks up.

Nodes inside the group hold them, so that a file needs no extension to show them. The extension's
property ``weft_images`` of the tree is what people choose them in: nodes that look the same image
up follow one entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..image_nodes import images_of, own_parts, set_image

if TYPE_CHECKING:
    from collections.abc import Mapping

    import bpy

PROPERTY = "weft_images"


def show_images(tree: bpy.types.NodeTree) -> None:
    """Have the entries of a tree show what its nodes hold."""
    held = images_of(tree)
    slots = getattr(tree, PROPERTY).slots
    if not held and not len(slots):
        return
    slots.clear()
    for name, image in held.items():
        slot = slots.add()
        slot.name = name
        slot.image = image


def choose_images(tree: bpy.types.NodeTree, images: Mapping[str, bpy.types.Image | None]) -> None:
    """Give the nodes of a tree images by name; others keep theirs."""
    own_parts(tree)
    for name, image in images.items():
        set_image(tree, name, image)
    show_images(tree)
