# SPDX-License-Identifier: Apache-2.0
"""Structures that are bundles: lowered groups compute what the graphs of the functions do."""

from __future__ import annotations

import random

import bpy
import numpy as np
import pytest
from addon.blender.lowered_groups import PART, build_group

import weft
from blender import lowered_values as blender

VERSION = bpy.app.version[:2]
HAS_BUNDLES = VERSION >= (5, 2)
needs_bundles = pytest.mark.skipif(not HAS_BUNDLES, reason="this Blender has no bundles")
TEXT = """
import weft.node;
enum Edge { Hard = 3, Soft = 7 }
struct Inner { float2 at = float2(1, 2); int n = 4; bool on = true; }
struct Wall
{
    float size = 2;
    [Color] float3 color = float3(1, 0.5f, 0);
    float3 place;
    Inner inner;
    Inner layers[2];
    Edge edge = Edge.Soft;
    float4 rest = 0.25f;
}
[Bundle] Wall changed([Bundle] Wall wall, float x, [Bundle] inout Inner other,
                       Inner panel)
{
    wall.size *= x + panel.at.y;
    wall.color = wall.color.bgr + panel.at.x;
    wall.inner.n = clamp(wall.inner.n, -1000, 1000) + clamp(other.n, -1000, 1000);
    wall.layers[0].at += other.at;
    wall.layers[1].on = wall.layers[1].on != other.on;
    wall.layers[0].n = clamp(wall.layers[0].n, -1000, 1000);
    wall.layers[1].n = wall.layers[0].n + 1;
    other.n = wall.edge == Edge.Hard ? 5 : 6;
    wall.edge = Edge.Hard;
    return wall;
}
float4 shown([Bundle] Wall wall)
{
    float number = clamp(wall.inner.n, -99, 99) + 100 * (wall.inner.on ? 1 : 0)
                 + 1000 * wall.layers[1].at.y + 10000 * (wall.edge == Edge.Soft ? 1 : 0);
    return float4(wall.color * wall.size + wall.place, number + wall.rest.w);
}
"""
UNLINKED = [2, 1, 0, 4 + 100 + 2000 + 10000 + 0.25]


@pytest.fixture(autouse=True)
def folder_of_the_extension(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository))


def lowered(name, tree, text=TEXT):
    return weft.lower(None, name, text=text, tree=tree, blender=VERSION)


def plain(function, group):
    """Return a function and its group without bundles."""
    return blender.unbundled(function, group) if HAS_BUNDLES else (function, group)


def check_points(function):
    values = blender.inputs_of(function)
    own, group = plain(function, build_group(function.tree, function.name))

    found = blender.in_geometry_nodes(own, group, values)

    results = function.evaluate(values)
    for socket in own.outputs:
        expected = blender.values_of(socket, results)
        np.testing.assert_allclose(
            found[socket.name], expected, rtol=1e-4, atol=1e-4, err_msg=socket.name
        )


def rows_of(function, group, values):
    """Return a row for each output of a group, and what it gives."""

    def make(tree):
        node = tree.nodes.new("ShaderNodeGroup")
        node.node_tree = flat
        return node

    results = function.evaluate(values)
    own, flat = plain(function, group)
    rows = [
        (socket.name, make, own.inputs, values, number) for number, socket in enumerate(own.outputs)
    ]
    return rows, [blender.values_of(socket, results) for socket in own.outputs]


def check_cycles(function, path):
    rows, expected = rows_of(
        function, build_group(function.tree, function.name), blender.inputs_of(function)
    )
    while len(rows) < 4:  # Blender renders no fewer
        rows, expected = rows + rows, expected + expected

    found = blender.in_cycles(rows, path)

    for row, picture, values in zip(rows, found, expected, strict=True):
        got = picture if values.ndim == 2 else picture[:, 0]
        np.testing.assert_allclose(
            got, values.astype(np.float32), rtol=1e-4, atol=1e-4, err_msg=row[0]
        )


@needs_bundles  # in panels enumerations are menus, which take no values from points
@pytest.mark.parametrize("name", ["changed", "shown"])
def test_geometry_nodes_compute_with_bundles(name):
    check_points(lowered(name, "geometry"))


@pytest.mark.parametrize("name", ["changed", "shown"])
def test_cycles_computes_with_bundles(name, tmp_path):
    check_cycles(lowered(name, "shader"), str(tmp_path / "bundles.exr"))


