# SPDX-License-Identifier: Apache-2.0
"""Slang Evaluate leaves nothing in meshes whose modifiers are gone, and mends what is lost."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from blender.evaluating import (
    HALVINGS,
    add,
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


def ours():
    """The attributes and carriers of ours that are in the file."""
    found = [one.name for mesh in bpy.data.meshes for one in mesh.attributes]
    return [name for name in (*found, *bpy.data.objects.keys()) if "weft" in name]


@pytest.mark.parametrize("is_carried", [False, True])
@pytest.mark.parametrize("way", ["removed", "applied", "converted", "converted copy"])
def test_modifiers_that_are_gone(way, is_carried):
    thing = subdivided(3, 1) if is_carried else grid(3)
    modifier = add(thing, HALVINGS, gain=2.0)
    wanted = shown(thing)
    thing.select_set(True)

    if way == "removed":
        thing.modifiers.remove(modifier)
    elif way == "applied":
        for name in thing.modifiers.keys():
            bpy.ops.object.modifier_apply(modifier=name)
    else:
        bpy.ops.object.convert(target="MESH", keep_original=way == "converted copy")
    update()

    if way == "converted copy":
        assert np.array_equal(shown(thing), wanted)
        thing.modifiers.clear()
        update()
        thing = bpy.context.object
    assert ours() == []
    if way != "removed":
        assert np.array_equal(shown(thing), wanted)


def test_objects_that_are_joined():
    thing, other = grid(3), grid(4, "Other")
    for own in (thing, other):
        add(own, HALVINGS, gain=2.0)
        own.select_set(True)
    bpy.context.view_layer.objects.active = thing

    bpy.ops.object.join()
    update()

    assert np.allclose(shown(thing), halvings(places(thing)[:, 0], 2))
    assert len(ours()) == 1
    assert problems() == []


def test_a_mesh_that_is_made_anew_with_the_same_places():
    thing = grid(3)
    add(thing, HALVINGS, gain=2.0)
    vertices = [tuple(one.co) for one in thing.data.vertices]
    faces = [tuple(one.vertices) for one in thing.data.polygons]

    thing.data.clear_geometry()
    thing.data.from_pydata(vertices, [], faces)
    update()

    assert np.allclose(shown(thing), halvings(places(thing)[:, 0], 2))
