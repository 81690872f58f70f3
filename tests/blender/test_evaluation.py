# SPDX-License-Identifier: Apache-2.0
"""Slang Evaluate: each change that counts updates the results, and nothing else does."""

from __future__ import annotations

import re
from pathlib import Path

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
    modifiers,
    places,
    problems,
    shown,
    site_of,
    text_block,
    update,
)


@pytest.fixture(autouse=True)
def enabled(extension, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / "trusted"))
    return extension


def test_a_modifier_is_added_in_one_step():
    thing = grid()

    modifier = add(thing, HALVINGS, gain=2.0)

    assert modifier.node_group.name == "Halvings"
    assert np.allclose(shown(thing), halvings(places(thing)[:, 0], 2))
    own = [one.name for one in thing.data.attributes if one.name.startswith(".weft_")]
    assert len(own) == 1
    assert "result" not in thing.data.attributes
    assert problems() == []


def test_positions_are_moved():
    thing = grid()

    add(thing, LIFTED, height=0.5)

    assert (places(thing)[:, 2] == 0.5).all()
    assert thing.data.vertices[3].co.z == 0


def test_each_trigger_updates_and_nothing_else_does():
    thing, other = grid(), grid(name="Other")
    modifier = add(thing, HALVINGS, gain=1.0)
    count = evaluator().evaluations

    update()
    thing.update_tag()
    update()
    thing.location.x += 1
    other.data.vertices[0].co.x = 3
    other.data.update()
    bpy.context.scene.frame_set(5)
    thing.data.update_tag()
    update()
    assert evaluator().evaluations == count

    give(thing, modifier, "gain", 3.0)
    update()
    assert np.allclose(shown(thing), halvings(places(thing)[:, 0], 3))
    assert evaluator().evaluations == count + 1

    thing.data.vertices[0].co.x = 0.7
    thing.data.update()
    update()
    assert shown(thing)[0] == pytest.approx(halvings(0.7, 3), rel=1e-5)
    assert evaluator().evaluations == count + 2

    text_block(HALVINGS.replace("gain * sum", "gain + sum"))
    import weft_blender

    assert weft_blender.refresh() == 1
    update()
    assert shown(thing)[0] == pytest.approx(3 + halvings(0.7), rel=1e-5)
    assert evaluator().evaluations == count + 3


def test_an_attribute_takes_the_place_of_a_number():
    thing = grid()
    attribute = thing.data.attributes.new("density", "FLOAT", "POINT")
    numbers = np.linspace(0, 1, len(thing.data.vertices), dtype=np.float32)
    attribute.data.foreach_set("value", numbers)

    modifier = add(thing, HALVINGS, gain="density")
    assert np.allclose(shown(thing), numbers * halvings(places(thing)[:, 0]))
    assert not site_of(thing, modifier).is_carried

    attribute = thing.data.attributes["density"]
    attribute.data.foreach_set("value", 2 * numbers)
    thing.data.update()
    update()
    assert np.allclose(shown(thing), 2 * numbers * halvings(places(thing)[:, 0]))


@pytest.mark.parametrize(("domain", "count"), [("EDGE", 24), ("FACE", 9), ("CORNER", 36)])
def test_domains(domain, count):
    thing = grid(4)

    add(thing, "float f(int index, float3 normal) { return index + normal.z; }", domain)

    assert len(shown(thing)) == count
    assert np.allclose(shown(thing), np.arange(count) + 1)


def test_frame_and_time():
    scene = bpy.context.scene
    scene.render.fps = 25
    thing = grid(2)
    add(thing, "float f(float frame, float time) { return frame + 1000 * time; }")

    for frame in (1, 10, 3):
        scene.frame_set(frame)
        assert shown(thing) == pytest.approx(frame + 40 * frame)


def test_a_frame_is_evaluated_once():
    thing = grid(2)
    add(thing, "float f(float frame) { return frame; }")
    count = evaluator().evaluations

    for frame in range(2, 7):
        bpy.context.scene.frame_set(frame)

    assert evaluator().evaluations == count + 5


def test_the_object_matrix():
    thing = grid(2)
    text = (
        "import weft.node;\n"
        'float f(float3 position, [Source("Object")] float4x4 m)'
        " { return mul(m, float4(position, 1)).x; }"
    )
    add(thing, text)

    thing.location.x = 5
    update()

    assert np.allclose(shown(thing), places(thing)[:, 0] + 5)


def test_animated_numbers_have_the_value_of_the_frame():
    thing = grid(2)
    modifier = add(thing, LIFTED, height=0.0)
    identifier = site_of(thing, modifier).inputs["height"]
    path = (
        f'modifiers["{modifier.name}"]["{identifier}"]'
        if bpy.app.version < (5, 2)
        else f'modifiers["{modifier.name}"].properties.inputs.{identifier}.value'
    )
    curve = thing.driver_add(path)
    curve.driver.expression = "frame / 10"

    for frame in (10, 20, 15, 15, 1):
        bpy.context.scene.frame_set(frame)
        assert places(thing)[:, 2] == pytest.approx(frame / 10)


