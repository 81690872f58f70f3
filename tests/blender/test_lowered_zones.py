# SPDX-License-Identifier: Apache-2.0
"""Long loops of lowered functions are repeat zones in geometry trees."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.lowered_groups import PART, PART_MARK, build_group, fill_group
from addon.core.steps import last_value

import weft
from blender import lowered_values as blender
from support import lowering_corpus as corpus

VERSION = bpy.app.version[:2]

LOOPS = """
float2 escaped(float2 c)
{
    float2 z = float2(0); int n = 0; float last = 0;
    for (n = 0; n < 60; n++)
    {
        z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        last = dot(z, z);
        if (last > 4) break;
    }
    return float2(n, last);
}
float weighted(float2 p)
{
    float s = 0, a = 1;
    for (int i = 0; i < 20; i++) { s += a * sin(p.x * (i + 1)) + cos(p.y * i * 0.37f); a *= 0.8f; }
    return s;
}
float twoRounds(float x)
{
    float a = x, b = 1;
    for (int i = 0; i < 40; i++) { float c = a * 0.5f + b; a = b; b = frac(c); }
    return a + b;
}
int halves(int n)
{
    n = clamp(n, 1, 1000);
    int steps = 0;
    [MaxIters(120)]
    while (n != 1) { n = (n & 1) != 0 ? 3 * n + 1 : n / 2; steps++; }
    return steps;
}
bool turned(int n)
{
    bool found = false;
    n = clamp(n, 0, 50);
    for (int i = 0; i < n; i++) found = !found;
    return found;
}
float marched(float3 p, float3 d)
{
    float t = 0;
    for (int i = 0; i < 32; i++)
    {
        float3 q = p + t * d;
        float h = length(q - round(q)) - 0.3f;
        if (h < 0.001f) break;
        t += h;
        if (t > 20) return -1;
    }
    return t;
}
float behind(float x)
{
    float s = x;
    for (int i = 0; i < 20; i++) s = frac(s * 3 + i);
    float t = s;
    for (int i = 0; i < 25; i++) { t = abs(t * 2 - s) + x; t = frac(t); }
    return s + t;
}
int hashed(int n)
{
    uint s = uint(n);
    for (int i = 0; i < 30; i++) { s = s * 1664525u + 1013904223u; s ^= s >> 16u; }
    return int(s);
}
"""


@pytest.fixture(autouse=True)
def folder_of_the_extension(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository))


def lowered(name, text=LOOPS):
    return weft.lower(None, name, text=text, tree="geometry", blender=VERSION)


def check_values(function, group):
    """Compare a group with what the function's graph computes."""
    values = blender.inputs_of(function)
    found = blender.in_geometry_nodes(function, group, values)
    results = function.evaluate(values)
    for socket in function.outputs:
        expected = blender.values_of(socket, results)
        is_real = expected.dtype.kind == "f"
        np.testing.assert_allclose(
            found[socket.name].astype(np.float64),
            expected.astype(np.float64),
            atol=1e-5 if is_real else 0,
            rtol=1e-5 if is_real else 0,
        )


def all_nodes(group):
    """Return the nodes of a group and of its parts, without those that stand for groups."""
    found = []
    for node in group.nodes:
        if getattr(node, "node_tree", None) is not None:
            found += all_nodes(node.node_tree)
        elif not node.bl_idname.startswith("NodeGroup"):
            found.append(node)
    return found


def zones_of(group):
    return [node for node in group.nodes if node.bl_idname == "GeometryNodeRepeatInput"]


@pytest.mark.parametrize("name", corpus.names(LOOPS))
def test_zones_compute_what_loops_do(name):
    function = lowered(name)

    group = build_group(function.tree, name)

    assert len(zones_of(group)) == len(function.tree["zones"]) == (2 if name == "behind" else 1)
    assert len(all_nodes(group)) == function.nodes < function.operations / 2
    check_values(function, group)


def test_a_zone_has_one_round_of_nodes_however_many_it_runs():
    nodes = {
        rounds: lowered("escaped", LOOPS.replace("n < 60", f"n < {rounds}")).nodes
        for rounds in (12, 60, 240)
    }

    assert len(set(nodes.values())) == 1


def test_a_small_tree_with_a_zone_is_one_group():
    function = lowered("twoRounds")
    group = build_group(function.tree, "small")

    assert function.nodes <= PART
    assert not [node for node in group.nodes if node.bl_idname == "GeometryNodeGroup"]
    (zone,) = zones_of(group)
    assert zone.paired_output.bl_idname == "GeometryNodeRepeatOutput"


def test_zones_come_and_go_where_a_group_stays():
    text = LOOPS.replace("n < 60", "n < 6")
    group = build_group(lowered("escaped").tree, "changing")
    sockets = [item for item in group.interface.items_tree if item.item_type == "SOCKET"]
    ends = [[s.identifier for s in sockets if s.in_out == kind] for kind in ("INPUT", "OUTPUT")]

    for function, zones in (
        (lowered("escaped", LOOPS.replace("n < 60", "n < 90")), 1),
        (lowered("escaped", text), 0),
        (lowered("escaped"), 1),
    ):
        last_value(fill_group(group, function.tree, *ends))

        assert len(zones_of(group)) == zones
        assert len(all_nodes(group)) == function.nodes
        parts = [found for found in bpy.data.node_groups if PART_MARK in found]
        assert all(part.users for part in parts if part.name.startswith(".changing"))
        check_values(function, group)


def test_a_zone_that_blender_refuses_leaves_what_was_there():
    before = lowered("escaped")
    group = build_group(before.tree, "kept")
    sockets = [item for item in group.interface.items_tree if item.item_type == "SOCKET"]
    ends = [[s.identifier for s in sockets if s.in_out == kind] for kind in ("INPUT", "OUTPUT")]
    broken = lowered("escaped", LOOPS.replace("n < 60", "n < 90"))
    broken.tree["zones"][0]["items"][-1] = "NUMBER"

    with pytest.raises(TypeError):
        last_value(fill_group(group, broken.tree, *ends))

    assert len(all_nodes(group)) == before.nodes
    check_values(before, group)
