# SPDX-License-Identifier: Apache-2.0
"""Slang nodes whose functions look images up: chosen by people and scripts, kept over edits."""

from __future__ import annotations

import re

import bpy
import numpy as np
import pytest
from addon.blender.image_nodes import images_of

import weft
import weft_blender
from blender.panel import Layout
from blender.test_slang_nodes import text_block
from blender.test_slang_panel import editor

CLOTH = """import weft.node;
import weft.inputs;
/// Cloth from three sides.
float3 cloth([Label("Weave")] Sampler2D<float3> weave, [Hidden] float3 p, float scale = 1)
{
    float3 sum = weave.Sample(p.xy * scale) + weave.Sample(p.yz * scale);
    sum += weave.Sample(p.zx * scale);
    return sum / 3 * sampleImage("Dirt", p.xy).r;
}
"""


@pytest.fixture(autouse=True)
def enabled(extension, repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository))
    return extension


@pytest.fixture
def material():
    made = bpy.data.materials.new("m")
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    return made


@pytest.fixture
def image():
    return bpy.data.images.new("linen", 2, 2)


@pytest.fixture
def cloth(material, image):
    return weft_blender.add_node(material, text_block(CLOTH), weave=image)


def slots_of(node):
    return {slot.name: slot.image for slot in node.node_tree.weft_images.slots}


def holders(node):
    """Return the nodes that look images up, those in parts too."""
    found, open_trees = [], [node.node_tree]
    while open_trees:
        for inner in open_trees.pop().nodes:
            if inner.bl_idname == "ShaderNodeTexImage":
                found.append(inner)
            elif getattr(inner, "node_tree", None) is not None:
                open_trees.append(inner.node_tree)
    return found


def test_a_script_gives_images(cloth, image):
    assert [socket.name for socket in cloth.inputs] == ["P", "Scale"]
    assert slots_of(cloth) == {"weave": image, "Dirt": None}
    assert [node.image for node in holders(cloth)].count(image) == 3


def test_a_person_chooses_an_image(cloth):
    other = bpy.data.images.new("stain", 2, 2)
    cloth.node_tree.weft_images.slots["Dirt"].image = other
    assert images_of(cloth.node_tree)["Dirt"] == other
    # It is no edit of the group: the text is followed still.
    assert weft_blender.refresh() == 0
    text_block(CLOTH.replace("sum / 3", "sum / 4"))
    assert weft_blender.refresh() == 1
    assert slots_of(cloth)["Dirt"] == other


def test_images_stay_when_the_text_is_edited(cloth, image):
    text_block(CLOTH.replace("float scale = 1", "float scale = 1, float3 tint = 1"))
    weft_blender.refresh()
    assert slots_of(cloth) == {"weave": image, "Dirt": None}
    text_block(CLOTH.replace('sampleImage("Dirt", p.xy).r', "1"))
    weft_blender.refresh()
    assert slots_of(cloth) == {"weave": image}


def test_nodes_have_images_of_their_own(cloth, material, image):
    other = bpy.data.images.new("jute", 2, 2)
    second = weft_blender.add_node(material, text_block(CLOTH), weave=other)
    assert second.node_tree != cloth.node_tree
    assert slots_of(second)["weave"] == other
    assert slots_of(cloth)["weave"] == image


def test_a_copy_of_a_group_has_images_of_its_own(cloth, image):
    own = cloth.node_tree.copy()
    other = bpy.data.images.new("jute", 2, 2)
    own.weft_images.slots["weave"].image = other
    assert images_of(own)["weave"] == other
    assert images_of(cloth.node_tree)["weave"] == image


def test_groups_with_other_images_are_not_joined(cloth, material, tmp_path):
    path = str(tmp_path / "cloth.blend")
    bpy.data.libraries.write(path, {material})
    other = bpy.data.images.new("jute", 2, 2)
    cloth.node_tree.weft_images.slots["weave"].image = other
    with bpy.data.libraries.load(path) as (_, wanted):
        wanted.materials = ["m"]
    from addon.blender.slang_nodes.joining import join_equal_groups

    join_equal_groups()
    (appended,) = wanted.materials
    (node,) = appended.node_tree.nodes
    assert node.node_tree != cloth.node_tree
    assert slots_of(node)["weave"].name.startswith("linen")


def test_the_panel_shows_images(cloth):
    layout = Layout()
    panel = bpy.types.NODE_PT_weft_slang
    with editor(cloth.id_data, cloth) as context:
        panel.draw(type("Drawn", (), {"layout": layout})(), context)
    words = [text for _, text, *_ in layout.drawn]
    assert words.index("Weave") < words.index("Dirt")
    assert words.count("Image") == 2


def test_geometry_trees_have_sockets(image):
    tree = bpy.data.node_groups.new("g", "GeometryNodeTree")
    node = weft_blender.add_node(tree, text_block(CLOTH), weave=image, scale=2)
    found = {socket.name: socket for socket in node.inputs}
    assert found["Weave"].default_value == image
    assert found["Dirt"].type == "IMAGE"
    # A socket that becomes a number, and comes back.
    number = CLOTH.replace("Sampler2D<float3> weave", "float weave")
    text_block(re.sub(r"weave\.Sample\([^)]*\)", "weave", number))
    weft_blender.refresh()
    assert {socket.name: socket.type for socket in node.inputs}["Weave"] == "VALUE"
    text_block(CLOTH)
    weft_blender.refresh()
    assert {socket.name: socket.type for socket in node.inputs}["Weave"] == "IMAGE"


def test_what_is_no_image_is_refused(material):
    before = len(bpy.data.node_groups)
    with pytest.raises(weft.ArgumentError, match="'weave' is an image of"):
        weft_blender.add_node(material, text_block(CLOTH), weave=3)
    with pytest.raises(weft.ArgumentError, match="looks images up, which"):
        weft_blender.add_node(material, text_block(CLOTH), form="OSL")
    assert len(material.node_tree.nodes) == 0
    assert len(bpy.data.node_groups) == before


def test_the_engine_follows_the_image(cloth, material, image, tmp_path):
    """The group is nodes of Blender's: a render by Weft shows the image as Cycles does."""
    image.colorspace_settings.name = "Non-Color"
    image.pixels.foreach_set(np.tile([0.2, 0.4, 0.8, 1.0], 4).astype("f4"))
    image.update()
    cloth.node_tree.weft_images.slots["Dirt"].image = image
    tree = material.node_tree
    coordinates = tree.nodes.new("ShaderNodeTexCoord")
    emission = tree.nodes.new("ShaderNodeEmission")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(coordinates.outputs["UV"], cloth.inputs["P"])
    tree.links.new(cloth.outputs[0], emission.inputs["Color"])
    tree.links.new(emission.outputs[0], end.inputs["Surface"])
    bpy.ops.mesh.primitive_plane_add(size=20)
    bpy.context.object.data.materials.append(material)
    scene = bpy.context.scene
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.camera.location = (0, 0, 6)
    scene.collection.objects.link(scene.camera)
    scene.render.resolution_x = scene.render.resolution_y = 8
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.cycles.samples, scene.cycles.use_denoising = 16, False
    for engine in ("CYCLES", "WEFT"):
        scene.render.engine = engine
        scene.render.filepath = str(tmp_path / f"{engine}.exr")
        bpy.ops.render.render(write_still=True)
        picture = bpy.data.images.load(scene.render.filepath)
        picture.colorspace_settings.name = "Non-Color"
        found = np.array(picture.pixels).reshape(-1, 4)[:, :3]
        np.testing.assert_allclose(found, np.tile([0.04, 0.08, 0.16], (64, 1)), rtol=2e-2)
