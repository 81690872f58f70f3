# SPDX-License-Identifier: Apache-2.0
"""Sockets whose names could mean one another are different parameters."""

from __future__ import annotations

import numpy as np
import pytest
from addon.core.graph.addresses import find_binding
from addon.core.graph.compile import compile_material
from addon.core.graph.model import Graph, ImageData, Node, Socket

import weft
from support.node_graphs import GraphBuilder, surface_graph
from weft.render.upload import material_table
from weft.scene.materials import textures_of


def held(name, value, socket="Value"):
    return Node(name, "ShaderNodeValue", outputs=(Socket("Value", socket, "VALUE", value),))


def group_of(name, nodes, links=(), outputs=1):
    """A group node's tree: `links` are the sources of its outputs."""
    ends = tuple(
        Socket(f"Socket_{k}", f"Out {k}", "VALUE", 0.0, link=links[k]) for k in range(outputs)
    )
    end = Node("Group Output", "NodeGroupOutput", inputs=ends)
    return Graph(name, {node.name: node for node in (*nodes, end)})


def used(name, tree):
    ends = [entry for entry in tree.nodes["Group Output"].inputs]
    outputs = tuple(Socket(entry.identifier, entry.name, "VALUE", 0.0) for entry in ends)
    return Node(name, "ShaderNodeGroup", outputs=outputs, tree=tree)


def compiled(nodes, links, name="M", **options):
    builder = GraphBuilder()
    for node in nodes:
        builder.put(node)
    node = builder.add("ShaderNodeBsdfPrincipled", "Principled BSDF", inputs=links)
    return compile_material(surface_graph(builder, node), {}, name, **options)


def kernel(*materials):
    table = material_table([entry.material for entry in materials])
    return {name: float(table.values[place.first]) for name, place in table.ranges.items()}


def values_of(*materials):
    """What each parameter is in Blender, and in the kernel."""
    inside = kernel(*materials)
    found = [b for entry in materials for b in entry.bindings if b.path[-1] != "Principled BSDF"]
    return [(b.value, pytest.approx(inside[b.parameter])) for b in found]


def test_a_node_with_a_dot_is_not_a_node_in_a_group():
    inner = group_of("G", [held("B", 0.2)], [("B", "Value")])
    made = compiled(
        [held("A.B", 0.1), used("A", inner)],
        {"Roughness": ("A.B", "Value"), "Metallic": ("A", "Socket_0")},
    )

    assert sorted(values_of(made)) == [(0.1, 0.1), (0.2, 0.2)]
    assert find_binding(made, 'M."A.B".Value').value == 0.1
    assert find_binding(made, "M.A.B.Value").value == 0.2


def test_a_node_with_a_slash_is_not_a_node_in_a_group():
    inner = group_of("G", [held("B", 0.2)], [("B", "Value")])
    made = compiled(
        [held("A/B", 0.1), used("A", inner)],
        {"Roughness": ("A/B", "Value"), "Metallic": ("A", "Socket_0")},
    )

    assert [find_binding(made, t).value for t in ("M.A/B.Value", "M.A.B.Value")] == [0.1, 0.2]


def test_a_material_with_a_dot_is_not_a_node_of_another():
    first = compiled([held("B.C", 0.1)], {"Roughness": ("B.C", "Value")}, "A")
    second = compiled([held("C", 0.2)], {"Roughness": ("C", "Value")}, "A.B")

    assert values_of(first, second) == [(0.1, 0.1), (0.2, 0.2)]
    assert find_binding([first, second], '"A.B".C.Value').value == 0.2
    with pytest.raises(weft.ArgumentError, match=r'may be A\."B\.C"\.Value, "A\.B"\.C\.Value'):
        find_binding([first, second], "A.B.C.Value")


def test_a_group_of_the_trees_own_name_keeps_its_numbers():
    outer = surface_graph(GraphBuilder(), GraphBuilder().add("ShaderNodeEmission", "E")).name
    inner = group_of(outer, [held("N", 0.2)], [("N", "Value")])
    made = compiled(
        [held("N", 0.1), used("G", inner)],
        {"Roughness": ("N", "Value"), "Metallic": ("G", "Socket_0")},
    )

    assert sorted(values_of(made)) == [(0.1, 0.1), (0.2, 0.2)]


@pytest.mark.parametrize("name", ["roughness", "first", "coat_weight"])
def test_a_node_called_as_an_input_of_weft_is_not_that_input(name):
    made = compiled([held(name, 0.1, "value")], {"Metallic": (name, "Value")}, keep=())

    assert (0.1, 0.1) in values_of(made)
    assert find_binding(made, f"M.{name}.value").value == 0.1


def test_names_do_not_depend_on_what_else_is_compiled():
    tree = group_of("G", [held("N", 0.1)], [("N", "Value")])
    nodes = [used("Second", tree), used("First", tree)]
    ways = [
        {"Roughness": ("First", "Socket_0"), "Metallic": ("Second", "Socket_0")},
        {"Metallic": ("First", "Socket_0"), "Roughness": ("Second", "Socket_0")},
        {"Metallic": ("First", "Socket_0")},
    ]

    names = {
        next(b.parameter for b in compiled(nodes, way).bindings if b.tree == "G") for way in ways
    }

    assert names == {"M.Second.N.Value"}
    made = compiled(nodes, ways[0])
    assert find_binding(made, "M.First.N.Value") == find_binding(made, "M.Second.N.Value")


def test_images_of_a_node_with_a_slash_and_of_a_node_in_a_group_are_two_textures():
    def image(name):
        builder = GraphBuilder()
        builder.add("ShaderNodeTexImage", name, image=name)
        return builder.graph().nodes[name]

    tree = group_of("G", [image("B")], [("B", "Color")])
    pixels = np.ones((2, 2, 3), np.float32)
    builder = GraphBuilder()
    for node in (image("A/B"), used("A", tree)):
        builder.put(node)
    links = {"Base Color": ("A/B", "Color"), "Specular Tint": ("A", "Socket_0")}
    end = builder.add("ShaderNodeBsdfPrincipled", "Principled BSDF", inputs=links)
    images = {name: ImageData(name, pixels) for name in ("A/B", "B")}
    made = compile_material(surface_graph(builder, end), images, "M")

    assert {entry.texture: entry.image for entry in made.textures} == {"A/B": "A/B", "A.B": "B"}
    assert {entry.name for entry in textures_of(made.material.surface)} == {"A/B", "A.B"}
