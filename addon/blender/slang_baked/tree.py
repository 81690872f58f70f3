# SPDX-License-Identifier: GPL-3.0-or-later
"""A group whose nodes look up what the engine baked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..batches import COLUMN, ROW
from ..lowered_groups import replace_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import bpy

    from ...core.baking.wrapper import Slot

MARK = "weft_baked"
"""ID-property of nodes that hold a baked image or name a baked attribute: its number. Images and
meshes have it, too."""

LAYOUT = "weft_baked_outputs"
"""ID-property of baked groups: of each output its identifier, image, channel and count."""


def fill_with_lookups(
    group: bpy.types.NodeTree, slots: Sequence[Slot], outputs: Sequence[str]
) -> None:
    """Put lookups of images, or of attributes, in the place of the nodes that a group has.

    Images that the group holds already stay.

    Args:
        group: Its sockets are there already.
        slots: Where each output stands.
        outputs: Identifiers of the outputs, in the order of the slots.
    """
    rows = [
        f"{name} {slot.image} {slot.channel} {slot.count}"
        for name, slot in zip(outputs, slots, strict=True)
    ]
    group[LAYOUT] = "\n".join(rows)
    show(group)


def show(group: bpy.types.NodeTree) -> None:
    """Make the nodes of a group that its settings ask for."""
    settings = group.weft_bake
    images = baked_images(group)
    names = baked_attributes(group)
    old = list(group.nodes)
    rows = _layout(group)
    count = 1 + max((row[1] for row in rows), default=-1)
    end = group.nodes.new("NodeGroupOutput")
    end.location = (3 * COLUMN, 0)
    if settings.target == "IMAGE":
        looked_up = _image_lookups(group, count, images, settings.uv_map)
    else:
        looked_up = _attribute_lookups(group, count, names)
    taken = {socket.identifier: socket for socket in end.inputs}
    parts: dict[int, bpy.types.Node] = {}
    for identifier, image, channel, width in rows:
        source = looked_up[image].outputs["Color"]
        if width == 1:
            if image not in parts:
                parts[image] = group.nodes.new("ShaderNodeSeparateXYZ")
                parts[image].location = (2 * COLUMN, -ROW * image)
                group.links.new(source, parts[image].inputs[0])
            source = parts[image].outputs[channel]
        group.links.new(source, taken[identifier])
    replace_nodes(group, old)


def _layout(group: bpy.types.NodeTree) -> list[tuple[str, int, int, int]]:
    found = []
    for row in str(group.get(LAYOUT, "")).splitlines():
        identifier, image, channel, count = row.split()
        found.append((identifier, int(image), int(channel), int(count)))
    return found


def image_count(group: bpy.types.NodeTree) -> int:
    """Return how many images the outputs of a group fill."""
    return 1 + max((row[1] for row in _layout(group)), default=-1)


def _image_lookups(
    group: bpy.types.NodeTree,
    count: int,
    images: Mapping[int, bpy.types.Image],
    uv_map: str,
) -> list[bpy.types.Node]:
    place = group.nodes.new("ShaderNodeUVMap")
    place.uv_map = uv_map
    made = []
    for number in range(count):
        node = group.nodes.new("ShaderNodeTexImage")
        node[MARK] = number
        node.location = (COLUMN, -2 * ROW * number)
        node.image = images.get(number)
        node.extension = "EXTEND"
        group.links.new(place.outputs[0], node.inputs["Vector"])
        made.append(node)
    return made


def _attribute_lookups(
    group: bpy.types.NodeTree, count: int, names: Mapping[int, str]
) -> list[bpy.types.Node]:
    made = []
    for number in range(count):
        node = group.nodes.new("ShaderNodeAttribute")
        node[MARK] = number
        node.location = (COLUMN, -ROW * number)
        node.attribute_name = names.get(number) or free_name(group, number)
        made.append(node)
    return made


def free_name(group: bpy.types.NodeTree, number: int) -> str:
    """Return a name of an attribute that no other baked group uses."""
    import bpy

    taken = {
        name
        for other in bpy.data.node_groups
        if other != group and LAYOUT in other
        for name in baked_attributes(other).values()
    }
    # Meshes of Blender 4.5 take 67 bytes.
    stem = f"weft {group.name}".encode()[:50].decode(errors="ignore")
    tail = f" {number + 1}" if number else ""
    name, again = stem + tail, 1
    while name in taken:
        again += 1
        name = f"{stem} ({again}){tail}"
    return name


def baked_nodes(group: bpy.types.NodeTree) -> dict[int, bpy.types.Node]:
    """Return the nodes of a group that look something up, by its number."""
    return {int(node[MARK]): node for node in group.nodes if MARK in node}


def baked_images(group: bpy.types.NodeTree) -> dict[int, bpy.types.Image]:
    """Return the baked images of a group, by number."""
    nodes = baked_nodes(group)
    return {
        number: node.image
        for number, node in nodes.items()
        if node.bl_idname == "ShaderNodeTexImage" and node.image is not None
    }


def baked_attributes(group: bpy.types.NodeTree) -> dict[int, str]:
    """Return the names of the baked attributes of a group, by number."""
    nodes = baked_nodes(group)
    return {
        number: node.attribute_name
        for number, node in nodes.items()
        if node.bl_idname == "ShaderNodeAttribute"
    }


def is_baked(group: bpy.types.NodeTree | None) -> bool:
    """Return whether a group looks up what was baked."""
    return group is not None and LAYOUT in group
