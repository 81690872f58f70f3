# SPDX-License-Identifier: Apache-2.0
"""Slang nodes whose structures are Bundle sockets: scripts, edits, and where there are none."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft
import weft_blender
from blender import lowered_values as blender
from blender.test_slang_nodes import text_block

HAS_BUNDLES = bpy.app.version >= (5, 2, 0)
needs_bundles = pytest.mark.skipif(not HAS_BUNDLES, reason="this Blender has no bundles")
WALL = """import weft.node;
enum Edge { Hard = 3, Soft = 7 }
struct Inner { float2 at = float2(1, 2); int count = 4; }
struct Wall
{
    float size = 2;
    [Color] float3 color = float3(1, 0.5f, 0);
    Inner inner;
    Edge edge = Edge.Soft;
}
[Bundle] Wall bigger([Bundle] Wall wall, float by = 2) { wall.size *= by; return wall; }
float3 shown([Bundle] Wall wall)
{
    return wall.color * wall.size + float3(0, wall.inner.at.y, clamp(wall.inner.count, 0, 9))
         + (wall.edge == Edge.Hard ? 100 : 0);
}
"""


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture(params=["ShaderNodeTree", "GeometryNodeTree", "CompositorNodeTree"])
def tree(request):
    return bpy.data.node_groups.new("outer", request.param)


def has_bundles(tree):
    return HAS_BUNDLES and tree.bl_idname != "CompositorNodeTree"


def shown_in_cycles(make, path):
    """Return the color that a node gives which `make` adds to a tree."""
    found = blender.in_cycles([("row", make, (), {}, 0)] * 4, str(path))
    return found[0, 0]


def test_a_structure_is_one_socket_where_there_are_bundles(tree):
    node = weft_blender.add_node(tree, text_block(WALL), "bigger")

    names = [socket.name for socket in node.inputs]
    if has_bundles(tree):
        assert names == ["Wall", "By"]
        assert [socket.type for socket in node.inputs] == ["BUNDLE", "VALUE"]
        assert [socket.type for socket in node.outputs] == ["BUNDLE"]
    else:
        assert names == ["By", "Size", "Color", "Inner At", "Inner Count", "Edge"]
        assert node.inputs["Size"].default_value == 2
        assert tuple(node.inputs["Color"].default_value) == (1, 0.5, 0, 1)
        assert [socket.type for socket in node.outputs][:2] == ["VALUE", "RGBA"]


def test_a_script_gives_structures_as_dicts(tree, tmp_path):
    other = weft_blender.add_node(tree, text_block("float f() { return 3; }", "three.slang"))
    wall = {"size": other.outputs[0], "color": (0, 1, 0), "inner": {"count": 7}, "edge": "Hard"}

    node = weft_blender.add_node(tree, text_block(WALL), "shown", wall=wall)

    if not has_bundles(tree):
        assert node.inputs["Size"].links[0].from_node == other
        assert node.inputs["Inner Count"].default_value == 7
        assert node.inputs["Inner At"].default_value[1] == 2
        return
    bundle = node.inputs["Wall"].links[0].from_node
    assert [item.name for item in bundle.bundle_items] == ["Size", "Color", "Inner", "Edge"]
    assert bundle.inputs["Size"].links[0].from_node == other
    assert tuple(bundle.inputs["Color"].default_value) == (0, 1, 0, 1)
    inner = bundle.inputs["Inner"].links[0].from_node
    assert tuple(inner.inputs["At"].default_value) == (1, 2, 0)
    assert inner.inputs["Count"].default_value == 7
    assert bundle.inputs["Edge"].default_value == 3


def test_cycles_shows_what_a_script_gave(tmp_path):
    text = text_block(WALL)

    def make(tree):
        wall = {"size": 4, "color": (0, 1, 0), "inner": {"count": 7}}
        first = weft_blender.add_node(tree, text, "bigger", wall=wall, by=3)
        if HAS_BUNDLES:
            return weft_blender.add_node(tree, text, "shown", wall=first.outputs[0])
        fields = ("size", "color", "inner.at", "inner.count")
        links = dict(zip(fields, first.outputs, strict=False))
        return weft_blender.add_node(tree, text, "shown", wall=links)

    np.testing.assert_allclose(shown_in_cycles(make, tmp_path / "a.exr"), [0, 14, 7], rtol=1e-5)


@pytest.mark.parametrize(
    ("wall", "message"),
    [
        ({"sise": 2}, "'sise'|wall.sise"),
        ({"size": "big"}, "'wall.size' is Float"),
        ({"inner": {"at": {"x": 2}}}, "wall.inner.at"),
        ({"edge": "Round"}, "has no case 'Round'; it has: Hard, Soft"),
        (3, "'wall'"),
    ],
)
def test_what_does_not_fit_leaves_nothing(tree, wall, message):
    with pytest.raises(weft.ArgumentError, match=message):
        weft_blender.add_node(tree, text_block(WALL), "shown", wall=wall)

    assert not len(tree.nodes)


def edited(text, *changes):
    content = text.as_string()
    for old, new in changes:
        assert old in content
        content = content.replace(old, new)
    text_block(content, text.name)
    weft_blender.refresh(text)


@needs_bundles
def test_links_and_values_stay_when_a_structure_becomes_a_bundle_and_a_panel(tree):
    text = text_block(WALL.replace("[Bundle] ", ""))
    source = weft_blender.add_node(tree, text_block("float f() { return 3; }", "three.slang"))
    wall = {"size": source.outputs[0], "inner": {"count": 8}}
    first = weft_blender.add_node(tree, text, "bigger", wall=wall)
    links = {"size": first.outputs[0], "inner": {"count": first.outputs[3]}}
    second = weft_blender.add_node(tree, text, "bigger", wall=links, by=5)
    third = weft_blender.add_node(tree, text, "shown", wall={"size": second.outputs[0]})

    for _ in range(2):
        edited(text, ("(Wall wall", "([Bundle] Wall wall"), ("Wall bigger", "[Bundle] Wall bigger"))
        if not has_bundles(tree):
            return
        bundle = first.inputs["Wall"].links[0].from_node
        assert bundle.inputs["Size"].links[0].from_node == source
        assert bundle.inputs["Inner"].links[0].from_node.inputs["Count"].default_value == 8
        between = second.inputs["Wall"].links[0].from_node
        assert between.inputs["Size"].links[0].from_node.bl_idname == "NodeSeparateBundle"
        assert between.inputs["Inner"].links[0].from_node.inputs["Count"].is_linked
        assert second.inputs["By"].default_value == 5
        assert third.inputs["Wall"].is_linked

        edited(text, ("[Bundle] ", ""))
        assert first.inputs["Size"].links[0].from_node == source
        assert first.inputs["Inner Count"].default_value == 8
        assert second.inputs["Size"].links[0].from_node == first
        assert second.inputs["Inner Count"].links[0].from_socket == first.outputs[3]
        assert not second.inputs["Inner At"].is_linked
        assert third.inputs["Size"].links[0].from_node == second
        assert not [node for node in tree.nodes if "Bundle" in node.bl_idname]


@needs_bundles
def test_links_of_bundles_stay_when_structures_change(tree):
    if not has_bundles(tree):
        return
    text = text_block(WALL)
    first = weft_blender.add_node(tree, text, "bigger")
    second = weft_blender.add_node(tree, text, "shown", wall=first.outputs[0])

    edited(text, ("float size = 2;", "float size = 2; float more;"))
    brick = '[WasNamed("wall")] Wall brick)\n{\n    Wall wall = brick;\n    return wall.color'
    edited(text, ("Wall wall)\n{\n    return wall.color", brick))

    assert second.inputs["Brick"].links[0].from_node == first


def test_an_unlinked_bundle_has_the_values_of_the_structure(tmp_path):
    text = text_block(WALL)

    def make(tree):
        return weft_blender.add_node(tree, text, "shown")

    np.testing.assert_allclose(shown_in_cycles(make, tmp_path / "a.exr"), [2, 3, 4], rtol=1e-5)


def test_in_osl_a_structure_is_a_panel():
    tree = bpy.data.node_groups.new("outer", "ShaderNodeTree")
    bpy.context.scene.render.engine = "CYCLES"

    node = weft_blender.add_node(tree, text_block(WALL), "shown", form="OSL", wall={"size": 3})

    assert node.inputs["Size"].default_value == 3
