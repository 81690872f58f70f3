# SPDX-License-Identifier: Apache-2.0
"""Slang nodes from other files: appended with their texts, linked, overridden, packed."""

from __future__ import annotations

import importlib

import bpy
import pytest
from addon.blender.slang_nodes.values import modifier_value, set_modifier_value

import weft
import weft_blender
from blender.test_slang_following import enabled, follow, following
from blender.test_slang_nodes import WAVE, text_block

__all__ = ["enabled", "following"]  # fixtures

OTHER = "float wave(float other) { return other; }\n"


def material_named(name):
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    return made


def node_of(owner):
    tree = getattr(owner, "node_tree", owner)
    return next(node for node in tree.nodes if getattr(node, "node_tree", None))


@pytest.fixture
def library(tmp_path):
    """A file with a material and an object whose modifier is a Slang node's group."""
    text = text_block(WAVE)
    text.use_fake_user = False
    material = material_named("m")
    material.use_fake_user = True
    weft_blender.add_node(material, text, frequency=7)
    tree = bpy.data.node_groups.new("outer", "GeometryNodeTree")
    group = weft_blender.add_node(tree, text).node_tree
    thing = bpy.data.objects.new("thing", bpy.data.meshes.new("mesh"))
    bpy.context.scene.collection.objects.link(thing)
    thing.modifiers.new("wave", "NODES").node_group = group
    file = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return file


def load(file, kind, name, **options):
    with bpy.data.libraries.load(file, **options) as (_, wanted):
        setattr(wanted, kind, [name])
    return getattr(wanted, kind)[0]


def test_a_node_brings_its_text(library, following):
    found = load(library, "materials", "m")

    node = node_of(found)
    assert weft_blender.node_source(node).source == "text:wave.slang"
    assert bpy.data.texts["wave.slang"].as_string().strip() == WAVE.strip()
    text_block(WAVE.replace("float shift", "float gain = 2, float shift"))
    follow(following, until=lambda: "Gain" in node.inputs)
    assert node.inputs["Frequency"].default_value == 7


def test_a_text_of_the_same_name_is_another_one(library, following):
    own = weft_blender.add_node(material_named("own"), text_block(OTHER), other=3)

    node = node_of(load(library, "materials", "m"))
    follow(following)

    assert weft_blender.node_source(node).source == "text:wave.slang.001"
    assert [socket.name for socket in node.inputs] == ["Place", "Frequency", "Shift"]
    assert weft_blender.node_source(own).source == "text:wave.slang"
    assert [socket.name for socket in own.inputs] == ["Other"]
    assert node.node_tree != own.node_tree
    assert {weft_blender.node_source(entry).error for entry in (node, own)} == {""}


def test_what_comes_twice_is_joined_and_its_text_too(library):
    for _ in range(3):
        load(library, "materials", "m")

    importlib.import_module("addon.blender.slang_nodes.joining").join_equal_groups()

    assert len(bpy.data.materials) == 3
    assert len({node_of(entry).node_tree for entry in bpy.data.materials}) == 1
    assert [text.name for text in bpy.data.texts] == ["wave.slang"]


def test_a_linked_node_becomes_editable_when_it_is_made_local(library):
    linked = load(library, "materials", "m", link=True)
    with pytest.raises(weft.ArgumentError, match=r"linked from .*library\.blend"):
        weft_blender.set_source(node_of(linked), form="NODES")
    assert weft_blender.slang_nodes()[0].error == ""

    local = linked.make_local()
    group = node_of(local).node_tree.make_local()
    text_block(WAVE.replace("float shift", "float gain = 2, float shift"), "wave.slang")
    weft_blender.set_source(node_of(local), "wave.slang", "wave")

    assert node_of(local).node_tree == group
    assert "Gain" in node_of(local).inputs
    assert node_of(local).inputs["Frequency"].default_value == 7


def test_an_overridden_object_keeps_the_value_of_its_modifier(library, following):
    linked = load(library, "objects", "thing", link=True)
    bpy.context.scene.collection.objects.link(linked)
    own = linked.override_create(remap_local_usages=True)
    modifier = own.modifiers["wave"]
    group = modifier.node_group
    identifier = next(i.identifier for i in group.interface.items_tree if i.name == "Shift")
    set_modifier_value(modifier, identifier, 0.5)

    follow(following)
    with pytest.raises(weft.ArgumentError, match=r"linked from .*library\.blend"):
        weft_blender.refresh()

    assert (own.library, group.library is not None) == (None, True)
    assert modifier_value(modifier, identifier) == pytest.approx(0.5)
    # A group of this file on the same object is an ordinary one.
    tree = bpy.data.node_groups.new("outer", "GeometryNodeTree")
    text = text_block(WAVE, "local.slang")
    added = own.modifiers.new("more", "NODES")
    added.node_group = weft_blender.add_node(tree, text).node_tree
    set_modifier_value(added, identifier, 0.75)
    text_block(WAVE.replace("float shift", "float gain = 2, float shift"), "local.slang")
    assert weft_blender.refresh(text) == 1
    assert modifier_value(added, identifier) == pytest.approx(0.75)


@pytest.mark.skipif(bpy.app.version < (5, 0), reason="libraries are packed from 5.0 on")
def test_a_packed_node_is_left_alone(library, following):
    packed = load(library, "materials", "m", link=True, pack=True)
    group = node_of(packed).node_tree

    follow(following)
    with pytest.raises(weft.ArgumentError, match="make it local"):
        weft_blender.refresh()

    assert not group.is_editable
    assert weft_blender.node_source(node_of(packed)).error == ""
