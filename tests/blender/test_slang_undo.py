# SPDX-License-Identifier: Apache-2.0
"""Undo and redo of what is done to Slang nodes: nodes, texts and marks agree afterwards."""

from __future__ import annotations

import bpy
import pytest

import weft
import weft_blender
from blender.test_slang_following import enabled, follow, following
from blender.test_slang_nodes import SUM, WAVE, links_of, text_block, value_node

__all__ = ["enabled", "following"]  # fixtures

LONGER = WAVE.replace("float shift", "float gain = 2, float shift")


def push(message):
    assert bpy.ops.ed.undo_push(message=message) == {"FINISHED"}


def node():
    """Return the node: undo makes other objects of everything."""
    nodes = bpy.data.materials["m"].node_tree.nodes
    return next((entry for entry in nodes if entry.bl_idname == "ShaderNodeGroup"), None)


def names():
    return [socket.name for socket in node().inputs]


@pytest.fixture
def added():
    """A node with a link and a value, after a step of its own."""
    made = bpy.data.materials.new("m")
    if made.node_tree is None:
        made.use_nodes = True
    made.use_fake_user = True
    made.node_tree.nodes.clear()
    push("empty")
    own = weft_blender.add_node(made, text_block(WAVE), frequency=7)
    source = value_node(made.node_tree)
    made.node_tree.links.new(source.outputs[0], own.inputs["Place"])
    push("added")


@pytest.mark.usefixtures("added")
def test_adding_is_undone_and_done_again():
    bpy.ops.ed.undo()
    assert node() is None
    assert not bpy.data.node_groups

    bpy.ops.ed.redo()
    assert links_of(node()) == {"Place": "Value"}
    assert node().inputs["Frequency"].default_value == 7
    assert weft_blender.refresh() == 0


@pytest.mark.usefixtures("added")
def test_an_edit_and_what_it_made_of_the_node_are_undone_together(following):
    text_block(LONGER)
    follow(following, until=lambda: "Gain" in names())
    push("edited")

    for _ in range(2):
        bpy.ops.ed.undo()
        follow(following)
        assert names() == ["Place", "Frequency", "Shift"]
        assert "gain" not in bpy.data.texts["wave.slang"].as_string()
        assert links_of(node()) == {"Place": "Value"}

        bpy.ops.ed.redo()
        follow(following)
        assert names() == ["Place", "Frequency", "Gain", "Shift"]
        assert (node().inputs["Frequency"].default_value, weft_blender.refresh()) == (7, 0)


@pytest.mark.usefixtures("added")
def test_a_mark_is_undone_with_the_error():
    color = tuple(node().color)
    text_block(WAVE.replace("sin(", "sinn("))
    with pytest.raises(weft.CompileError):
        weft_blender.refresh()
    push("error")
    assert node().use_custom_color

    bpy.ops.ed.undo()
    assert (weft_blender.node_source(node()).error, node().use_custom_color) == ("", False)
    assert tuple(node().color) == color

    bpy.ops.ed.redo()
    assert "sinn" in weft_blender.node_source(node()).error
    text_block(WAVE)
    weft_blender.refresh()
    assert (weft_blender.node_source(node()).error, node().use_custom_color) == ("", False)


@pytest.mark.usefixtures("added")
def test_another_function_a_value_and_unpacking_are_undone():
    text = text_block(WAVE + SUM)
    weft_blender.refresh(text)
    push("two functions")
    weft_blender.set_source(node(), function="sum")
    push("sum")
    weft_blender.set_source(node(), build={"rounds": 5})
    push("five rounds")

    bpy.ops.ed.undo()
    assert weft_blender.node_source(node()).build == {"rounds": "3"}
    bpy.ops.ed.undo()
    assert names() == ["Place", "Frequency", "Shift"]
    assert links_of(node()) == {"Place": "Value"}
    bpy.ops.ed.redo()
    bpy.ops.ed.redo()
    assert weft_blender.node_source(node()).build == {"rounds": "5"}
    assert weft_blender.refresh() == 0