def test_bundles_go_into_groups_of_parts(tmp_path):
    steps = "x = sin(x) + b.y; y = cos(y * 1.5f) + x;" * 20
    text = (
        "import weft.node; struct B { float x = 1; float y = 2; }\n"
        f"[Bundle] B f([Bundle] B b) {{ float x = b.x, y = b.y; {steps}\n"
        "B c = { x, y }; return c; }"
    )
    assert lowered("f", "shader", text).nodes > PART

    check_points(lowered("f", "geometry", text))
    check_cycles(lowered("f", "shader", text), str(tmp_path / "parts.exr"))


@pytest.mark.parametrize("tree", ["shader", "geometry", "compositor"])
def test_where_there_are_no_bundles_structures_are_panels(tree):
    found = [socket.type for socket in lowered("shown", tree).inputs]

    is_bundle = HAS_BUNDLES and tree != "compositor"
    assert (found == ["NodeSocketBundle"]) == is_bundle
    assert is_bundle or len(found) == 4 + 3 * 3 + 2
    assert "NodeSocketBundle" not in str(weft.lower(None, "shown", text=TEXT, to="osl").inputs)


@needs_bundles
def test_items_that_are_not_given_have_the_values_of_the_structure(tmp_path):
    function = lowered("shown", "geometry")
    group = build_group(function.tree, "shown")
    nothing = blender.PlainFunction((), function.outputs)

    found = blender.in_geometry_nodes(nothing, group, {})

    np.testing.assert_allclose(found["Result"][0], UNLINKED[:3])
    np.testing.assert_allclose(found["Result.w"][0], UNLINKED[3])
    function = lowered("shown", "shader")
    group = build_group(function.tree, "shown")

    def partly(tree):
        """Link a bundle with some of the items, one of them of another type."""
        node, bundle = tree.nodes.new("ShaderNodeGroup"), tree.nodes.new("NodeCombineBundle")
        node.node_tree = group
        bundle.bundle_items.new("INT", "Size")
        bundle.inputs[0].default_value = 3
        tree.links.new(bundle.outputs[0], node.inputs[0])
        return node

    def unlinked(tree):
        node = tree.nodes.new("ShaderNodeGroup")
        node.node_tree = group
        return node

    rows = [("row", make, (), {}, output) for make in (unlinked, partly) for output in (0, 1)]
    pictures = blender.in_cycles(rows, str(tmp_path / "defaults.exr"))
    np.testing.assert_allclose(pictures[0, 0], UNLINKED[:3], rtol=1e-5)
    np.testing.assert_allclose(pictures[1, 0, 0], UNLINKED[3], rtol=1e-5)
    np.testing.assert_allclose(pictures[2, 0], [3, 1.5, 0], rtol=1e-5)
    np.testing.assert_allclose(pictures[3, 0, 0], UNLINKED[3], rtol=1e-5)


FIELDS = ("float", "float2", "float3", "[Color] float3", "float4", "int", "bool")


def drawn_text(seed):
    """Return a function of drawn structures that hands on all that they hold."""
    draw = random.Random(seed)
    structures, lines = [], []
    for number in range(draw.randint(1, 3)):
        kinds = [draw.choice(FIELDS) for _ in range(draw.randint(1, 4))]
        kinds += [f"S{inner}" for inner in range(number) if draw.random() < 0.7]
        fields = [f"{kind} aField{k}{draw.choice(['', '[2]'])};" for k, kind in enumerate(kinds)]
        structures.append(f"struct S{number} {{ {' '.join(fields)} }}")
    last = len(structures) - 1
    parameters = [f"[Bundle] S{last} a", f"{draw.choice(['', '[Bundle] '])}inout S0 b"]
    draw.shuffle(parameters)
    lines += ["S0 old = b;", "b = same(b);"] if draw.random() < 0.5 else []
    return (
        f"import weft.node;\n{chr(10).join(structures)}\n"
        "S0 same(S0 x) { return x; }\n"
        f"[Bundle] S{last} f({', '.join(parameters)}) {{ {' '.join(lines)} return a; }}\n"
    )


@pytest.mark.parametrize("seed", range(6))
def test_drawn_structures_go_through(seed):
    text = drawn_text(seed)
    print(text)

    check_points(lowered("f", "geometry", text))
