# SPDX-License-Identifier: Apache-2.0
"""Slang Evaluate as a node between others in a tree of geometry nodes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft_blender
from blender.evaluating import (
    HALVINGS,
    LIFTED,
    add,
    evaluator,
    give,
    grid,
    halvings,
    places,
    problems,
    text_block,
    update,
)


@pytest.fixture(autouse=True)
def enabled(extension, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / "trusted"))
    return extension


@pytest.fixture
def tree():
    """A tree that hands its geometry on."""
    made = bpy.data.node_groups.new("Outer", "GeometryNodeTree")
    for way in ("OUTPUT", "INPUT"):
        made.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    made.nodes.new("NodeGroupInput"), made.nodes.new("NodeGroupOutput")
    return made


def with_tree(tree, name="Grid"):
    thing = grid(4, name)
    thing.modifiers.new("Outer", "NODES").node_group = tree
    return thing


def lift(tree, node):
    """Link: subdivide, evaluate, lift by the result."""
    new, link = tree.nodes.new, tree.links.new
    begin, end = tree.nodes["Group Input"], tree.nodes["Group Output"]
    more, up, mover = (
        new(kind)
        for kind in ("GeometryNodeSubdivideMesh", "ShaderNodeCombineXYZ", "GeometryNodeSetPosition")
    )
    link(begin.outputs[0], more.inputs["Mesh"])
    link(more.outputs["Mesh"], node.inputs["Geometry"])
    link(node.outputs["Geometry"], mover.inputs["Geometry"])
    link(node.outputs["Result"], up.inputs["Z"])
    link(up.outputs[0], mover.inputs["Offset"])
    link(mover.outputs[0], end.inputs[0])


def test_a_node_between_others(tree):
    thing = with_tree(tree)
    node = weft_blender.add_node(tree, text_block(HALVINGS), form="ENGINE", gain=2.0)
    lift(tree, node)
    update()

    found = places(thing)
    assert len(found) == 49
    assert np.allclose(found[:, 2], halvings(found[:, 0], 2), rtol=1e-4)

    node.inputs["Gain"].default_value = 3
    update()
    update()
    found = places(thing)
    assert np.allclose(found[:, 2], halvings(found[:, 0], 3), rtol=1e-4)
    count = evaluator().evaluations
    update()
    assert evaluator().evaluations == count
    assert problems() == []


def test_fields_are_linked(tree):
    thing = with_tree(tree)
    text = text_block("float f(float x) { return x * x; }")
    node = weft_blender.add_node(tree, text, form="ENGINE")
    place = tree.nodes.new("GeometryNodeInputPosition")
    apart = tree.nodes.new("ShaderNodeSeparateXYZ")
    tree.links.new(place.outputs[0], apart.inputs[0])
    tree.links.new(apart.outputs["Y"], node.inputs["X"])
    lift(tree, node)
    update()

    assert np.allclose(places(thing)[:, 2], places(thing)[:, 1] ** 2, atol=1e-6)


def test_a_tree_of_several_objects_is_refused_in_one_sentence(tree):
    with_tree(tree)
    with_tree(tree, "Other")
    node = weft_blender.add_node(tree, text_block(HALVINGS), form="ENGINE")
    lift(tree, node)
    update()

    assert all("several modifiers have the tree 'Outer'" in one for one in problems())
    assert problems()


def test_a_node_that_is_removed_takes_its_carrier_along(tree):
    thing = with_tree(tree)
    node = weft_blender.add_node(tree, text_block(HALVINGS), form="ENGINE")
    lift(tree, node)
    update()
    assert [one for one in bpy.data.objects if "weft_carrier" in one]

    tree.nodes.remove(node)
    thing.update_tag()
    update()

    assert not [one for one in bpy.data.objects if "weft_carrier" in one]


def test_the_text_is_followed(tree):
    thing = with_tree(tree)
    node = weft_blender.add_node(tree, text_block(HALVINGS), form="ENGINE", gain=1.0)
    lift(tree, node)
    update()

    text_block(HALVINGS.replace("gain * sum", "gain + 0 * sum"))
    assert weft_blender.refresh() == 1
    update()

    assert np.allclose(places(thing)[:, 2], 1)


def test_one_object_takes_what_another_one_gives(tree):
    first = grid(3, "First")
    first.modifiers.new("Array", "ARRAY").count = 1
    modifier = add(first, LIFTED, name="lifted.slang", height=2.0)
    thing = with_tree(tree, "Second")
    node = weft_blender.add_node(
        tree, text_block("float f(float3 position) { return position.z; }"), form="ENGINE"
    )
    lift(tree, node)
    other = tree.nodes.new("GeometryNodeObjectInfo")
    other.inputs["Object"].default_value = first
    tree.links.new(other.outputs["Geometry"], tree.nodes["Subdivide Mesh"].inputs["Mesh"])
    update()
    assert np.allclose(places(thing)[:, 2], 4)

    give(first, modifier, "height", 5.0)
    update()

    assert np.allclose(places(thing)[:, 2], 10)
    assert problems() == []


def test_inputs_that_do_not_reach_the_end_are_said(tree):
    with_tree(tree)
    node = weft_blender.add_node(tree, text_block(HALVINGS), form="ENGINE")
    lift(tree, node)
    whole = tree.nodes.new("GeometryNodeGeometryToInstance")
    tree.links.new(tree.nodes["Set Position"].outputs[0], whole.inputs["Geometry"])
    tree.links.new(whole.outputs[0], tree.nodes["Group Output"].inputs[0])
    update()

    assert any("realize instances" in one for one in problems())


@pytest.mark.skipif(
    "is_inactive" not in bpy.types.NodeSocket.bl_rna.properties,
    reason="this Blender draws no sockets grey",
)
def test_inputs_are_not_drawn_as_if_they_did_nothing(tree, tmp_path):
    np.save(tmp_path / "table.npy", np.ones(4, np.float32))
    text = text_block(
        "float f(float3 position, float gain, int count, ITensor<float, 1> table)"
        " { return gain * position.x * count * table[0]; }\n"
    )
    node = weft_blender.add_node(
        tree, text, form="ENGINE", gain=2, count=3, table=str(tmp_path / "table.npy")
    )
    entry, end = tree.nodes["Group Input"], tree.nodes["Group Output"]
    store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    store.inputs["Name"].default_value = "shown"
    tree.links.new(entry.outputs[0], node.inputs["Geometry"])
    tree.links.new(node.outputs["Geometry"], store.inputs["Geometry"])
    tree.links.new(node.outputs["Result"], store.inputs["Value"])
    tree.links.new(store.outputs[0], end.inputs[0])
    bpy.context.view_layer.update()

    grey = [socket.name for socket in node.inputs if socket.is_inactive]

    assert not {"Geometry", "Gain", "Count", "Table"} & set(grey)
