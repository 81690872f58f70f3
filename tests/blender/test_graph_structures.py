# SPDX-License-Identifier: Apache-2.0
"""Reroutes, muted nodes and links, groups: what reaches a socket is what reaches it in Cycles."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from addon.blender.graphs import read_graph
from addon.core.graph.compile import compile_material
from mathutils import Matrix

import weft
from support.node_evaluation import printed

GOLDEN = Path(__file__).parents[1] / "golden"
COLOR = (0.2, 0.5, 0.8)


class Tree:
    """A material's tree, whose cases link something to the colour of an emission."""

    def __init__(self, tree, emission):
        self.tree = tree
        self.color = emission.inputs["Color"]
        self.color.default_value = (0.1, 0.2, 0.3, 1)

    def new(self, kind, **properties):
        node = self.tree.nodes.new(kind)
        for name, value in properties.items():
            setattr(node, name, value)
        return node

    def link(self, output, socket):
        return self.tree.links.new(output, socket)

    def rgb(self):
        node = self.new("ShaderNodeRGB")
        node.outputs[0].default_value = (*COLOR, 1)
        return node.outputs[0]

    def group(self, kind_in, kind_out, build):
        group = bpy.data.node_groups.new("Group", "ShaderNodeTree")
        group.interface.new_socket("In", in_out="INPUT", socket_type=f"NodeSocket{kind_in}")
        group.interface.new_socket("Out", in_out="OUTPUT", socket_type=f"NodeSocket{kind_out}")
        start, end = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
        build(group, start.outputs[0], end)
        node = self.new("ShaderNodeGroup")
        node.node_tree = group
        return node


def a_reroute_without_source(tree):
    tree.link(tree.new("NodeReroute").outputs[0], tree.color)


def reroutes_of_two_kinds(tree):
    first, second = tree.new("NodeReroute"), tree.new("NodeReroute")
    half = tree.new("ShaderNodeMath", operation="MULTIPLY")
    tree.link(tree.rgb(), first.inputs[0])
    tree.link(first.outputs[0], half.inputs[0])
    tree.link(half.outputs[0], second.inputs[0])
    tree.link(second.outputs[0], tree.color)


def a_muted_node_that_passes_its_first_input(tree):
    mix = tree.new("ShaderNodeMix", data_type="RGBA", mute=True)
    tree.link(tree.rgb(), next(s for s in mix.inputs if s.identifier == "A_Color"))
    tree.link(next(s for s in mix.outputs if s.identifier == "Result_Color"), tree.color)


def a_muted_node_whose_second_input_is_linked(tree):
    math = tree.new("ShaderNodeMath", mute=True)
    tree.link(tree.rgb(), math.inputs[1])
    tree.link(math.outputs[0], tree.color)


def a_muted_node_without_links(tree):
    math = tree.new("ShaderNodeMath", mute=True)
    math.inputs[0].default_value = 0.25
    tree.link(math.outputs[0], tree.color)


def a_muted_node_that_passes_nothing(tree):
    tree.link(tree.new("ShaderNodeTexNoise", mute=True).outputs[0], tree.color)


def a_muted_link(tree):
    tree.link(tree.rgb(), tree.color).is_muted = True


def a_group_that_makes_a_colour_a_float(tree):
    group = tree.group("Float", "Color", lambda g, out, end: g.links.new(out, end.inputs[0]))
    tree.link(tree.rgb(), group.inputs[0])
    tree.link(group.outputs[0], tree.color)


def a_group_with_a_vector_of_its_own(tree):
    def build(group, output, end):
        math = group.nodes.new("ShaderNodeMath")
        group.links.new(output, math.inputs[0])
        group.links.new(math.outputs[0], end.inputs[0])

    group = tree.group("Vector", "Float", build)
    group.inputs[0].default_value = (0.1, 0.2, 0.6)
    tree.link(group.outputs[0], tree.color)


def a_group_whose_output_is_not_linked(tree):
    def build(_group, _output, end):
        end.inputs[0].default_value = (0.3, 0.4, 0.5, 1)

    tree.link(tree.group("Color", "Color", build).outputs[0], tree.color)


def a_group_without_output(tree):
    group = tree.group("Color", "Color", lambda g, out, end: g.nodes.remove(end))
    tree.link(group.outputs[0], tree.color)


def a_muted_group(tree):
    group = tree.group("Color", "Color", lambda g, out, end: None)
    group.mute = True
    tree.link(tree.rgb(), group.inputs[0])
    tree.link(group.outputs[0], tree.color)


CASES = [
    a_reroute_without_source,
    reroutes_of_two_kinds,
    a_muted_node_that_passes_its_first_input,
    a_muted_node_whose_second_input_is_linked,
    a_muted_node_without_links,
    a_muted_node_that_passes_nothing,
    a_muted_link,
    a_group_that_makes_a_colour_a_float,
    a_group_with_a_vector_of_its_own,
    a_group_whose_output_is_not_linked,
    a_group_without_output,
    a_muted_group,
]


@pytest.fixture
def script():
    """The script that renders rows of squares."""
    sys.path.insert(0, str(GOLDEN))
    spec = importlib.util.spec_from_file_location("cycles_nodes", GOLDEN / "cycles_nodes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(GOLDEN))


def test_every_structure_gives_what_cycles_gets(script, tmp_path):
    mesh, values = script.squares(), []
    for number, build in enumerate(CASES):
        material, emission = script.lights.new_material(build.__name__, "ShaderNodeEmission")
        build(Tree(material.node_tree, emission))
        row = script.lights.add_object(build.__name__, mesh, Matrix.Translation((0, number, 0)))
        row.material_slots[0].link = "OBJECT"
        row.material_slots[0].material = material
        result = compile_material(read_graph(material.node_tree), {}, material.name)
        assert result.problems == []
        values.append(printed(result.material.surface.inputs["color"], {}, []))

    expected = script.picture(len(CASES), str(tmp_path / "rows.exr"))[:, 0]

    lines = [f"case {k}: return float3({value});" for k, value in enumerate(values)]
    body = f"switch (k) {{ {' '.join(lines)} default: return float3(0.f); }}"
    source = f"import weft.nodes;\npublic float3 valueOf(int k) {{ {body} }}"
    module = weft.Module.load_from_source(weft.create_device(), "structures", source)
    found = module.valueOf(np.arange(len(CASES), dtype=np.int32)).to_numpy()
    wrong = {
        build.__name__: (found[k].tolist(), expected[k].tolist())
        for k, build in enumerate(CASES)
        # Blender 4.5 and 5.0 differ by 2e-5 in the luminance of a colour.
        if np.abs(found[k] - expected[k]).max() > 5e-5
    }
    assert not wrong, "\n".join(f"{name}: {pair}" for name, pair in wrong.items())
