# SPDX-License-Identifier: Apache-2.0
"""Menus of lowered groups: each case computes what the graph of the function does."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.lowered_groups import PART, build_group

import weft
from blender import lowered_values as blender

VERSION = bpy.app.version[:2]
# Long enough that the menu goes through a group of its own, and nothing repeats thrice: that would
# be a zone in geometry trees.
STEPS = "abbabaabbaababbabaababba"
STEP = {"a": "x = sin(x) + 0.3f;", "b": "x = cos(x * 1.5f);"}
TEXT = f"""
enum Edge {{ Hard = 3, verySoft = 7, Round }}
float line(float x, Edge edge = Edge.verySoft)
{{
    {" ".join(STEP[letter] for letter in STEPS)}
    return edge == Edge.Hard ? x : edge == Edge.Round ? 2 * x : x * x;
}}
"""
LABELS = {"Hard": 3, "Very Soft": 7, "Round": 8}
needs_menus = pytest.mark.skipif(VERSION < (5, 2), reason="trees of materials have no menus")


@pytest.fixture(autouse=True)
def folder_of_the_extension(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository))


def line(tree):
    function = weft.lower(None, "line", text=TEXT, tree=tree, blender=VERSION)
    assert function.nodes > PART
    return function, build_group(function.tree, "line")


def samples(count=blender.POINTS):
    return np.linspace(-2, 2, count).astype(np.float32)


def expected(function, x, case):
    return function.evaluate({"x": x, "edge": np.full(len(x), case)})["Result"]


def test_geometry_nodes_compute_the_case_that_a_menu_shows():
    function, group = line("geometry")
    menu = next(item for item in group.interface.items_tree if item.name == "edge")
    assert menu.default_value == "Very Soft"
    number, values = function.inputs[:1], samples()

    for label, case in LABELS.items():
        menu.default_value = label  # nodes that are new show it
        one = type("One", (), {"inputs": number, "outputs": function.outputs})
        found = blender.in_geometry_nodes(one, group, {"x": values})
        np.testing.assert_allclose(
            found["Result"], expected(function, values, case), rtol=1e-5, atol=1e-5
        )


def showing(group, label):
    """Return what makes a node of a group that shows a case."""

    def make(tree):
        node = tree.nodes.new("ShaderNodeGroup")
        node.node_tree = group
        node.inputs[1].default_value = label
        return node

    return make


@needs_menus
def test_cycles_computes_the_case_that_a_menu_shows(tmp_path):
    function, group = line("shader")
    values = samples()
    labels = [*LABELS, "Hard"]  # Blender renders no fewer than four rows
    rows = [
        (label, showing(group, label), function.inputs[:1], {"x": values}, 0) for label in labels
    ]

    found = blender.in_cycles(rows, str(tmp_path / "menus.exr"))

    for picture, label in zip(found, labels, strict=True):
        case = LABELS[label]
        np.testing.assert_allclose(
            picture[:, 0], expected(function, values, case), rtol=1e-5, atol=1e-5
        )


@needs_menus
def test_groups_of_the_compositor_have_menus():
    _, group = line("compositor")
    tree = bpy.data.node_groups.new("outer", "CompositorNodeTree")
    node = tree.nodes.new("CompositorNodeGroup")
    node.node_tree = group

    assert node.inputs[1].default_value == "Very Soft"
    node.inputs[1].default_value = "Round"
    assert node.inputs[1].default_value == "Round"


@pytest.mark.skipif(VERSION >= (5, 2), reason="materials have menus")
def test_materials_without_menus_have_a_number():
    function, group = line("shader")

    item = next(item for item in group.interface.items_tree if item.name == "edge")
    assert (item.socket_type, item.default_value) == ("NodeSocketFloat", 7)
    assert dict(function.inputs[1].cases) == {"Hard": 3, "verySoft": 7, "Round": 8}
