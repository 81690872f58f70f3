# SPDX-License-Identifier: Apache-2.0
"""Baked nodes follow what they are made from; nothing runs when nothing changed."""

from __future__ import annotations

import importlib
import time

import bpy
import numpy as np
import pytest

import weft_blender
from blender.test_slang_baked import (
    RINGS,
    baked_node,
    centres,
    coordinates,
    emit,
    grid_object,
    image_of,
    new_material,
    pixels_of,
    render_plane,
    text_block,
)


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


def follow(following, bakery, seconds=20.0):
    """Call the timer as Blender does until it has nothing to do; return sizes that were shown."""
    bpy.context.view_layer.update()
    sizes, end, quiet = [], time.monotonic() + seconds, 0
    while time.monotonic() < end and quiet < 5:
        before = bakery.bakes
        following.tick()
        bpy.context.view_layer.update()
        if bakery.bakes != before:
            sizes += [image.size[0] for image in bpy.data.images]
        quiet = quiet + 1 if bakery.is_idle and following.updater().is_idle else 0
        time.sleep(0.01)
    assert quiet == 5, "the bakery has not come to an end"
    return sizes


def wave(count, size=64):
    x, y = centres(size)
    return 0.5 + 0.5 * np.sin(count * np.hypot(x, y))


def test_values_are_followed_coarse_first(following, bakery):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), count=3)
    node.node_tree.weft_bake.side = "512"
    assert follow(following, bakery) == [256, 512]

    node.inputs["Count"].default_value = 7
    assert follow(following, bakery) == [256, 512]

    assert np.abs(pixels_of(node)[..., 0] - wave(7, 512)).max() < 1e-4
    assert image_of(node).packed_file is not None


def test_nothing_runs_when_nothing_changed(following, bakery):
    material = new_material()
    thing = grid_object(material)
    other = grid_object(new_material("other"), "Other")
    node = baked_node(material, text_block(RINGS))
    follow(following, bakery)
    before = bakery.bakes

    assert follow(following, bakery) == []
    other.location.x = 3
    follow(following, bakery)
    thing.location.x = 2  # places are those of the object
    follow(following, bakery)
    material.node_tree.nodes.new("ShaderNodeValue")
    follow(following, bakery)
    node.location.x += 100
    follow(following, bakery)

    assert bakery.bakes == before


@pytest.mark.parametrize("change", ["mesh", "uv", "source", "link", "margin", "modifier"])
def test_all_that_a_bake_depends_on_is_followed(following, bakery, change):
    material = new_material()
    thing = grid_object(material)
    text = text_block(RINGS)
    node = baked_node(material, text, count=3)
    follow(following, bakery)
    old, before = pixels_of(node), bakery.bakes

    if change == "mesh":
        thing.data.vertices[0].co.z = 1
        thing.data.update()
    elif change == "uv":
        thing.data.uv_layers[0].uv[0].vector = (0.25, 0.25)
        thing.data.update()
    elif change == "source":
        text_block(RINGS.replace("0.5f * sin", "0.25f * sin"))
        end = time.monotonic() + 20
        while following.updater().updated == 0 and time.monotonic() < end:
            following.tick()
            time.sleep(0.01)
    elif change == "link":
        material.node_tree.links.new(coordinates(material, "Generated"), node.inputs["P"])
    elif change == "margin":
        node.node_tree.weft_bake.margin = 3
    else:
        thing.modifiers.new("Up", "SIMPLE_DEFORM").angle = 1
    follow(following, bakery)

    assert bakery.bakes > before
    assert (change == "margin") == np.array_equal(pixels_of(node), old)


def test_a_render_waits_for_all_of_it(bakery):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), count=3)
    emit(material, node)
    render_plane()
    count = bakery.bakes

    node.inputs["Count"].default_value = 7
    found = render_plane()
    again = render_plane()

    assert bakery.bakes == count + 1
    assert np.abs(found[..., 0] - wave(7)).max() < 1e-3
    assert np.array_equal(found, again)


def test_copies_bake_their_own(following, bakery):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), count=3)
    follow(following, bakery)

    copy = material.node_tree.nodes.new("ShaderNodeGroup")
    copy.node_tree = node.node_tree
    for own in node.inputs:
        copy.inputs[own.name].default_value = own.default_value
    copy.inputs["Count"].default_value = 7
    follow(following, bakery)

    assert copy.node_tree != node.node_tree
    assert image_of(copy) != image_of(node)
    assert np.abs(pixels_of(node)[..., 0] - wave(3)).max() < 1e-4
    assert np.abs(pixels_of(copy)[..., 0] - wave(7)).max() < 1e-4


def test_functions_of_other_people_wait_for_bake(following, bakery, record_of, tmp_path):
    material = new_material()
    grid_object(material)
    text = text_block("float mine(float3 p) { return p.x; }", "mine.slang")
    node = baked_node(material, text, p=coordinates(material))
    path = str(tmp_path / "other.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    node = next(own for own in bpy.data.materials["m"].node_tree.nodes if own.type == "GROUP")

    node.inputs["P"].default_value = (1, 2, 3)
    bakery.touch()
    follow(following, bakery)
    assert "has not run on this machine before" in record_of(node).error
    assert bakery.bakes == 0

    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}
    assert not record_of(node).error
    bpy.ops.wm.open_mainfile(filepath=path)  # it is this user's from now on
    bakery.touch()
    follow(following, bakery)
    assert bakery.bakes == 2


