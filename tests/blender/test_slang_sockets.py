# SPDX-License-Identifier: Apache-2.0
"""Panels that a boolean switches, and ranges of sliders."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft_blender
from blender import lowered_values as blender
from blender.test_slang_nodes import text_block

COAT = """import weft.node;
float coat(float x, [ClosedPanel("Coat"), SoftRange(0, 1), Range(0, 10)] float weight = 0.5f,
           [PanelToggle("Coat")] bool hasCoat = true)
{
    return hasCoat ? x + weight : x;
}
"""


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture(params=["ShaderNodeTree", "GeometryNodeTree", "CompositorNodeTree"])
def tree(request):
    return bpy.data.node_groups.new("outer", request.param)


def entries(node):
    """Return what stands in panels: (kind, name, name of the panel)."""
    items = node.node_tree.interface.items_tree
    return [
        (item.item_type, item.name, item.parent.name if item.parent.index >= 0 else "")
        for item in items
        if item.item_type == "PANEL" or item.in_out == "INPUT"
    ]


def toggle_of(node):
    return next(
        (
            item
            for item in node.node_tree.interface.items_tree
            if getattr(item, "is_panel_toggle", 0)
        ),
        None,
    )


def test_a_boolean_switches_its_panel(tree):
    text = text_block(COAT)
    node = weft_blender.add_node(tree, text, hasCoat=False)
    source = tree.nodes.new(node.bl_idname)
    source.node_tree = node.node_tree
    tree.links.new(source.outputs[0], node.inputs["Weight"])

    names = [name for kind, name, panel in entries(node) if kind == "SOCKET" and panel == "Coat"]
    assert next(i for i in node.node_tree.interface.items_tree if i.name == "Coat").default_closed
    if tree.bl_idname == "CompositorNodeTree" and bpy.app.version < (5, 2):
        assert (toggle_of(node), names) == (None, ["Weight", "Has Coat"])
        assert node.inputs["Has Coat"].default_value == 0
        return
    assert names == ["Coat", "Weight"]
    toggle = toggle_of(node)
    assert (toggle.name, toggle.default_value) == ("Coat", True)
    assert node.inputs["Coat"].default_value is False

    # No switch any more, and one again: link and value stay.
    text_block(COAT.replace('[PanelToggle("Coat")]', '[Panel("Coat")]'))
    weft_blender.refresh(text)
    assert toggle_of(node) is None
    assert entries(node)[2:] == [("SOCKET", "Weight", "Coat"), ("SOCKET", "Has Coat", "Coat")]
    text_block(COAT)
    weft_blender.refresh(text)
    assert toggle_of(node) is not None
    assert not node.inputs["Coat"].default_value
    assert node.inputs["Weight"].is_linked


def test_a_slider_has_the_soft_range(tree):
    node = weft_blender.add_node(tree, text_block(COAT), weight=7)

    item = next(i for i in node.node_tree.interface.items_tree if i.name == "Weight")
    assert (item.min_value, item.max_value) == (0, 1)
    assert node.inputs["Weight"].default_value == 7


def test_cycles_computes_what_a_switch_says(tmp_path):
    text = text_block(COAT)

    def showing(is_on):
        def make(tree):
            return weft_blender.add_node(tree, text, x=1, hasCoat=is_on)

        return make

    states = [True, False, True, False]
    rows = [(f"row{k}", showing(is_on), [], {}, 0) for k, is_on in enumerate(states)]

    found = blender.in_cycles(rows, str(tmp_path / "coat.exr"))

    np.testing.assert_allclose(found[:, 0, 0], [1.5, 1, 1.5, 1], rtol=1e-5)


def test_what_a_function_returns_is_a_color(tree):
    text = text_block("import weft.node;\n[Color] float3 f(float3 x) { return x; }\n")
    node = weft_blender.add_node(tree, text)

    assert (node.outputs[0].name, node.outputs[0].type) == ("Result", "RGBA")
    assert node.inputs["X"].type == "VECTOR"
