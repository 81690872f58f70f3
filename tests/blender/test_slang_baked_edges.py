# SPDX-License-Identifier: Apache-2.0
"""Baked nodes amid what people do to their files: names, shared meshes, modifiers, saving."""

from __future__ import annotations

import importlib
import time

import bpy
import numpy as np
import pytest

import weft_blender
from blender.test_slang_baked import (
    RINGS,
    bake,
    baked_node,
    centres,
    grid_object,
    image_of,
    new_material,
    pixels_of,
    text_block,
)
from blender.test_slang_baked_following import follow

PLACE = (
    'import weft.node;\nfloat3 f([Source("Position")] float3 p, float k = 1) { return p * k; }\n'
)
MANY = """import weft.node;
void f([Source("Position")] float3 p, float k, out float3 a, out float3 b, out float3 c)
{
    a = p * k;
    b = p + k;
    c = p - k;
}
"""


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture
def following(enabled):
    return importlib.import_module("addon.ui.slang_nodes.following")


@pytest.fixture
def bakery(enabled):
    return importlib.import_module("addon.blender.slang_baked.baking").bakery()


@pytest.fixture
def record_of(enabled):
    read = importlib.import_module("addon.blender.slang_baked.record").read_record
    return lambda node: read(node.node_tree)


def geometry_tree(*kinds):
    """Return a tree of geometry nodes in a row."""
    tree = bpy.data.node_groups.new("Geometry", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    last, made = begin, []
    for kind in kinds:
        made.append(tree.nodes.new(kind))
        tree.links.new(last.outputs[0], made[-1].inputs[0])
        last = made[-1]
    tree.links.new(last.outputs[0], end.inputs[0])
    return tree, made


def attribute_node(material, text=PLACE, **inputs):
    node = baked_node(material, text_block(text, "f.slang"), **inputs)
    node.node_tree.weft_bake.target = "ATTRIBUTE"
    return node


def corners_of(mesh, node):
    name = next(own.attribute_name for own in node.node_tree.nodes if own.type == "ATTRIBUTE")
    data = mesh.attributes[name].data
    found = np.empty(4 * len(data), np.float32)
    data.foreach_get("color", found)
    places = np.array([mesh.vertices[loop.vertex_index].co for loop in mesh.loops])
    return found.reshape(-1, 4)[:, :3], places


def test_an_attribute_has_a_name_that_meshes_take():
    material = new_material()
    thing = grid_object(material)
    node = attribute_node(material)
    node.node_tree.weft_bake.target = "IMAGE"
    node.node_tree.name = "木" * 21
    node.node_tree.weft_bake.target = "ATTRIBUTE"

    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}

    found, places = corners_of(thing.data, node)
    assert np.abs(found - places).max() < 1e-6


def test_objects_that_share_a_mesh_with_other_slots_share_the_attribute():
    material, other = new_material("A"), new_material("B")
    thing = grid_object(material)
    thing.data.materials.append(other)
    for face in thing.data.polygons:
        face.material_index = face.index % 2
    second = thing.copy()
    bpy.context.collection.objects.link(second)
    for slot, own in zip(second.material_slots, (other, material), strict=True):
        slot.link = "OBJECT"
        slot.material = own
    node = attribute_node(material)

    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}

    found, places = corners_of(thing.data, node)
    assert np.abs(found - places).max() < 1e-6


def test_objects_that_share_a_mesh_at_other_places_are_told(record_of):
    material = new_material()
    thing = grid_object(material)
    second = thing.copy()
    second.location.x = 5
    bpy.context.collection.objects.link(second)
    geometry = material.node_tree.nodes.new("ShaderNodeNewGeometry")
    node = attribute_node(material, p=geometry.outputs["Position"])

    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}

    assert "objects share the mesh 'Grid'" in record_of(node).notes[0]


def test_materials_of_modifiers_count(record_of):
    material, other = new_material("A"), new_material("B")
    thing = grid_object(other)
    tree, (setting,) = geometry_tree("GeometryNodeSetMaterial")
    setting.inputs["Material"].default_value = material
    thing.modifiers.new("Set", "NODES").node_group = tree
    node = baked_node(material, text_block(PLACE, "f.slang"))

    found = bake(node)

    x, _ = centres(64)
    assert np.abs(found[..., 0] - x).max() < 1e-5


def test_faces_that_modifiers_join_have_materials_of_their_own(record_of):
    material, other = new_material("A"), new_material("B")
    source = grid_object(other, "Source")
    thing = grid_object(material)
    tree, (joining,) = geometry_tree("GeometryNodeJoinGeometry")
    info = tree.nodes.new("GeometryNodeObjectInfo")
    info.inputs[0].default_value = source
    tree.links.new(info.outputs["Geometry"], joining.inputs[0])
    thing.modifiers.new("Join", "NODES").node_group = tree
    node = baked_node(material, text_block(PLACE, "f.slang"))

    bake(node)

    assert record_of(node).notes == ()


