# SPDX-License-Identifier: Apache-2.0
"""Slang Evaluate behind modifiers that change the topology, and on what has no mesh of its own."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

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
    shown,
    site_of,
    subdivided,
    update,
)


@pytest.fixture(autouse=True)
def enabled(extension, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / "trusted"))
    return extension


def carriers():
    return [one for one in bpy.data.objects if "weft_carrier" in one]


def test_behind_a_subdivision():
    thing = subdivided()

    add(thing, HALVINGS, gain=2.0)

    assert len(shown(thing)) == 169
    assert np.allclose(shown(thing), halvings(places(thing)[:, 0], 2))
    assert len(carriers()) == 1
    assert carriers()[0].users == 1
    assert not [one for one in thing.data.attributes if one.name.startswith(".weft")]


def test_it_follows_the_modifiers_before_it():
    thing = subdivided()
    modifier = add(thing, LIFTED, height=0.5)
    count = evaluator().evaluations

    thing.modifiers[0].levels = 3
    update()
    assert len(places(thing)) == 625
    assert (places(thing)[:, 2] == 0.5).all()

    give(thing, modifier, "height", 0.25)
    update()
    update()
    assert (places(thing)[:, 2] == 0.25).all()
    assert evaluator().evaluations == count + 2


def test_it_becomes_direct_when_nothing_stands_before_it():
    thing = subdivided()
    modifier = add(thing, HALVINGS, gain=2.0)

    thing.modifiers.remove(thing.modifiers["Subdivision"])
    update()

    assert not site_of(thing, modifier).is_carried
    assert not carriers()
    assert np.allclose(shown(thing), halvings(places(thing)[:, 0], 2))


def test_a_copy_has_a_carrier_of_its_own():
    thing = subdivided()
    add(thing, LIFTED, height=0.5)
    other = thing.copy()
    bpy.context.collection.objects.link(other)
    update()

    give(other, other.modifiers[-1], "height", 2.0)
    update()

    assert (places(thing)[:, 2] == 0.5).all()
    assert (places(other)[:, 2] == 2.0).all()
    assert len(carriers()) == 2


def test_no_carrier_stays_behind():
    thing = subdivided()
    add(thing, HALVINGS)
    meshes = len(bpy.data.meshes)

    thing.modifiers.remove(thing.modifiers[-1])
    update()

    assert not carriers()
    assert len(bpy.data.meshes) == meshes - 1


def test_a_deleted_object_leaves_nothing_behind():
    thing = subdivided()
    add(thing, HALVINGS)

    bpy.data.objects.remove(thing)
    update()

    assert not carriers()
    assert evaluator().sites() == []
    assert not evaluator()._memory


def test_one_behind_another_takes_its_results():
    thing = subdivided()
    add(thing, LIFTED, height=0.5)
    add(thing, "float f(float3 position) { return 2 * position.z; }", name="g.slang")
    assert np.allclose(shown(thing), 1)

    give(thing, thing.modifiers[1], "height", 3.0)
    update()

    assert np.allclose(shown(thing), 6)
    assert problems() == []


def test_shape_keys_move_what_is_read():
    thing = grid(2)
    thing.shape_key_add(name="Basis")
    key = thing.shape_key_add(name="Up")
    for point in key.data:
        point.co.z = 4
    add(thing, "float f(float3 position) { return position.z; }")

    key.value = 0.5
    update()

    assert np.allclose(shown(thing), 2)


def test_another_domain_is_converted():
    thing = grid(3)
    values = np.arange(len(thing.data.vertices), dtype=np.float32)
    thing.data.attributes.new("density", "FLOAT", "POINT").data.foreach_set("value", values)

    add(thing, "float f(float d, float3 position) { return d; }", "FACE", d="density")

    assert np.allclose(shown(thing), [2, 3, 5, 6])


def test_curves_that_are_no_meshes():
    data = bpy.data.curves.new("Curve", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(4)
    for number, point in enumerate(spline.points):
        point.co = (number, 0, 0, 1)
    thing = bpy.data.objects.new("Curve", data)
    bpy.context.collection.objects.link(thing)

    add(thing, LIFTED, height=2.0)

    depsgraph = bpy.context.evaluated_depsgraph_get()
    kept = thing.evaluated_get(depsgraph).evaluated_geometry()
    curves = kept.curves
    found = np.empty(15, np.float32)
    curves.attributes["position"].data.foreach_get("vector", found)
    assert np.allclose(found.reshape(-1, 3), [(x, 0, 2) for x in range(5)])


def test_topology_that_changes_behind_it_is_said():
    thing = grid(4)
    thing.modifiers.new("Array", "ARRAY")
    add(thing, HALVINGS)
    assert problems() == []

    last = thing.modifiers.new("Mask", "SUBSURF")
    last.subdivision_type = "SIMPLE"
    update()

    assert any("move it behind them" in one for one in problems())


def test_a_geometry_without_points():
    thing = grid(4)
    thing.modifiers.new("Build", "BUILD").frame_start = 100
    add(thing, LIFTED, height=1.0)

    assert len(places(thing)) == 0
    assert problems() == []


def test_instances():
    thing = grid(3)
    tree = bpy.data.node_groups.new("Instances", "GeometryNodeTree")
    for way in ("OUTPUT", "INPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    many = tree.nodes.new("GeometryNodeInstanceOnPoints")
    cube = tree.nodes.new("GeometryNodeMeshCube")
    tree.links.new(begin.outputs[0], many.inputs["Points"])
    tree.links.new(cube.outputs["Mesh"], many.inputs["Instance"])
    tree.links.new(many.outputs[0], end.inputs[0])
    thing.modifiers.new("Instances", "NODES").node_group = tree

    add(thing, "float f(int index) { return index * 2; }", "INSTANCE")

    depsgraph = bpy.context.evaluated_depsgraph_get()
    kept = thing.evaluated_get(depsgraph).evaluated_geometry()
    points = kept.instances_pointcloud()
    found = np.empty(9, np.float32)
    points.attributes["result"].data.foreach_get("value", found)
    assert found.tolist() == [0, 2, 4, 6, 8, 10, 12, 14, 16]


def test_points_of_a_mesh():
    thing = grid(3)
    tree = bpy.data.node_groups.new("Points", "GeometryNodeTree")
    for way in ("OUTPUT", "INPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    node = tree.nodes.new("GeometryNodeMeshToPoints")
    tree.links.new(begin.outputs[0], node.inputs[0])
    tree.links.new(node.outputs[0], end.inputs[0])
    thing.modifiers.new("Points", "NODES").node_group = tree

    add(thing, LIFTED, height=2.0)

    depsgraph = bpy.context.evaluated_depsgraph_get()
    kept = thing.evaluated_get(depsgraph).evaluated_geometry()
    points = kept.pointcloud
    found = np.empty(27, np.float32)
    points.attributes["position"].data.foreach_get("vector", found)
    assert (found[2::3] == 2).all()
    assert problems() == []


def test_every_type_of_result():
    thing = grid(3)
    text = """
        import weft.node;
        struct All { bool b; [Color] float3 c; float4 d; int i; float2 e; float4x4 m;
                     double f; half g; uint u; }
        All all(float3 position, int index)
        {
            All r;
            r.b = index > 3; r.c = position; r.d = float4(position, 0.5); r.i = index;
            r.e = position.xy;
            r.m = float4x4(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
            r.f = 0.25; r.g = half(0.5); r.u = 7;
            return r;
        }"""
    for is_carried in (False, True):
        if is_carried:
            thing.modifiers.clear()
            thing.modifiers.new("Array", "ARRAY").count = 1
        add(thing, text)

        layers = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.attributes
        assert [layers["b"].data[k].value for k in (3, 4)] == [False, True]
        assert list(layers["c"].data[1].color) == [0, -1, 0, 1]
        assert list(layers["d"].data[1].color) == [0, -1, 0, 0.5]
        assert list(layers["e"].data[1].vector) == [0, -1, 0]
        assert [one.value for one in layers["i"].data] == list(range(9))
        assert [tuple(row) for row in layers["m"].data[5].value][1] == (5, 6, 7, 8)
        values = [layers[name].data[8].value for name in ("f", "g", "u")]
        assert values == [0.25, 0.5, 7]


def test_splines_of_hair():
    data = bpy.data.hair_curves.new("Hair")
    data.add_curves([3, 2])
    points = np.arange(15, dtype=np.float32)
    data.attributes["position"].data.foreach_set("vector", points)
    thing = bpy.data.objects.new("Hair", data)
    bpy.context.collection.objects.link(thing)

    add(thing, "float f(int index) { return index + 1; }", "CURVE")
    add(thing, LIFTED, name="g.slang", height=100.0)

    depsgraph = bpy.context.evaluated_depsgraph_get()
    curves = thing.evaluated_get(depsgraph).data
    assert [one.value for one in curves.attributes["result"].data] == [1, 2]
    lifted = np.empty(15, np.float32)
    curves.attributes["position"].data.foreach_get("vector", lifted)
    assert np.allclose(lifted.reshape(-1, 3), points.reshape(-1, 3) + np.array([0, 0, 100]))


@pytest.mark.parametrize("kind", ["another", "hidden"])
def test_objects_that_a_scene_does_not_show_are_left_alone(kind):
    scene = bpy.context.scene
    shown_one = grid(2)
    add(shown_one, "float f(float frame) { return frame; }")
    thing = subdivided(2, 1)
    add(thing, "float g(float frame) { return frame; }", name="g.slang")
    if kind == "hidden":
        thing.hide_viewport = True
    else:
        scene.collection.objects.unlink(thing)
        bpy.data.scenes.new("Other").collection.objects.link(thing)
    update()
    count = evaluator().evaluations

    scene.frame_set(5)

    assert problems() == []
    assert evaluator().evaluations == count + 1
