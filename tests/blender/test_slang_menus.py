# SPDX-License-Identifier: Apache-2.0
"""Enumerations of Slang nodes: menus or numbers, whose cases keep their names."""

from __future__ import annotations

import bpy
import pytest
from addon.blender.graphs import read_graph
from addon.blender.slang_nodes.values import modifier_value, set_modifier_value
from addon.core.graph.compile import compile_material

import weft
import weft_blender

HAS_MENUS = bpy.app.version >= (5, 2)
EDGE = """import weft.node;
enum Edge { Hard = 3, verySoft = 7, Round }
float line(float x, [Tooltip("How it ends")] Edge edge = Edge.verySoft)
{
    return edge == Edge.Hard ? x : edge == Edge.Round ? 2 * x : x * x;
}
"""
OTHER_CASES = EDGE.replace("{ Hard = 3, verySoft = 7, Round }", "{ Flat, verySoft, Round, Hard }")


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


def text_block(content, name="line.slang"):
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write(content)
    return text


@pytest.fixture(params=["ShaderNodeTree", "GeometryNodeTree", "CompositorNodeTree"])
def tree(request):
    return bpy.data.node_groups.new("outer", request.param)


def is_menu(tree):
    return HAS_MENUS or tree.bl_idname == "GeometryNodeTree"


def edge_of(node):
    """Return the case that a node uses, whatever its socket is."""
    socket = node.inputs["Edge"]
    if socket.type == "MENU":
        return socket.default_value
    return {3: "Hard", 7: "Very Soft", 8: "Round"}[socket.default_value]


def test_an_enumeration_is_a_menu_or_a_number_that_says_its_cases(tree):
    node = weft_blender.add_node(tree, text_block(EDGE))

    item = next(i for i in node.node_tree.interface.items_tree if i.name == "Edge")
    if is_menu(tree):
        assert (item.socket_type, item.description) == ("NodeSocketMenu", "How it ends")
        assert (item.default_value, node.inputs["Edge"].default_value) == ("Very Soft",) * 2
    else:
        assert item.description == "How it ends. 3: Hard, 7: verySoft, 8: Round"
        assert node.inputs["Edge"].default_value == 7


@pytest.mark.parametrize("case", ["Round", "Edge.Round", 8])
def test_scripts_name_a_case(tree, case):
    assert edge_of(weft_blender.add_node(tree, text_block(EDGE), edge=case)) == "Round"


def test_a_case_that_is_not_there_is_named(tree):
    with pytest.raises(
        weft.ArgumentError, match=r"no case 'Square'; it has: Hard, verySoft, Round"
    ):
        weft_blender.add_node(tree, text_block(EDGE), edge="Square")
    assert not tree.nodes


def test_cases_keep_their_names_when_others_come_and_go(tree):
    text = text_block(EDGE)
    nodes = {
        case: weft_blender.add_node(tree, text, edge=case) for case in ("Hard", "verySoft", "Round")
    }

    text_block(OTHER_CASES)
    assert weft_blender.refresh(text) == 1

    places = {"Hard": 3, "verySoft": 1, "Round": 2}
    for case, node in nodes.items():
        value = node.inputs["Edge"].default_value
        label = "Very Soft" if case == "verySoft" else case
        assert value == (label if is_menu(tree) else places[case])

    # Hard goes: what used it gets the default.
    text_block(OTHER_CASES.replace(", Hard }", " }").replace("edge == Edge.Hard ? x : ", ""))
    weft_blender.refresh(text)
    value = nodes["Hard"].inputs["Edge"].default_value
    assert value == ("Very Soft" if is_menu(tree) else 1)


def test_an_integer_becomes_an_enumeration_and_back(tree):
    text = text_block(EDGE.replace("Edge edge = Edge.verySoft", "int edge = 7"))
    node = weft_blender.add_node(tree, text, edge=8)

    text_block(EDGE)
    weft_blender.refresh(text)
    assert edge_of(node) == "Round"

    text_block(EDGE.replace("Edge edge = Edge.verySoft", "int edge = 7"))
    weft_blender.refresh(text)
    assert node.inputs["Edge"].default_value == 8


def test_a_modifier_keeps_its_case():
    tree = bpy.data.node_groups.new("outer", "GeometryNodeTree")
    text = text_block(EDGE)
    group = weft_blender.add_node(tree, text).node_tree
    thing = bpy.data.objects.new("o", bpy.data.meshes.new("m"))
    bpy.context.scene.collection.objects.link(thing)
    modifier = thing.modifiers.new("m", "NODES")
    modifier.node_group = group
    identifier = next(i.identifier for i in group.interface.items_tree if i.name == "Edge")
    set_modifier_value(modifier, identifier, "Round")
    assert modifier_value(modifier, identifier) == "Round"

    text_block(OTHER_CASES)
    weft_blender.refresh(text)

    assert modifier_value(modifier, identifier) == "Round"


def test_an_enumeration_that_bounds_a_loop_is_a_value_of_the_node(tree):
    text = text_block("""enum Quality { Low = 2, High = 4 }
float f(float x, Quality quality = Quality.High)
{
    for (int i = 0; i < int(quality); i++) { x = sin(x); }
    return x;
}
""")
    node = weft_blender.add_node(tree, text)

    assert [socket.name for socket in node.inputs] == ["X"]
    assert weft_blender.node_source(node).build == {"quality": "Quality.High"}


def test_osl_shows_the_menu_that_nodes_show():
    tree = bpy.data.node_groups.new("outer", "ShaderNodeTree")
    node = weft_blender.add_node(tree, text_block(EDGE), edge="Round")

    weft_blender.set_source(node, form="OSL")

    assert edge_of(node) == "Round"
    kinds = {inner.bl_idname for inner in node.node_tree.nodes}
    assert "ShaderNodeScript" in kinds
    assert ("GeometryNodeMenuSwitch" in kinds) == HAS_MENUS


@pytest.mark.skipif(not HAS_MENUS, reason="materials have no menus")
def test_wefts_engine_follows_menus(device):
    material = bpy.data.materials.new("m")
    tree = material.node_tree
    tree.nodes.clear()
    node = weft_blender.add_node(tree, text_block(EDGE), x=3)
    principled = tree.nodes.new("ShaderNodeBsdfPrincipled")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(node.outputs[0], principled.inputs["Roughness"])
    tree.links.new(principled.outputs[0], end.inputs["Surface"])
    results = []
    for number, case in enumerate(("Hard", "Very Soft", "Round")):
        node.inputs["Edge"].default_value = case

        found = compile_material(read_graph(tree), {}, "m")

        assert list(found.problems) == []
        call = found.material.surface.inputs["roughness"]
        module = device.load_module_from_source(f"menu_{number}", call.source)
        numbers = (entry.value for entry in call.arguments.values())
        results.append(getattr(module, call.function)(*numbers))
    assert results == [3, 9, 6]
