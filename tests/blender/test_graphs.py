# SPDX-License-Identifier: Apache-2.0
"""Blender's node trees as plain data."""

from __future__ import annotations

import bpy
import pytest
from addon.blender.graphs import CURVE_SAMPLES, read_graph
from addon.core.graph.compile import compile_material


@pytest.fixture
def material():
    made = bpy.data.materials.new("Wood.001")
    if made.node_tree is None:  # to set it is deprecated where it always is
        made.use_nodes = True
    yield made
    bpy.data.materials.remove(made)


def node_of(tree, kind):
    return next(node for node in tree.nodes if node.bl_idname == kind)


def grain_group():
    """A group with a slider from 0 to 3 that a Math node doubles."""
    tree = bpy.data.node_groups.new("Grain", "ShaderNodeTree")
    socket = tree.interface.new_socket("Amount", in_out="INPUT", socket_type="NodeSocketFloat")
    socket.min_value, socket.max_value = 0.0, 3.0
    tree.interface.new_socket("Result", in_out="OUTPUT", socket_type="NodeSocketFloat")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    double = tree.nodes.new("ShaderNodeMath")
    double.operation, double.inputs[1].default_value = "MULTIPLY", 2.0
    tree.links.new(start.outputs[0], double.inputs[0])
    tree.links.new(double.outputs[0], end.inputs[0])
    return tree


def test_sockets_links_and_properties_are_read(material):
    tree = material.node_tree
    math = tree.nodes.new("ShaderNodeMath")
    math.operation, math.inputs[0].default_value = "SINE", 0.75
    tree.links.new(math.outputs[0], node_of(tree, "ShaderNodeBsdfPrincipled").inputs["Roughness"])

    graph = read_graph(tree)

    read = graph.nodes["Math"]
    assert read.kind == "ShaderNodeMath"
    assert read.properties["operation"] == "SINE"
    assert read.find_input("Value").value == 0.75
    assert [s.is_enabled for s in read.inputs if s.identifier != "Value"] in ([False] * 2, [])
    assert graph.nodes["Principled BSDF"].find_input("Roughness").link == ("Math", "Value")
    assert graph.nodes["Principled BSDF"].find_input("Base Color").value == pytest.approx(
        (0.8, 0.8, 0.8, 1.0)
    )


def test_groups_are_read_with_their_sliders(material):
    tree = material.node_tree
    group = tree.nodes.new("ShaderNodeGroup")
    group.node_tree = grain_group()
    group.inputs[0].default_value = 0.2
    tree.links.new(group.outputs[0], node_of(tree, "ShaderNodeBsdfPrincipled").inputs["Roughness"])

    result = compile_material(read_graph(tree), {}, material.name)

    found = {binding.label: binding for binding in result.bindings}
    amount = found['"Wood.001".Group.Amount']
    assert (amount.low, amount.high) == (0.0, 3.0)
    assert amount.value == pytest.approx(0.2)
    assert found['"Wood.001".Group.Math.inputs[1]'].tree == "Grain"
    assert result.problems == []


def test_muted_nodes_and_links_are_read(material):
    tree = material.node_tree
    math = tree.nodes.new("ShaderNodeMath")
    math.mute = True
    link = tree.links.new(
        math.outputs[0], node_of(tree, "ShaderNodeBsdfPrincipled").inputs["Roughness"]
    )

    assert read_graph(tree).nodes["Math"].internal_links == {"Value": "Value"}

    link.is_muted = True

    assert read_graph(tree).nodes["Principled BSDF"].find_input("Roughness").link is None


def test_ramps_and_curves_are_read(material):
    tree = material.node_tree
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.elements.new(0.25).color = (1, 0, 0, 0.5)
    curve = tree.nodes.new("ShaderNodeFloatCurve")
    curve.mapping.curves[0].points[1].location = (1, 0.5)
    curve.mapping.update()

    graph = read_graph(tree)

    stops = graph.nodes[ramp.name].properties["color_ramp"]
    assert stops["positions"] == (0.0, 0.25, 1.0)
    assert stops["colors"][1] == (1.0, 0.0, 0.0, 0.5)
    samples = graph.nodes[curve.name].properties["mapping"]["samples"][0]
    assert len(samples) == CURVE_SAMPLES
    assert samples[-1] == pytest.approx(0.5)


@pytest.mark.parametrize("target", ["world", "light"])
def test_worlds_and_lights_are_read(target):
    if target == "world":
        owner = bpy.data.worlds.new("Studio")
    else:
        owner = bpy.data.lights.new("Studio", "POINT")
    if owner.node_tree is None:
        owner.use_nodes = True
    kind = "ShaderNodeBackground" if target == "world" else "ShaderNodeEmission"
    node_of(owner.node_tree, kind).inputs["Strength"].default_value = 3.0

    result = compile_material(read_graph(owner.node_tree), {}, owner.name, target=target)

    assert result.material.surface.inputs["strength"].numbers == (3.0,)
