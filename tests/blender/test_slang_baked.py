# SPDX-License-Identifier: Apache-2.0
"""Baked Slang nodes: images, attributes, and what Cycles shows of them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft_blender

RINGS = """import weft.node;
float3 rings([Source("Position")] float3 p, float count = 9, [Color] float3 tint = float3(1, .5, 0))
{
    return tint * (0.5f + 0.5f * sin(count * length(p)));
}
"""


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


def text_block(content, name="rings.slang"):
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write(content)
    return text


def new_material(name="m"):
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    return made


def grid_object(material, name="Grid", cells=8, height=0.0):
    """Return a grid over [-1, 1] whose UV map is the whole square."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=cells, y_subdivisions=cells, size=2)
    made = bpy.context.active_object
    made.name = name
    made.location.z = height
    made.data.materials.append(material)
    return made


def baked_node(material, text, **inputs):
    node = weft_blender.add_node(material, text, form="BAKED", **inputs)
    node.node_tree.weft_bake.side = "64"
    return node


def bake(node):
    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}
    return pixels_of(node)


def image_of(node):
    return next(own.image for own in node.node_tree.nodes if own.bl_idname == "ShaderNodeTexImage")


def pixels_of(node):
    image = image_of(node)
    found = np.empty(4 * image.size[0] * image.size[1], np.float32)
    image.pixels.foreach_get(found)
    return found.reshape(image.size[1], image.size[0], 4)


def centres(size):
    line = (np.arange(size) + 0.5) / size
    return np.meshgrid(line * 2 - 1, line * 2 - 1)


def test_a_function_is_baked_over_the_uv_map():
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), count=6)

    found = bake(node)

    x, y = centres(64)
    wave = 0.5 + 0.5 * np.sin(6 * np.hypot(x, y))
    assert found.shape == (64, 64, 4)
    assert np.abs(found[..., 0] - wave).max() < 1e-4
    assert np.abs(found[..., 1] - wave / 2).max() < 1e-4
    image = image_of(node)
    assert image.packed_file is not None
    assert image.colorspace_settings.name == "Non-Color"
    assert image.is_float