def test_two_objects_share_a_mesh_and_an_evaluation():
    thing = grid()
    add(thing, HALVINGS, gain=2.0)
    other = thing.copy()
    bpy.context.collection.objects.link(other)
    update()
    count = evaluator().evaluations

    thing.data.vertices[0].co.x = 0.3
    thing.data.update()
    update()

    assert evaluator().evaluations == count + 1
    assert shown(other)[0] == shown(thing)[0] == pytest.approx(halvings(0.3, 2), rel=1e-5)


def test_objects_that_share_a_mesh_may_give_other_numbers():
    thing = grid()
    add(thing, HALVINGS, gain=2.0)
    other = thing.copy()
    bpy.context.collection.objects.link(other)
    update()

    give(other, other.modifiers[0], "gain", 5.0)
    update()

    wanted = halvings(places(thing)[:, 0])
    assert np.allclose(shown(thing), 2 * wanted)
    assert np.allclose(shown(other), 5 * wanted)


def test_two_modifiers_of_one_object():
    thing = grid()
    add(thing, HALVINGS, gain=2.0)
    add(thing, HALVINGS.replace("halvings", "more"), name="g.slang", gain=3.0)
    second = thing.modifiers[1]
    modifiers().name_output(second, site_of(thing, second).outputs["Result"], "other")
    thing.update_tag()
    update()

    wanted = halvings(places(thing)[:, 0])
    assert np.allclose(shown(thing), 2 * wanted)
    assert np.allclose(shown(thing, "other"), 3 * wanted)


def test_evaluations_that_feed_each_other_end():
    thing = grid(2)
    text = "float f(float x, float y) { return x + y; }"
    first = add(thing, text, y=1.0)
    second = add(thing, text.replace("f(", "g("), name="g.slang", y=1.0)
    names = [f"{site_of(thing, one).data}_Result" for one in (first, second)]

    give(thing, first, "x", names[1])
    give(thing, second, "x", names[0])
    update()

    assert any("feed each other" in one for one in problems())
    count = evaluator().evaluations
    update()
    assert evaluator().evaluations == count


def test_undo_and_redo():
    thing = grid(2)
    name = thing.name
    modifier = add(thing, LIFTED, height=1.0)
    bpy.ops.ed.undo_push(message="one")
    give(thing, modifier, "height", 2.0)
    update()
    bpy.ops.ed.undo_push(message="two")
    give(thing, modifier, "height", 3.0)
    update()
    bpy.ops.ed.undo_push(message="three")

    heights = []
    for step in (bpy.ops.ed.undo, bpy.ops.ed.undo, bpy.ops.ed.redo):
        step()
        update()
        heights.append(float(places(bpy.data.objects[name])[0, 2]))

    assert heights == [2.0, 1.0, 2.0]


def test_what_is_removed_leaves_nothing_behind():
    thing = grid()
    add(thing, HALVINGS)

    assert bpy.ops.weft.remove_evaluation() == {"FINISHED"}

    assert not thing.modifiers
    assert not [one.name for one in thing.data.attributes if "weft" in one.name]
    assert not bpy.data.node_groups


def test_the_extension_may_go_while_something_is_evaluated(enabled):
    thing = grid()
    add(thing, HALVINGS, gain=2.0)
    wanted = shown(thing)

    enabled.unregister()
    try:
        thing.data.vertices[0].co.x = 0.3
        thing.data.update()
        update()
        assert np.array_equal(shown(thing), wanted)
    finally:
        enabled.register()
    thing.update_tag()
    update()
    assert shown(thing)[0] == pytest.approx(halvings(0.3, 2), rel=1e-5)


def test_edit_mode_shows_the_last_result():
    thing = grid(4)
    modifier = add(thing, HALVINGS, gain=2.0)

    bpy.ops.object.mode_set(mode="EDIT")
    give(thing, modifier, "gain", 3.0)
    update()
    bpy.ops.object.mode_set(mode="OBJECT")
    update()

    assert np.allclose(shown(thing), halvings(places(thing)[:, 0], 3))
    assert problems() == []


@pytest.mark.full
def test_many_edits_leave_the_memory_as_it_was():
    thing = grid(64)
    modifier = add(thing, HALVINGS, gain=2.0)

    def edit(times):
        for number in range(times):
            give(thing, modifier, "gain", 1.0 + number % 7)
            update()

    edit(200)
    before = resident()
    edit(2000)

    assert resident() < before + (8 << 20)


def resident():
    """Bytes of memory of this process."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])
