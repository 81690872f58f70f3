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
    update,
)


@pytest.fixture(autouse=True)
def enabled(extension, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / "trusted"))
    return extension


def subdivided(size=4, levels=2):
    thing = grid(size)
    modifier = thing.modifiers.new("Subdivision", "SUBSURF")
    modifier.subdivision_type, modifier.levels, modifier.render_levels = "SIMPLE", levels, levels
    return thing


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


def test_rendering_waits_and_has_the_frame():
    scene = bpy.context.scene
    thing = subdivided()
    add(
        thing,
        "void f(inout float3 position, float frame) { position.z = frame; }",
    )
    seen = {}

    def note(scene, depsgraph):
        seen[scene.frame_current] = float(places(thing, depsgraph)[0, 2])

    bpy.app.handlers.render_post.clear()
    for frame in (1, 4, 2):
        scene.frame_set(frame)
        note(scene, bpy.context.evaluated_depsgraph_get())

    assert seen == {1: 1.0, 4: 4.0, 2: 2.0}
