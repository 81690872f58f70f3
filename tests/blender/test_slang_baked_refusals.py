# SPDX-License-Identifier: Apache-2.0
"""What baked nodes say of bad input; a bake that fails leaves what was there."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest

import weft
import weft_blender
from blender import test_slang_panel as panels
from blender.test_slang_baked import (
    RINGS,
    bake,
    baked_node,
    centres,
    coordinates,
    emit,
    grid_object,
    image_of,
    new_material,
    pixels_of,
    text_block,
)


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture
def record_of(enabled):
    read = importlib.import_module("addon.blender.slang_baked.record").read_record
    return lambda node: read(node.node_tree)


def refuse(node, message):
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.weft.bake_slang_node(group=node.node_tree.name)


def test_nan_is_counted_with_the_first_texel(record_of):
    material = new_material()
    grid_object(material)
    text = text_block(
        'import weft.node; float bad([Source("Position")] float3 p) { return sqrt(p.x); }'
    )
    node = baked_node(material, text)

    found = bake(node)

    assert "no number at 2048 places, first at texel (0, 0)" in record_of(node).notes[0]
    assert np.isfinite(found).all()


def test_objects_that_overlap_are_told_with_their_share(record_of):
    material = new_material()
    grid_object(material, "A")
    other = grid_object(material, "B", cells=3)
    node = baked_node(material, text_block(RINGS))

    bake(node)
    assert "100.0% of the texels are shared" in record_of(node).notes[0]
    assert "bake a color attribute" in record_of(node).notes[0]

    node.node_tree.weft_bake.target = "ATTRIBUTE"
    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}
    assert not record_of(node).notes
    assert [n for n in other.data.attributes.keys() if n.startswith("weft")]


def test_instances_and_objects_in_two_scenes_are_baked_once(record_of):
    material = new_material()
    first = grid_object(material, "A")
    copy = bpy.data.objects.new("B", first.data)
    copy.location.x = 5
    bpy.context.scene.collection.objects.link(copy)
    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(first)
    alone = grid_object(material, "Alone", cells=3)
    for entry in alone.data.uv_layers[0].uv:
        entry.vector = (0.5, 0.5)
    other.collection.objects.link(alone)
    bpy.context.scene.collection.objects.unlink(alone)
    node = baked_node(material, text_block(RINGS), count=6)

    found = bake(node)

    assert not [note for note in record_of(node).notes if "overlap" in note]
    x, y = centres(64)
    assert np.abs(found[..., 0] - (0.5 + 0.5 * np.sin(6 * np.hypot(x, y)))).max() < 1e-4


def test_what_is_missing_is_said_in_a_sentence(record_of, tmp_path):
    material = new_material()
    node = baked_node(material, text_block(RINGS))
    refuse(node, "none of its objects has a UV map at all")
    thing = grid_object(material)
    node.node_tree.weft_bake.uv_map = "Paint"
    refuse(node, "has a UV map named 'Paint' .objects: Grid.")
    node.node_tree.weft_bake.uv_map = ""
    empty = bpy.data.meshes.new("Empty")
    empty.materials.append(material)
    old, thing.data = thing.data, empty
    refuse(node, "none of its objects")
    thing.data = old
    other = bpy.data.materials.new("Other")
    thing.data.materials.append(other)
    thing.data.polygons.foreach_set("material_index", np.ones(len(thing.data.polygons), np.int32))
    thing.data.update()
    refuse(node, "none of its objects")
    thing.data.polygons.foreach_set("material_index", np.zeros(len(thing.data.polygons), np.int32))
    thing.data.update()
    kept = bake(node)

    bpy.data.texts.remove(bpy.data.texts["rings.slang"])
    node.inputs["Count"].default_value = 2
    bakery = importlib.import_module("addon.blender.slang_baked.baking").bakery()
    bakery.forget()
    refuse(node, "the text block 'rings.slang' is gone")
    assert "is gone" in record_of(node).error
    assert np.array_equal(pixels_of(node), kept)


def test_functions_that_do_not_compile_leave_the_image(record_of):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS))
    kept = bake(node)

    text_block(RINGS.replace("sin(", "sinn("))
    with pytest.raises(weft.CompileError):
        weft_blender.refresh()

    assert "sinn" in weft_blender.node_source(node).error
    assert np.array_equal(pixels_of(node), kept)


def test_linked_materials_are_refused(tmp_path):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS))
    bake(node)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.objects = ["Grid"]
    bpy.context.scene.collection.objects.link(into.objects[0])
    group = next(own for own in bpy.data.node_groups if not own.name.startswith("."))
    before = len(bpy.data.images)

    with pytest.raises(RuntimeError, match="is linked from"):
        bpy.ops.weft.bake_slang_node(group=group.name)

    assert len(bpy.data.images) == before


def test_a_linked_mesh_gets_no_attribute(tmp_path):
    grid_object(new_material("theirs"))
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.meshes = ["Grid"]
    material = new_material("own")
    thing = bpy.data.objects.new("Own", into.meshes[0])
    bpy.context.scene.collection.objects.link(thing)
    thing.material_slots[0].link = "OBJECT"
    thing.material_slots[0].material = material
    node = baked_node(material, text_block(RINGS))

    bake(node)  # images are of the material, and may be made
    node.node_tree.weft_bake.target = "ATTRIBUTE"
    refuse(node, "the mesh 'Grid' is linked from another file")

    assert not [name for name in thing.data.attributes.keys() if name.startswith("weft")]


def test_groups_inside_groups_are_baked_where_they_stand_alone():
    material = new_material()
    grid_object(material)
    outer = bpy.data.node_groups.new("Outer", "ShaderNodeTree")
    outer.interface.new_socket("Count", in_out="INPUT", socket_type="NodeSocketFloat")
    outer.interface.new_socket("Color", in_out="OUTPUT", socket_type="NodeSocketColor")
    entry, end = outer.nodes.new("NodeGroupInput"), outer.nodes.new("NodeGroupOutput")
    node = weft_blender.add_node(outer, text_block(RINGS), form="BAKED", count=entry.outputs[0])
    outer.links.new(node.outputs[0], end.inputs[0])
    node.node_tree.weft_bake.side = "64"
    holder = material.node_tree.nodes.new("ShaderNodeGroup")
    holder.node_tree = outer
    holder.inputs[0].default_value = 6

    found = bake(node)
    x, y = centres(64)
    assert np.abs(found[..., 0] - (0.5 + 0.5 * np.sin(6 * np.hypot(x, y)))).max() < 1e-4

    second = material.node_tree.nodes.new("ShaderNodeGroup")
    second.node_tree = outer
    refuse(node, "stands at 2 places")


def test_the_form_is_for_materials_alone():
    tree = bpy.data.node_groups.new("G", "GeometryNodeTree")
    with pytest.raises(weft.ArgumentError, match="baked in materials alone"):
        weft_blender.add_node(tree, text_block(RINGS), form="BAKED")
    assert len(bpy.data.node_groups) == 1


def test_the_weft_engine_sees_the_image():
    compile_material = importlib.import_module("addon.core.graph.compile").compile_material
    read_graph = importlib.import_module("addon.blender.graphs").read_graph
    images = importlib.import_module("addon.blender.images").ImageStore()
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), p=coordinates(material))
    emit(material, node)
    bake(node)

    compiled = compile_material(read_graph(material.node_tree), images, "m")

    assert compiled.problems == []
    assert [entry.image for entry in compiled.textures] == [image_of(node).name]


def test_the_panel_shows_how_it_is_baked_and_what_came_of_it():
    material = new_material()
    thing = grid_object(material)
    tree, panel = material.node_tree, bpy.types.NODE_PT_weft_slang
    node = weft_blender.add_node(tree, text_block(RINGS), form="NODES")
    assert panels.run(tree, "choose_slang_form", node, form="BAKED") == {"FINISHED"}
    node.node_tree.weft_bake.side = "64"

    found = panels.texts(panels.drawn(panel, tree, node))
    assert {"Runs As: Baked", "Into", "Margin", "UV Map", "UDIM Tiles", "Bake"} <= set(found)

    assert panels.run(tree, "bake_slang_node", node) == {"FINISHED"}
    found = panels.texts(panels.drawn(panel, tree, node))
    assert any(text.startswith("Baked in ") for text in found)

    thing.data.uv_layers.remove(thing.data.uv_layers[0])
    thing.data.update()  # which buttons do by themselves
    message = panels.run(tree, "bake_slang_node", node)
    assert "none of its objects has a UV map at all" in message
    found = " ".join(panels.texts(panels.drawn(panel, tree, node)))
    assert "none of its objects has a UV map" in found
