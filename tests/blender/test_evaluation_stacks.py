# SPDX-License-Identifier: Apache-2.0
"""Slang Evaluate: several modifiers of one object, and objects that share a mesh."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from blender.evaluating import (
    HALVINGS,
    LIFTED,
    add,
    give,
    grid,
    halvings,
    places,
    problems,
    shown,
    subdivided,
    update,
)


@pytest.fixture(autouse=True)
def enabled(extension, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / "trusted"))
    return extension


def copied(thing):
    """Another object with the same mesh."""
    other = thing.copy()
    bpy.context.collection.objects.link(other)
    update()
    return other


def test_any_number_of_modifiers_stands_in_a_row():
    thing = subdivided(3, 1)
    for _ in range(8):
        add(thing, LIFTED, height=1.0)
    assert np.allclose(places(thing)[:, 2], 8)

    give(thing, thing.modifiers[1], "height", 3.0)
    update()

    assert problems() == []
    assert np.allclose(places(thing)[:, 2], 10)


@pytest.mark.parametrize("name", ["result", "density"])
def test_one_takes_by_name_what_the_one_before_gives(name):
    thing = grid(3)
    thing.data.attributes.new("density", "FLOAT", "POINT")
    add(thing, f"void f(float3 position, out float {name}) {{ {name} = 2 * position.x; }}")

    add(thing, "void g(float x, out float more) { more = x + 1; }", name="g.slang", x=name)

    assert problems() == []
    assert np.allclose(shown(thing, "more"), 2 * places(thing)[:, 0] + 1)


def test_a_modifier_that_was_renamed_is_evaluated():
    thing = grid(3)
    first = add(thing, "float f(float frame) { return frame; }")
    second = add(thing, "void g(float frame, out float more) { more = 2 * frame; }", name="g.slang")
    names = first.name, second.name
    first.name = "Another"
    second.name, first.name = names
    update()

    bpy.context.scene.frame_set(7)

    assert problems() == []
    assert np.allclose(shown(thing), 7)
    assert np.allclose(shown(thing, "more"), 14)


def test_one_of_two_objects_with_a_mesh_subdivides_before():
    thing = grid(4)
    add(thing, HALVINGS, gain=2.0)
    other = copied(thing)
    modifier = other.modifiers.new("Subdivision", "SUBSURF")
    modifier.subdivision_type = "SIMPLE"
    other.modifiers.move(1, 0)
    update()
    for own in (thing, other):
        assert np.allclose(shown(own), halvings(places(own)[:, 0], 2))

    thing.data.vertices[0].co.x = 0.3
    thing.data.update()
    update()

    assert problems() == []
    for own in (thing, other):
        assert np.allclose(shown(own), halvings(places(own)[:, 0], 2))


def test_what_fails_at_one_object_is_not_said_of_another():
    thing = grid(4)
    add(thing, "float f(float g) { return g; }", g=2.0)
    other = copied(thing)
    give(other, other.modifiers[0], "g", "nowhere")
    update()

    give(thing, thing.modifiers[0], "g", 3.0)
    update()

    assert len(problems()) == 1
    assert np.allclose(shown(thing), 3)


@pytest.mark.parametrize("is_carried", [False, True])
def test_points_without_a_finite_place_keep_the_one_before_the_modifier(is_carried):
    thing = subdivided(3, 1) if is_carried else grid(3)
    text = """
        void f(inout float3 position, float height, int index)
        {
            position.z += height;
            if (height > 1 && index < 3) position.z = asfloat(0x7fc00000u);
        }"""
    modifier = add(thing, text, height=1.0)

    give(thing, modifier, "height", 2.0)
    update()

    found = places(thing)[:, 2]
    assert (found[:3] == 0).all()
    assert (found[3:] == 2).all()


def test_a_mesh_that_another_object_edits():
    thing = grid(4)
    add(thing, HALVINGS, gain=2.0)
    other = copied(thing)
    bpy.context.view_layer.objects.active = other
    bpy.ops.object.mode_set(mode="EDIT")
    give(thing, thing.modifiers[0], "gain", 5.0)
    update()
    assert problems() == []

    bpy.ops.object.mode_set(mode="OBJECT")
    update()

    assert np.allclose(shown(thing), halvings(places(thing)[:, 0], 5))
    assert np.allclose(shown(other), halvings(places(other)[:, 0], 2))


@pytest.mark.parametrize("is_carried", [False, True])
def test_a_modifier_that_is_copied_has_its_own_values(is_carried):
    thing = subdivided(3, 1) if is_carried else grid(3)
    modifier = add(thing, LIFTED, height=1.0)
    bpy.ops.object.modifier_copy(modifier=modifier.name)
    update()

    give(thing, thing.modifiers[-1], "height", 5.0)
    update()

    assert problems() == []
    assert np.allclose(places(thing)[:, 2], 6)
