# SPDX-License-Identifier: Apache-2.0
"""What node groups compute in the compositor, a pixel a point."""

from __future__ import annotations

import bpy
import numpy as np

from blender.lowered_values import values_of

ROWS = 4
"""Equal ones: Blender renders no fewer."""


def picture_of(name, values):
    """Return an image of equal rows whose pixels are values: (N,) in red, or (N, 3)."""
    count = len(values)
    image = bpy.data.images.new(name, count, ROWS, alpha=True, float_buffer=True, is_data=True)
    pixels = np.ones((ROWS, count, 4), np.float32)
    pixels[:, :, :3] = values if values.ndim == 2 else np.float32(values)[:, None]
    image.pixels.foreach_set(pixels.ravel())
    image.update()
    return image


def scene_tree(scene):
    """Return the empty tree that composes a scene, and the input that becomes the picture."""
    if bpy.app.version >= (5, 0):  # a group whose output is the picture
        tree = bpy.data.node_groups.new("compositing", "CompositorNodeTree")
        tree.interface.new_socket("Image", in_out="OUTPUT", socket_type="NodeSocketColor")
        scene.compositing_node_group = tree
        return tree, tree.nodes.new("NodeGroupOutput").inputs[0]
    scene.use_nodes = True
    scene.node_tree.nodes.clear()
    return scene.node_tree, scene.node_tree.nodes.new("CompositorNodeComposite").inputs["Image"]


def fed_group(tree, group, sockets, values):
    """Return a node of a group whose inputs come from pictures."""
    node = tree.nodes.new("CompositorNodeGroup")
    node.node_tree = group
    for number, socket in enumerate(sockets):
        image = tree.nodes.new("CompositorNodeImage")
        image.image = picture_of(f"in{number}", values_of(socket, values))
        output = image.outputs["Image"]
        if socket.type == "NodeSocketFloat":
            parts = tree.nodes.new("CompositorNodeSeparateColor")
            tree.links.new(output, parts.inputs[0])
            output = parts.outputs[0]
        tree.links.new(output, node.inputs[number])
    return node


def in_compositor(lowered, group, values, path):
    """Return what a group gives at pixels, (N, 3), by the names of its outputs."""
    scene = bpy.context.scene
    count = len(next(iter(values.values())))
    tree, picture = scene_tree(scene)
    node = fed_group(tree, group, lowered.inputs, values)
    render = scene.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = count, ROWS, 100
    render.compositor_precision, render.compositor_device = "FULL", "CPU"
    render.engine, render.filepath = "CYCLES", path
    render.image_settings.file_format = "OPEN_EXR"
    render.image_settings.color_depth = "32"
    found = {}
    for number, socket in enumerate(lowered.outputs):
        tree.links.new(node.outputs[number], picture)
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(path)
        image.colorspace_settings.name = "Non-Color"
        pixels = np.empty(ROWS * count * 4, np.float32)
        image.pixels.foreach_get(pixels)
        bpy.data.images.remove(image)
        found[socket.name] = pixels.reshape(ROWS, count, 4)[0, :, :3]
    return found
