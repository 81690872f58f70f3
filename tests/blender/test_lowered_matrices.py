# SPDX-License-Identifier: Apache-2.0
"""Matrices of lowered functions: one socket in geometry trees, with Blender's rows and columns."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.lowered_groups import build_group

import weft
import weft_blender
from blender import lowered_values as blender
from blender.test_slang_nodes import text_block

VERSION = bpy.app.version[:2]
TEXT = """
float3 placed(float4x4 m, float3 p) { return mul(m, float4(p, 1)).xyz; }
float4x4 product(float4x4 a, float4x4 b, float s) { return mul(a, b) * s + transpose(a); }
float4x4 passed(float4x4 m, out float4x4 turned) { turned = transpose(m); return m; }
float looped(float4x4 m, float3 p)
{
    float4 v = float4(p, 1);
    for (int i = 0; i < 20; i++)
        v = frac(mul(m, v)) + 0.1f * i;
    return dot(v, v);
}
float3 small(float3x3 m, float3 p) { return mul(m, p); }
"""


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


def lowered(name, tree="geometry"):
    return weft.lower(None, name, text=TEXT, tree=tree, blender=VERSION)


@pytest.mark.parametrize("name", ["placed", "product", "passed", "looped", "small"])
def test_geometry_nodes_compute_with_matrices(name):
    function = lowered(name)
    values = blender.inputs_of(function)
    group = build_group(function.tree, name)

    found = blender.in_geometry_nodes(function, group, values)

    results = function.evaluate(values)
    for socket in function.outputs:
        expected = blender.values_of(socket, results)
        np.testing.assert_allclose(found[socket.name], expected, rtol=1e-4, atol=1e-4)


def geometry_tree(name):
    tree = bpy.data.node_groups.new(name, "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    return tree


def moved(tree, output):
    """Return where points go whose places a tree gives."""
    entry, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    place = tree.nodes.new("GeometryNodeSetPosition")
    tree.links.new(entry.outputs[0], place.inputs["Geometry"])
    tree.links.new(output, place.inputs["Position"])
    tree.links.new(place.outputs[0], end.inputs[0])
    mesh = bpy.data.meshes.new("points")
    mesh.from_pydata([(1, 2, 3), (-4, 5, 0.5)], [], [])
    found = bpy.data.objects.new("points", mesh)
    bpy.context.scene.collection.objects.link(found)
    found.modifiers.new("nodes", "NODES").node_group = tree
    evaluated = found.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    places = np.array([vertex.co for vertex in evaluated.vertices])
    bpy.data.objects.remove(found)
    return places


def test_a_slang_node_places_points_as_transform_point_does():
    tree = geometry_tree("placed")
    matrix = tree.nodes.new("FunctionNodeCombineTransform")
    matrix.inputs["Translation"].default_value = (1, -2, 3)
    matrix.inputs["Rotation"].default_value = (0.3, 0.5, -0.7)
    matrix.inputs["Scale"].default_value = (1, 2, 0.5)
    own = tree.nodes.new("FunctionNodeTransformPoint")
    position = tree.nodes.new("GeometryNodeInputPosition")
    tree.links.new(position.outputs[0], own.inputs["Vector"])
    tree.links.new(matrix.outputs[0], own.inputs["Transform"])
    node = weft_blender.add_node(
        tree, text_block(TEXT), "placed", m=matrix.outputs[0], p=position.outputs[0]
    )
    expected = moved(tree, own.outputs[0])

    found = moved(tree, node.outputs[0])

    assert node.inputs[0].type == "MATRIX"
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_an_unlinked_matrix_changes_nothing():
    tree = geometry_tree("unlinked")
    position = tree.nodes.new("GeometryNodeInputPosition")
    node = weft_blender.add_node(tree, text_block(TEXT), "placed", p=position.outputs[0])

    np.testing.assert_allclose(moved(tree, node.outputs[0]), [(1, 2, 3), (-4, 5, 0.5)])


def test_links_of_matrices_survive_edits():
    tree = geometry_tree("edited")
    text = text_block("float4x4 f(float4x4 m, float x) { return m * x; }")
    first = weft_blender.add_node(tree, text)
    second = weft_blender.add_node(tree, text, m=first.outputs[0], x=3)

    text_block("float4x4 f(float y, float4x4 m, float x) { return m * x + y; }")
    weft_blender.refresh(text)
    assert second.inputs["M"].links[0].from_node == first
    assert second.inputs["X"].default_value == 3
    text_block("float f(float m, float y, float x) { return m * x + y; }")
    weft_blender.refresh(text)
    assert second.inputs["M"].type == "VALUE"
    text_block("float4x4 f(float4x4 m, float x) { return m * x; }")
    weft_blender.refresh(text)

    assert (second.inputs["M"].type, second.inputs["X"].default_value) == ("MATRIX", 3)


@pytest.mark.parametrize("kind", ["ShaderNodeTree", "CompositorNodeTree"])
def test_other_trees_have_a_number_an_element(kind):
    tree = bpy.data.node_groups.new("outer", kind)

    node = weft_blender.add_node(tree, text_block(TEXT), "placed")

    assert len(node.inputs) == 16 + 1
    assert node.inputs[2].name == "0 1"


def test_a_matrix_takes_no_number():
    tree = geometry_tree("wrong")

    with pytest.raises(weft.ArgumentError, match="'m' is Matrix: link an output to it"):
        weft_blender.add_node(tree, text_block(TEXT), "placed", m=3)