def test_objects_that_instances_of_a_collection_show_are_baked():
    material = new_material()
    thing = grid_object(material)
    thing.modifiers.new("Up", "SIMPLE_DEFORM").angle = 0
    for own in list(thing.users_collection):
        own.objects.unlink(thing)
    collection = bpy.data.collections.new("Kit")
    collection.objects.link(thing)
    shown = bpy.data.objects.new("Shown", None)
    shown.instance_type, shown.instance_collection = "COLLECTION", collection
    bpy.context.collection.objects.link(shown)
    node = baked_node(material, text_block(PLACE, "f.slang"))

    found = bake(node)

    x, _ = centres(64)
    assert np.abs(found[..., 0] - x).max() < 1e-5


def test_what_is_coarse_is_saved_with_the_file(following, bakery, tmp_path):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), count=3)
    node.node_tree.weft_bake.side = "512"
    bpy.context.view_layer.update()
    end = time.monotonic() + 60
    while not bpy.data.images and time.monotonic() < end:
        following.tick()
        time.sleep(0.005)
    assert tuple(image_of(node).size) == (256, 256)

    path = str(tmp_path / "amid.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)

    node = next(own for own in bpy.data.materials["m"].node_tree.nodes if own.type == "GROUP")
    assert pixels_of(node)[..., :3].max() > 0.9
    assert not bakery.is_idle
    follow(following, bakery, 60)
    assert tuple(image_of(node).size) == (512, 512)


def test_several_images_come_to_an_end(following, bakery, monkeypatch):
    monkeypatch.setattr(following, "STEP", 1e-6)  # as if each image took longer than a step
    material = new_material()
    grid_object(material)
    baked_node(material, text_block(MANY, "f.slang"), k=2)

    follow(following, bakery, 60)

    assert bakery.bakes == 1


def test_a_bake_that_ends_amid_its_images_is_baked_again(following, bakery, record_of, monkeypatch):
    monkeypatch.setattr(following, "STEP", 1e-6)
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(MANY, "f.slang"), k=2)
    follow(following, bakery, 60)
    before = pixels_of(node)

    node.inputs["K"].default_value = 3
    bpy.context.view_layer.update()
    end = time.monotonic() + 60
    while np.array_equal(pixels_of(node), before) and time.monotonic() < end:
        following.tick()
        time.sleep(0.005)
    node.inputs["K"].default_value = 2
    bakery.touch()
    follow(following, bakery, 60)

    assert record_of(node).state
    assert np.array_equal(pixels_of(node), before)


def test_a_deleted_object_is_followed(following, bakery, record_of):
    material = new_material()
    grid_object(material)
    other = grid_object(material, "Other", cells=3)
    node = baked_node(material, text_block(RINGS), count=3)
    follow(following, bakery, 60)
    assert "objects overlap" in record_of(node).notes[0]

    bpy.data.objects.remove(other)
    follow(following, bakery, 60)

    assert record_of(node).notes == ()


def test_a_renamed_group_is_baked(following, bakery, record_of):
    material = new_material()
    grid_object(material)
    nodes = [baked_node(material, text_block(RINGS), count=k) for k in (3, 4)]
    bpy.context.view_layer.update()
    bakery.touch()
    end = time.monotonic() + 60
    while bakery.bakes == 0 and time.monotonic() < end:
        following.tick()
        time.sleep(0.005)
    for node in nodes:
        node.node_tree.name = f"Renamed {node.name}"
    follow(following, bakery, 60)

    assert all(record_of(node).state for node in nodes)
    assert weft_blender.node_source(nodes[0]).form == "BAKED"


def test_an_image_that_drives_a_node_is_followed_to_the_end_and_tiles_keep_their_name(
    following, bakery
):
    material = new_material()
    grid_object(material)
    image = bpy.data.images.new("drives", 64, 64, float_buffer=True)
    image.pixels.foreach_set(np.full(4 * 64 * 64, 0.25, np.float32))
    look = material.node_tree.nodes.new("ShaderNodeTexImage")
    look.image = image
    node = baked_node(material, text_block(PLACE, "f.slang"), p=look.outputs["Color"])
    follow(following, bakery, 60)
    assert np.abs(pixels_of(node)[..., :3] - 0.25).max() < 1e-6
    assert bakery.bakes == 1

    node.node_tree.weft_bake.is_tiled = True
    name = image_of(node).name
    for k in (2, 3):
        node.inputs["K"].default_value = k
        bpy.ops.weft.bake_slang_node(group=node.node_tree.name)

    assert image_of(node).name == name
    assert len(bpy.data.images) == 2