def test_the_main_thread_is_left_soon(following, bakery):
    material = new_material()
    grid_object(material, cells=100)
    node = baked_node(material, text_block(RINGS), count=3)
    node.node_tree.weft_bake.side = "1024"
    bpy.context.view_layer.update()
    longest, end, quiet = 0.0, time.monotonic() + 20, 0
    while quiet < 5 and time.monotonic() < end:
        start = time.thread_time()
        following.tick()
        longest = max(longest, time.thread_time() - start)
        quiet = quiet + 1 if bakery.is_idle else 0
        time.sleep(0.01)

    assert tuple(image_of(node).size) == (1024, 1024)
    assert longest < 0.5
    print("longest call of the main thread, s of CPU:", longest)


def test_undo_brings_images_back(bakery, following, record_of):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), count=3)
    follow(following, bakery)
    bpy.ops.ed.undo_push(message="one")
    node.inputs["Count"].default_value = 7
    bpy.ops.ed.undo_push(message="two")
    follow(following, bakery)

    bpy.ops.ed.undo()
    follow(following, bakery)

    node = next(own for own in bpy.data.materials["m"].node_tree.nodes if own.type == "GROUP")
    assert node.inputs["Count"].default_value == 3
    assert np.abs(pixels_of(node)[..., 0] - wave(3)).max() < 1e-4
    assert record_of(node).state
    assert weft_blender.node_source(node).form == "BAKED"


def test_edit_mode_is_waited_for(following, bakery, record_of):
    material = new_material()
    thing = grid_object(material)
    node = baked_node(material, text_block(RINGS), count=3)
    follow(following, bakery)
    before = bakery.bakes
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    node.inputs["Count"].default_value = 7

    follow(following, bakery)
    assert bakery.bakes == before
    assert not record_of(node).error
    with pytest.raises(RuntimeError, match="'Grid' is in Edit Mode"):
        bpy.ops.weft.bake_slang_node(group=node.node_tree.name)

    bpy.ops.object.mode_set(mode="OBJECT")
    follow(following, bakery)
    assert np.abs(pixels_of(node)[..., 0] - wave(7)).max() < 1e-4


def test_another_frame_is_followed(following, bakery):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), count=3)
    for frame, count in ((1, 3), (11, 7)):
        node.inputs["Count"].default_value = count
        node.inputs["Count"].keyframe_insert("default_value", frame=frame)
    bpy.context.scene.frame_set(1)
    follow(following, bakery)
    assert np.abs(pixels_of(node)[..., 0] - wave(3)).max() < 1e-4

    bpy.context.scene.frame_set(11)
    follow(following, bakery)
    assert np.abs(pixels_of(node)[..., 0] - wave(7)).max() < 1e-4


def test_a_copied_material_bakes_for_its_own_objects(following, bakery):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), count=3)
    follow(following, bakery)

    other = material.copy()
    grid_object(other, "Other", cells=3)
    copied = next(own for own in other.node_tree.nodes if own.type == "GROUP")
    copied.inputs["Count"].default_value = 7
    follow(following, bakery)

    assert image_of(copied) != image_of(node)
    assert np.abs(pixels_of(copied)[..., 0] - wave(7)).max() < 1e-4
    assert np.abs(pixels_of(node)[..., 0] - wave(3)).max() < 1e-4


def test_attributes_go_although_their_group_was_purged(bakery):
    material = new_material()
    thing = grid_object(material)
    node = baked_node(material, text_block(RINGS))
    node.node_tree.weft_bake.target = "ATTRIBUTE"
    assert bpy.ops.weft.bake_slang_node(group=node.node_tree.name) == {"FINISHED"}
    assert [name for name in thing.data.attributes.keys() if name.startswith("weft")]

    material.node_tree.nodes.remove(node)
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    assert not bpy.data.node_groups
    bpy.ops.wm.save_as_mainfile(filepath=f"{bpy.app.tempdir}/purged.blend")

    assert not [name for name in thing.data.attributes.keys() if name.startswith("weft")]
    assert "weft_baked" not in thing.data


def test_a_group_that_goes_while_it_is_baked_ends_it(following, bakery):
    material = new_material()
    grid_object(material)
    node = baked_node(material, text_block(RINGS), count=3)
    node.node_tree.weft_bake.side = "1024"
    bpy.context.view_layer.update()
    end = time.monotonic() + 20
    while not bpy.data.images and time.monotonic() < end:
        following.tick()
        time.sleep(0.01)
    assert bpy.data.images  # coarse

    bpy.data.node_groups.remove(node.node_tree)
    follow(following, bakery)

    other = baked_node(material, text_block(RINGS), count=3)
    follow(following, bakery)
    assert np.abs(pixels_of(other)[..., 0] - wave(3)).max() < 1e-4
