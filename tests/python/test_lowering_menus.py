# SPDX-License-Identifier: Apache-2.0
"""Parameters that are enumerations are menus, where trees have them."""

from __future__ import annotations

import numpy as np
import pytest

import weft

TEXT = """
enum Edge { Hard = 3, Soft = 7, Round }
struct Line { Edge edge; float width; }
float line(float x, Edge edge = Edge.Soft) { return edge == Edge.Hard ? x : x * x; }
float drawn(Line line) { return line.edge == Edge.Round ? line.width : 0; }
Edge other(Edge edge = Edge::Round) { return edge == Edge.Hard ? Edge.Soft : Edge.Hard; }
float repeated(float x, Edge edge)
{
    for (int i = 0; i < int(edge); i++)
        x = x * x + 1;
    return x;
}
"""
CASES = {"Hard": 3, "Soft": 7, "Round": 8}


@pytest.mark.parametrize(
    ("tree", "blender", "kind"),
    [
        ("geometry", "4.5", "NodeSocketMenu"),
        ("geometry", "5.2", "NodeSocketMenu"),
        ("shader", "4.5", "NodeSocketFloat"),
        ("shader", "5.2", "NodeSocketMenu"),
        ("compositor", "4.5", "NodeSocketFloat"),
        ("compositor", "5.2", "NodeSocketMenu"),
    ],
)
def test_the_socket_has_the_cases_of_an_enumeration(tree: str, blender: str, kind: str) -> None:
    lowered = weft.lower(None, "line", text=TEXT, tree=tree, blender=blender)

    edge = lowered.inputs[1]
    assert (edge.type, dict(edge.cases), edge.default) == (kind, CASES, 7)
    switches = [node for node in lowered.tree["nodes"] if "items" in node]
    assert [node["items"] for node in switches] == [list(CASES)] * (kind == "NodeSocketMenu")
    values = {"x": np.float32([3, 3]), "edge": np.array([3, 7])}
    assert list(lowered.evaluate(values)["Result"]) == [3, 9]


def test_fields_have_cases_and_results_are_numbers() -> None:
    field = weft.lower(None, "drawn", text=TEXT, tree="geometry").inputs[0]
    assert (field.name, field.type, field.cases) == ("line.edge", "NodeSocketMenu", CASES)

    lowered = weft.lower(None, "other", text=TEXT, tree="geometry")
    assert lowered.inputs[0].default == 8
    assert lowered.outputs[0].type == "NodeSocketInt"


def test_a_shader_in_osl_takes_the_number() -> None:
    lowered = weft.lower(None, "line", text=TEXT, to="osl")

    assert (lowered.inputs[1].type, lowered.inputs[1].cases) == ("NodeSocketFloat", CASES)
    assert "int edge = 7" in lowered.text


def test_an_enumeration_that_bounds_a_loop_is_a_build_value() -> None:
    with pytest.raises(weft.ArgumentError, match="a loop may have"):
        weft.lower(None, "repeated", text=TEXT)
    lowered = weft.lower(None, "repeated", text=TEXT, build={"edge": "Edge.Hard"})

    assert [socket.name for socket in lowered.inputs] == ["x"]
    assert lowered.evaluate({"x": np.float32([1])})["Result"] == 26
