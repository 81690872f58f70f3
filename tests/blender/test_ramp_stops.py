# SPDX-License-Identifier: Apache-2.0
"""Stops of colour ramps as parameters: found, written and restored like sockets."""

from __future__ import annotations

import pytest


def ramp_places():
    """Places of a ramp's numbers by name, and the ramp."""
    import bpy
    from addon.blender.fit_sockets import SocketRef
    from addon.blender.graphs import read_graph
    from addon.core.graph.compile import compile_material

    material = bpy.data.materials.new("Rust")
    if material.node_tree is None:
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    node = tree.nodes.new("ShaderNodeValToRGB")
    noise = tree.nodes.new("ShaderNodeTexNoise")
    surface = tree.nodes.new("ShaderNodeBsdfDiffuse")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(noise.outputs[0], node.inputs[0])
    tree.links.new(node.outputs["Color"], surface.inputs["Color"])
    tree.links.new(surface.outputs[0], end.inputs["Surface"])
    bindings = compile_material(read_graph(tree), {}, material.name_full).bindings
    places = {b.socket_name: SocketRef.of_binding(b) for b in bindings if "ramp" in b.socket}
    return places, node.color_ramp


def test_stops_are_written_and_restored(extension):
    places, ramp = ramp_places()
    color, position = places["Stop 2 Color"], places["Stop 1 Position"]
    old = tuple(color.require_socket().default_value)

    assert color.write((0.5, 0.25, 0.125))
    assert position.write((0.25,))

    assert tuple(ramp.elements[1].color) == (0.5, 0.25, 0.125, 1.0)
    assert ramp.elements[0].position == 0.25
    color.write_exactly(old)
    assert tuple(ramp.elements[1].color) == pytest.approx((1, 1, 1, 1))


def test_a_stop_that_was_removed_is_not_written(extension):
    places, ramp = ramp_places()
    ramp.elements.remove(ramp.elements[1])

    assert places["Stop 2 Color"].write((1, 0, 0)) is False
