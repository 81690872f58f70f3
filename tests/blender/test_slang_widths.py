# SPDX-License-Identifier: Apache-2.0
"""Slang nodes are as wide as their words ask for; a width that a person chose stays."""

from __future__ import annotations

import bpy
import pytest

import weft_blender
from blender.test_slang_nodes import text_block
from blender.test_slang_panel import run

SHORT = "float f(float x) { return x; }\n"
LONG = "float f(float x, float heightVariation = 0.5) { return x + heightVariation; }\n"
LONGER = LONG.replace("heightVariation", "heightVariationOfEveryBrick")
BLENDERS = 140


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture(params=["ShaderNodeTree", "GeometryNodeTree", "CompositorNodeTree"])
def tree(request):
    return bpy.data.node_groups.new("outer", request.param)


def follow_text(content):
    weft_blender.refresh(text_block(content))


def test_a_long_label_widens_the_node(tree):
    short = weft_blender.add_node(tree, text_block(SHORT, "short.slang"))
    long = weft_blender.add_node(tree, text_block(LONG, "long.slang"))

    assert short.width == BLENDERS
    assert BLENDERS < long.width < 1.5 * BLENDERS
    assert long.node_tree.default_group_node_width == long.width


def test_nodes_of_a_group_that_is_there_are_as_wide(tree):
    nodes = [weft_blender.add_node(tree, text_block(LONG)) for _ in range(2)]

    assert nodes[0].node_tree == nodes[1].node_tree
    assert nodes[0].width == nodes[1].width > BLENDERS


def test_operators_and_dropped_files_widen_it(tree, tmp_path):
    path = tmp_path / "long.slang"
    path.write_text(LONG)
    dropping = bpy.types.WEFT_FH_slang.bl_import_operator.removeprefix("weft.")
    assert run(tree, dropping, filepath=str(path)) == {"FINISHED"}
    dropped = tree.nodes.active
    text_block(LONG, "long.slang")
    assert run(tree, "add_slang_node", source="text:long.slang") == {"FINISHED"}
    added = tree.nodes.active

    assert dropped != added
    assert dropped.width == added.width > BLENDERS


def test_nodes_follow_the_words_of_their_text(tree):
    node = weft_blender.add_node(tree, text_block(SHORT))

    widths = []
    for content in (LONG, LONGER, SHORT):
        follow_text(content)
        widths.append(node.width)

    assert BLENDERS < widths[0] < widths[1]
    assert widths[2] == BLENDERS


def test_a_width_of_the_users_own_stays(tree):
    node = weft_blender.add_node(tree, text_block(LONG))
    other = weft_blender.add_node(tree, text_block(LONG))
    node.width = 155

    follow_text(LONGER)

    assert node.width == 155
    assert other.width > 155
    assert weft_blender.add_node(tree, text_block(LONGER)).width == other.width


def test_a_default_of_the_users_own_stays(tree):
    node = weft_blender.add_node(tree, text_block(LONG))
    node.width = node.node_tree.default_group_node_width = 155

    follow_text(LONGER)

    assert node.width == node.node_tree.default_group_node_width == 155
    assert weft_blender.add_node(tree, text_block(LONGER)).width == 155


def test_a_node_that_becomes_another_function_follows_it(tree):
    text = text_block(SHORT + LONG.replace(" f(", " g("))
    nodes = [weft_blender.add_node(tree, text, "f") for _ in range(3)]
    nodes[1].width = 155

    for node in nodes:
        if node != nodes[2]:
            assert run(tree, "change_slang_function", node, function="g") == {"FINISHED"}

    assert nodes[0].width > BLENDERS
    assert [node.width for node in nodes[1:]] == [155, BLENDERS]
