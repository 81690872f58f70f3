# SPDX-License-Identifier: GPL-3.0-or-later
"""The images that a Slang node's function looks up, as people choose them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...blender.image_nodes import images_of, own_parts, set_image

if TYPE_CHECKING:
    from ...blender.slang_nodes.tags import Tag


def give(self: bpy.types.PropertyGroup, _: bpy.types.Context) -> None:
    """Give the nodes that look the image up the one that was chosen."""
    tree = self.id_data
    if images_of(tree).get(self.name) != self.image:
        own_parts(tree)
        set_image(tree, self.name, self.image)


class WEFT_PG_slang_image(bpy.types.PropertyGroup):
    """An image that a function looks up."""

    image: bpy.props.PointerProperty(
        name="Image",
        description="What the function looks up here, for all nodes that show this group",
        type=bpy.types.Image,
        update=give,
    )


class WEFT_PG_slang_images(bpy.types.PropertyGroup):
    """All of them; their names are the function's."""

    slots: bpy.props.CollectionProperty(type=WEFT_PG_slang_image)


def draw_images(layout: bpy.types.UILayout, tree: bpy.types.NodeTree, tag: Tag) -> None:
    """Draw what chooses the images of a node."""
    labels = {entry["name"]: entry["label"] for entry in tag.images}
    for slot in tree.weft_images.slots:
        layout.label(text=labels.get(slot.name, slot.name))
        layout.template_ID(slot, "image", new="image.new", open="image.open")
