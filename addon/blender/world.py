# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's world as an environment of `weft.scene`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import weft

from ..core.problems import Problem

if TYPE_CHECKING:
    import bpy
    from numpy.typing import NDArray


def export_world(
    world: bpy.types.World | None,
) -> tuple[weft.scene.Environment | None, list[Problem]]:
    """Return the light from everywhere; ``None``: there is none."""
    if world is None:
        return None, []
    where = f"World '{world.name}'"
    if not world.use_nodes or world.node_tree is None:
        return weft.scene.Environment(np.array(world.color, np.float32)), []
    output = world.node_tree.get_output_node("CYCLES")
    links = output.inputs["Surface"].links if output else ()
    if not links:
        return None, []
    background = links[0].from_node
    if background.bl_idname != "ShaderNodeBackground":
        return None, [Problem(where, f"node '{background.name}' is not supported", "black")]
    strength = background.inputs["Strength"].default_value
    color = background.inputs["Color"]
    if not color.is_linked:
        image = np.array(color.default_value[:3], np.float32)
        return weft.scene.Environment(image, strength=strength), []
    node = color.links[0].from_node
    if node.bl_idname != "ShaderNodeTexEnvironment" or node.image is None:
        return None, [Problem(where, f"node '{node.name}' is not supported", "black")]
    return (
        weft.scene.Environment(read_pixels(node.image), mapping_rotation(node), strength),
        [],
    )


def mapping_rotation(node: bpy.types.Node) -> NDArray[np.float64] | None:
    """Return the rotation of a Mapping node in front of an image."""
    links = node.inputs["Vector"].links
    if not links or links[0].from_node.bl_idname != "ShaderNodeMapping":
        return None
    from mathutils import Euler

    euler = Euler(links[0].from_node.inputs["Rotation"].default_value)
    return np.array(euler.to_matrix())


def read_pixels(image: bpy.types.Image) -> NDArray[np.float32]:
    """Return the pixels of an image, shape ``(height, width, 3)``, the top row first."""
    width, height = image.size
    values = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(height, width, image.channels)[::-1, :, :3]
