# SPDX-License-Identifier: Apache-2.0
"""Menus, operators and panels of Slang Evaluate; a layout notes what would be drawn."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

import weft_blender
from blender.evaluating import HALVINGS, LIFTED, add, give, grid, shown, text_block, update
from blender.panel import Layout
from blender.test_slang_panel import run


@pytest.fixture(autouse=True)
def enabled(extension, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / "trusted"))
    return extension


@pytest.fixture
def tree():
    return bpy.data.node_groups.new("Outer", "GeometryNodeTree")


def drawn(name, context):
    """What a panel draws."""
    module = importlib.import_module("addon.ui.slang_nodes")
    cls = next(own for own in module.CLASSES if own.__name__ == name)
    layout = Layout()
    assert cls.poll(context)
    cls.draw(SimpleNamespace(layout=layout), context)
    return [text for _, text, _ in layout.drawn]


def test_the_panel_of_the_modifier():
    thing = grid(4)
    modifier = add(thing, HALVINGS)

    words = drawn("WEFT_PT_evaluation", bpy.context)
    assert words == ["Halvings: halvings (f.slang)", "Domain: Point", "Remove Slang Evaluate"]

    give(thing, modifier, "gain", "densty")
    update()
    assert any("no attribute 'densty'" in one for one in drawn("WEFT_PT_evaluation", bpy.context))


def test_the_domain_is_changed_for_one_modifier():
    first, second = grid(4), grid(4, "Second")
    text = "float f(int index) { return index; }"
    add(first, text)
    add(second, text)
    bpy.context.view_layer.objects.active = first
    assert first.modifiers[0].node_group == second.modifiers[0].node_group

    assert bpy.ops.weft.change_evaluation_domain(domain="FACE") == {"FINISHED"}
    update()

    assert len(shown(first)) == 9
    assert len(shown(second)) == 16
    assert len([one for one in first.data.attributes if "weft" in one.name]) == 1


def test_a_domain_that_does_not_fit_is_refused():
    thing = grid(4)
    add(thing, LIFTED, height=1.0)

    with pytest.raises(RuntimeError, match="choose the domain Point"):
        bpy.ops.weft.change_evaluation_domain(domain="FACE")

    assert len(thing.modifiers) == 1


def test_a_source_of_several_functions_asks_for_one():
    grid(4)
    text_block(HALVINGS + LIFTED)

    with pytest.raises(RuntimeError, match="name one of halvings, lifted"):
        bpy.ops.weft.add_evaluation(source="f.slang")


def test_a_node_is_added_in_the_editor(tree):
    text_block(HALVINGS)

    assert run(tree, "add_slang_node", source="f.slang", is_evaluated=True) == {"FINISHED"}

    node = tree.nodes.active
    assert [socket.name for socket in node.inputs][:2] == ["Geometry", "Gain"]
    assert [socket.name for socket in node.outputs] == ["Geometry", "Result"]


def test_the_panel_of_a_node(tree):
    node = weft_blender.add_node(tree, text_block(HALVINGS), form="ENGINE")
    tree.nodes.active = node
    looking = SimpleNamespace(
        space_data=SimpleNamespace(edit_tree=tree), active_node=node, scene=bpy.context.scene
    )

    words = drawn("NODE_PT_weft_slang", looking)

    assert "Domain: Point" in words
    assert run(tree, "change_evaluation_domain", node, domain="EDGE") == {"FINISHED"}
    words = drawn("NODE_PT_weft_slang", looking)
    assert "Domain: Edge" in words


def test_shader_trees_have_none():
    material = bpy.data.materials.new("m")
    if material.node_tree is None:
        material.use_nodes = True
    text_block(HALVINGS)

    said = run(material.node_tree, "add_slang_node", source="f.slang", is_evaluated=True)

    assert "geometry nodes" in said


def test_values_of_a_modifier_are_those_of_the_function():
    thing = grid(4)
    add(thing, "float f(float a = 2, int n = 3, bool on = true) { return on ? a * n : 0; }")

    assert np.allclose(shown(thing), 6)
