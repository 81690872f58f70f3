# SPDX-License-Identifier: Apache-2.0
"""Structures of lowered functions: bundles where trees have them, and the values by default."""

from __future__ import annotations

import numpy as np
import pytest

import weft

TEXT = """
import weft.node;
static const float kSize = 2.5f;
enum Edge { Hard = 3, Soft = 7 }
struct Inner { float2 at = float2(1, 2); int count = 4; bool isOn = true; }
struct Wall
{
    float size = kSize * 2;
    [Color] float3 color = 0.5f;
    Inner inner;
    Edge edge = Edge.Soft;
    float3 place;
}
[Bundle] Wall f([Bundle] Wall wall, [Bundle] Inner given = { float2(3, 4) }, float x = 2)
{
    wall.size += x * given.at.y;
    return wall;
}
struct Made { float x; __init(float y) { x = y; } }
float made([Bundle] Made made) { return made.x; }
"""


def lowered(name: str, tree: str, blender: str = "5.2", **options: str) -> weft.Lowered:
    return weft.lower(None, name, text=TEXT, tree=tree, blender=blender, **options)


@pytest.mark.parametrize(
    ("tree", "blender", "is_bundle"),
    [
        ("geometry", "5.2", True),
        ("shader", "5.2", True),
        ("compositor", "5.2", False),
        ("geometry", "4.5", False),
        ("shader", "4.5", False),
    ],
)
def test_a_structure_is_a_bundle_where_trees_have_them(
    tree: str, blender: str, is_bundle: bool
) -> None:
    found = lowered("f", tree, blender)

    names = [socket.name for socket in found.inputs]
    if is_bundle:
        assert names == ["wall", "given", "x"]
        assert {socket.type for socket in found.inputs[:2]} == {"NodeSocketBundle"}
        assert [socket.type for socket in found.outputs] == ["NodeSocketBundle"]
    else:
        assert names[:3] == ["wall.size", "wall.color", "wall.inner.at"]
        assert found.inputs[0].items == ()


def test_items_have_the_values_that_slang_gives_the_structure() -> None:
    wall, given, _ = lowered("f", "geometry").inputs

    found = [(item.name, item.type, item.default) for item in wall.items]
    assert found == [
        ("size", "NodeSocketFloat", 5.0),
        ("color", "NodeSocketColor", (0.5, 0.5, 0.5)),
        ("inner", "NodeSocketBundle", None),
        ("edge", "NodeSocketInt", 7.0),
        ("place", "NodeSocketVector", None),
    ]
    assert [item.default for item in wall.items[2].items] == [(1.0, 2.0), 4.0, 1.0]
    assert dict(wall.items[3].cases) == {"Hard": 3, "Soft": 7}
    assert [item.default for item in given.items] == [(3.0, 4.0), 4.0, 1.0]


def test_sockets_of_fields_have_them_too() -> None:
    panel = {socket.name: socket for socket in lowered("f", "shader", "4.5").inputs}
    osl = lowered("f", "shader", to="osl")

    assert panel["wall.size"].default == 5
    assert panel["given.at"].default == (3, 4)
    assert [socket.name for socket in osl.inputs] == list(panel)
    assert "color wall_color = color(0.5, 0.5, 0.5)" in osl.text
    assert "vector given_at = vector(3.0, 4.0, 0.0)" in osl.text


def test_values_are_given_and_taken_a_field_each() -> None:
    found = lowered("f", "geometry")

    names = {variable.name: variable for variable in found.parameters}
    assert list(names)[:3] == ["wall.size", "wall.color", "wall.inner.at"]
    values = {
        name: np.ones((2, own.components) if own.components > 1 else 2)
        for name, own in names.items()
    }
    np.testing.assert_array_equal(found.evaluate(values)["Result.size"], [2, 2])


def test_a_structure_that_needs_values_has_none_by_default() -> None:
    (socket,) = lowered("made", "geometry").inputs

    assert [(item.name, item.default) for item in socket.items] == [("x", None)]
