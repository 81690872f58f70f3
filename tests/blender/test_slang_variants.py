# SPDX-License-Identifier: Apache-2.0
"""Overloads and generic functions: which one a node is, chosen in the panel, kept over edits."""

from __future__ import annotations

import json

import bpy
import pytest

import weft
import weft_blender
from blender.test_slang_nodes import text_block
from blender.test_slang_panel import drawn, run, texts

OVERLOADS = """
float f(float x) { return x; }
float f(float2 x) { return x.y; }
float f(float3 x, int n = 2) { return x.z * clamp(n, 0, 9); }
"""
GENERIC = """
interface IShape { float area(float x); }
struct Disk : IShape { float radius; float area(float x) { return radius * x; } }
struct Box : IShape { float width, height; float area(float x) { return width * height * x; } }
struct Other { float y; }
float area<T : IShape>(T shape, float x = 3) { return shape.area(x); }
vector<float, N> twice<let N : int>(vector<float, N> x) { return x + x; }
"""


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture
def tree():
    return bpy.data.node_groups.new("outer", "ShaderNodeTree")


def function_of(node):
    return weft_blender.node_source(node).function


def names(node):
    return [socket.name for socket in node.inputs]


def panel(tree, node):
    return texts(drawn(bpy.types.NODE_PT_weft_slang, tree, node))


def test_the_panel_changes_the_overload_and_links_stay(tree):
    node = weft_blender.add_node(tree, text_block(OVERLOADS), "f(float2)")
    value = tree.nodes.new("ShaderNodeValue")
    tree.links.new(value.outputs[0], node.inputs["X"])
    assert {"f", "(float2)"} <= set(panel(tree, node))

    assert run(tree, "change_slang_variant", node, variant="(float3, int)") == {"FINISHED"}

    assert function_of(node) == "f(float3, int)"
    assert names(node) == ["X", "N"]
    assert node.inputs["X"].is_linked
    assert "no overload is 'f(half)'" in run(tree, "change_slang_variant", node, variant="(half)")
    assert function_of(node) == "f(float3, int)"


def test_an_overload_stays_the_same_when_its_types_and_others_change(tree):
    text = text_block(OVERLOADS)
    node = weft_blender.add_node(tree, text, "f(float3, int)", n=4)

    text_block(
        "float f(half x) { return x; }" + OVERLOADS.replace("int n = 2", "int n = 2, bool b = true")
    )
    weft_blender.refresh(text)
    assert function_of(node) == "f(float3, int, bool)"
    assert (names(node), node.inputs["N"].default_value) == (["X", "N", "B"], 4)

    # The others go, and come back: f is no overload for a while.
    text_block(OVERLOADS[OVERLOADS.index("float f(float3") :])
    weft_blender.refresh(text)
    assert function_of(node) == "f"
    text_block(OVERLOADS)
    weft_blender.refresh(text)
    assert function_of(node) == "f(float3, int)"
    assert node.inputs["N"].default_value == 4


def test_a_generic_function_is_a_node_with_arguments_that_it_takes(tree):
    node = weft_blender.add_node(tree, text_block(GENERIC), "area")

    assert function_of(node) == "area<Disk>"
    assert names(node) == ["X", "Radius"]
    assert {"area", "<Disk>"} <= set(panel(tree, node))

    assert run(tree, "change_slang_variant", node, variant="<Box>") == {"FINISHED"}
    assert names(node) == ["X", "Width", "Height"]
    assert "cannot have these arguments" in run(
        tree, "change_slang_variant", node, variant="<Other>"
    )
    assert function_of(node) == "area<Box>"


def test_arguments_are_kept_over_edits(tree):
    text = text_block(GENERIC)
    node = weft_blender.add_node(tree, text, "area<Box>", x=5)

    text_block(GENERIC.replace("float x = 3", "float x = 3, float scale = 1"))
    weft_blender.refresh(text)
    assert (function_of(node), node.inputs["X"].default_value) == ("area<Box>", 5)

    text_block(
        "import weft.node;\n" + GENERIC.replace("float area<", '[WasNamed("area")] float a<')
    )
    weft_blender.refresh(text)
    assert (function_of(node), node.inputs["X"].default_value) == ("a<Box>", 5)


def test_counts_are_offered(tree):
    node = weft_blender.add_node(tree, text_block(GENERIC), "twice<3>")

    assert node.inputs["X"].type == "VECTOR"
    tag = json.loads(node.node_tree["weft_slang"])
    assert tag["variants"] == ["twice<2>", "twice<3>", "twice<4>"]


def test_a_generic_function_without_known_arguments_says_so(tree):
    text = text_block("interface I { float g(); }\nfloat f<T : I>(T x) { return x.g(); }\n")

    with pytest.raises(weft.ArgumentError, match="'f' is generic: name its arguments"):
        weft_blender.add_node(tree, text)


def test_cases_of_numbers_are_chosen_by_name(tree):
    text = text_block(
        "enum Edge { Hard = 3, Soft = 7 }\nfloat f(Edge edge) { return int(edge); }\n"
    )
    node = weft_blender.add_node(tree, text)
    if bpy.app.version >= (5, 2):
        assert "Hard" not in panel(tree, node)  # the node's own menu shows it
        return
    assert "Hard" in panel(tree, node)

    assert run(tree, "choose_slang_case", node, name="edge", case="Soft") == {"FINISHED"}

    assert node.inputs["Edge"].default_value == 7
    assert "Soft" in panel(tree, node)
