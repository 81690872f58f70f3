# SPDX-License-Identifier: Apache-2.0
"""Nodes written as a function give, as a node of it, the pixels that they gave."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft
import weft_blender
from blender.test_slang_nodes import value_node

SIZE = 32


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


def plane():
    """Look at a plane whose material is a new one without nodes; return its tree."""
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_plane_add(size=2)
    made = bpy.data.materials.new("m")
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    bpy.context.object.data.materials.append(made)
    camera = bpy.data.cameras.new("camera")
    camera.type, camera.ortho_scale = "ORTHO", 2
    scene.camera = bpy.data.objects.new("camera", camera)
    scene.camera.location = (0, 0, 3)
    scene.collection.objects.link(scene.camera)
    scene.render.engine = "CYCLES"
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BOX", 0.01
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    return made.node_tree


def pixels(tree, socket, folder):
    """Return what an output is at each pixel."""
    emission = tree.nodes.new("ShaderNodeEmission")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(socket, emission.inputs["Color"])
    tree.links.new(emission.outputs[0], end.inputs["Surface"])
    path = str(folder / f"{len(list(folder.iterdir()))}.exr")
    bpy.context.scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    tree.nodes.remove(emission)
    tree.nodes.remove(end)
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    return np.array(image.pixels[:]).reshape(SIZE, SIZE, 4)[..., :3]


def math(tree, operation, *inputs):
    node = tree.nodes.new("ShaderNodeMath")
    node.operation = operation
    for place, value in enumerate(inputs):
        if isinstance(value, bpy.types.NodeSocket):
            tree.links.new(value, node.inputs[place])
        else:
            node.inputs[place].default_value = value
    return node


def waves(tree, uv):
    """Math, a split vector, a mix of colors."""
    split = tree.nodes.new("ShaderNodeSeparateXYZ")
    tree.links.new(uv, split.inputs[0])
    wave = math(tree, "SINE", math(tree, "MULTIPLY", split.outputs[0], 9.5).outputs[0])
    other = math(tree, "PINGPONG", split.outputs[1], 0.3)
    mix = tree.nodes.new("ShaderNodeMix")
    mix.data_type = "RGBA"
    tree.links.new(wave.outputs[0], mix.inputs[0])
    colors = [socket for socket in mix.inputs if socket.type == "RGBA"]
    colors[0].default_value = (0.8, 0.1, 0.2, 1)
    tree.links.new(other.outputs[0], colors[1])
    return next(socket for socket in mix.outputs if socket.type == "RGBA")


def vectors(tree, uv):
    """Vector math, Map Range, a ramp."""
    length = tree.nodes.new("ShaderNodeVectorMath")
    length.operation = "DISTANCE"
    length.inputs[1].default_value = (0.5, 0.4, 0)
    tree.links.new(uv, length.inputs[0])
    ranged = tree.nodes.new("ShaderNodeMapRange")
    tree.links.new(length.outputs["Value"], ranged.inputs["Value"])
    ranged.inputs["From Max"].default_value = 0.6
    hue = tree.nodes.new("ShaderNodeHueSaturation")
    hue.inputs["Color"].default_value = (0.7, 0.3, 0.1, 1)
    tree.links.new(ranged.outputs[0], hue.inputs["Hue"])
    return hue.outputs[0]


@pytest.mark.parametrize("make", [waves, vectors])
def test_a_copy_gives_equal_pixels(make, tmp_path):
    tree = plane()
    uv = tree.nodes.new("ShaderNodeTexCoord").outputs["UV"]
    socket = make(tree, uv)
    chosen = [node for node in tree.nodes if node.bl_idname != "ShaderNodeTexCoord"]
    before = pixels(tree, socket, tmp_path)

    text = weft_blender.copy_as_slang(tree, chosen, name="copied")
    print(text.as_string())
    node = weft_blender.add_node(tree, text)
    for entry in node.inputs:
        tree.links.new(uv, entry)
    after = pixels(tree, node.outputs[0], tmp_path)

    assert before.std() > 0.05
    np.testing.assert_allclose(after, before, atol=1e-3)


def test_several_outputs_are_results():
    tree = plane()
    source = value_node(tree)
    one = math(tree, "ADD", source.outputs[0], 2.0)
    other = math(tree, "MULTIPLY", one.outputs[0], 3.0)
    for node in (one, other):
        math(tree, "ABSOLUTE", node.outputs[0])

    text = weft_blender.copy_as_slang(tree, [one, other], name="two")
    node = weft_blender.add_node(tree, text)

    assert len(node.inputs) == 1
    assert len(node.outputs) == 2
    lowered = weft.lower(None, "two", text=text.as_string())
    found = lowered.evaluate({lowered.parameters[0].name: [1.0]})
    assert [float(array[0]) for array in found.values()] == [3, 9]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("ShaderNodeBsdfDiffuse", "none of the selected nodes gives"),
        ("ShaderNodeTexCoord", "leave out what gives it|not supported"),
        ("ShaderNodeScript", "none of the selected|not supported"),
    ],
)
def test_what_is_no_number_is_refused(kind, message):
    tree = plane()
    node = tree.nodes.new(kind)
    texts = len(bpy.data.texts)

    with pytest.raises(weft.ArgumentError, match=message):
        weft_blender.copy_as_slang(tree, [node])

    assert len(bpy.data.texts) == texts


def test_nothing_selected_is_said():
    tree = plane()
    value_node(tree).select = False

    with pytest.raises(weft.ArgumentError, match="no node is selected"):
        weft_blender.copy_as_slang(tree)
