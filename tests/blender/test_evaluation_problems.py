# SPDX-License-Identifier: Apache-2.0
"""Slang Evaluate with bad input: one sentence, the last data stay, no handler raises."""

from __future__ import annotations

import importlib
import subprocess
import sys
import time

import bpy
import numpy as np
import pytest

import weft
import weft_blender
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


def changed(thing):
    """Change the mesh of an object."""
    thing.data.vertices[0].co.x += 0.25
    thing.data.update()
    update()


def test_numbers_that_are_not_finite():
    thing = grid(4)
    add(
        thing,
        """
        float f(inout float3 position, int index)
        {
            float bad = asfloat(index > 4 && index < 8 ? 0x7fc00000u : 0x3f800000u);
            position.z = bad;
            return bad;
        }""",
    )

    assert np.isnan(shown(thing)).sum() == 3
    heights = places(thing)[:, 2]
    assert (heights[5:8] == 0).all()
    assert (np.delete(heights, [5, 6, 7]) == 1).all()
    said = "; ".join(problems())
    assert "'Result' at 3 of 16 elements, the first is 5" in said
    assert "'position' at 3 of 16 elements, the first is 5; they keep their old position" in said


def test_a_missing_attribute_is_named_with_what_there_is():
    thing = grid(4)
    thing.data.attributes.new("density", "FLOAT", "POINT")
    modifier = add(thing, HALVINGS, gain=2.0)
    before = shown(thing)

    give(thing, modifier, "gain", "densty")
    update()

    assert "no attribute 'densty'" in problems()[0]
    assert "did you mean 'density'?" in problems()[0]
    assert np.array_equal(shown(thing), before)

    give(thing, modifier, "gain", "density")
    update()
    assert problems() == []


def test_what_was_right_before_is_right_again():
    thing = grid(4)
    modifier = add(thing, HALVINGS, gain=2.0)
    give(thing, modifier, "gain", "densty")
    update()
    assert problems()

    modifiers().hold(modifier, site_of(thing, modifier).inputs["gain"], 2.0)
    if bpy.app.version >= (5, 2):
        identifier = site_of(thing, modifier).inputs["gain"]
        getattr(modifier.properties.inputs, identifier).type = "VALUE"
    thing.update_tag()
    update()

    assert problems() == []


def test_a_function_that_fails_is_compiled_once(monkeypatch, tmp_path):
    thing = grid(4)
    add(thing, HALVINGS, gain=2.0)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    text_block("float halvings(float x) { return y; }")
    programs = importlib.import_module("addon.blender.evaluation.programs")
    calls = []
    plain = programs.prepare
    monkeypatch.setattr(programs, "prepare", lambda own: calls.append(1) or plain(own))

    for frame in range(2, 8):
        bpy.context.scene.frame_set(frame)

    assert len(calls) == 1
    assert "undefined identifier 'y'" in problems()[0]


def test_an_empty_mesh():
    thing = bpy.data.objects.new("Empty", bpy.data.meshes.new("Empty"))
    bpy.context.collection.objects.link(thing)

    add(thing, LIFTED, height=1.0)

    assert problems() == []


def test_a_text_that_does_not_compile_keeps_the_last_data():
    thing = grid(4)
    add(thing, HALVINGS, gain=2.0)
    before = shown(thing)

    text_block(HALVINGS.replace("gain * sum", "gain * summ"))
    with pytest.raises(weft.CompileError):
        weft_blender.refresh()
    update()
    assert np.array_equal(shown(thing), before)

    changed(thing)  # the function of before goes on
    assert shown(thing)[0] == pytest.approx(halvings(0.75, 2), rel=1e-5)


def test_the_file_of_the_function_is_gone(tmp_path):
    path = tmp_path / "f.slang"
    path.write_text(HALVINGS)
    thing = grid(4)
    weft_blender.add_evaluation(thing, path, gain=2.0)
    before = shown(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    path.unlink()
    thing = bpy.data.objects["Grid"]

    changed(thing)

    assert np.array_equal(shown(thing), before)
    assert any("is gone" in one for one in problems())


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("float f(bool3 b) { return 1; }", {}, "which no attribute holds"),
        ("float f(float x) { return x; }", {"y": 1.0}, "there is no input 'y'; there are: x"),
        ("float f(float x) { return y; }", {}, "'y'"),
    ],
)
def test_what_cannot_be_added_changes_nothing(text, values, message):
    thing = grid(4)

    with pytest.raises(weft.Error, match=message):
        weft_blender.add_evaluation(thing, text_block(text), **values)

    assert not thing.modifiers
    assert not bpy.data.node_groups


def test_an_object_without_geometry():
    thing = bpy.data.objects.new("Axes", None)

    with pytest.raises(weft.ArgumentError, match=r"got 'Axes' \(EMPTY\)"):
        weft_blender.add_evaluation(thing, text_block(HALVINGS))


def test_a_linked_object_is_left_alone(tmp_path):
    thing = grid(4)
    add(thing, HALVINGS, gain=2.0)
    before = shown(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Grid"]
    linked = bpy.data.objects["Grid"]
    bpy.context.collection.objects.link(linked)
    update()
    bpy.context.scene.frame_set(7)

    assert np.array_equal(shown(linked), before)
    assert all("make it local" in one for one in problems())
    with pytest.raises(weft.ArgumentError, match="make it local"):
        weft_blender.add_evaluation(linked, text_block(HALVINGS))


def library_with_grid(tmp_path):
    """A file with a grid; the open file is empty then."""
    grid(4)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return path


def test_a_linked_mesh_of_a_local_object_is_not_written_to(tmp_path):
    path = library_with_grid(tmp_path)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.meshes = ["Grid"]
    thing = bpy.data.objects.new("Local", bpy.data.meshes["Grid"])
    bpy.context.collection.objects.link(thing)

    modifier = add(thing, HALVINGS, gain=2.0)

    assert np.allclose(shown(thing), halvings(places(thing)[:, 0], 2))
    assert site_of(thing, modifier).is_carried
    assert not [one for one in thing.data.attributes if "weft" in one.name]


def test_an_overridden_object_is_refused(tmp_path):
    path = library_with_grid(tmp_path)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Grid"]
    linked = bpy.data.objects["Grid"]
    bpy.context.collection.objects.link(linked)
    own = linked.override_create(remap_local_usages=True)

    with pytest.raises(weft.ArgumentError, match="make it local"):
        weft_blender.add_evaluation(own, text_block(HALVINGS))


def test_a_file_that_was_opened_in_a_window_shows_what_it_holds():
    thing = grid(4)
    modifier = add(thing, HALVINGS, gain=2.0)
    found = evaluator()
    found.look(adopts=True)
    count = found.evaluations

    thing.update_tag()  # as Blender does after a file was opened
    update()
    assert found.evaluations == count

    give(thing, modifier, "gain", 3.0)
    update()
    assert found.evaluations == count + 1
    assert np.allclose(shown(thing), halvings(places(thing)[:, 0], 3))


def test_an_object_in_two_scenes():
    thing = grid(2)
    add(thing, "float f(float frame) { return frame; }")
    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(thing)

    bpy.context.scene.frame_set(4)
    assert (shown(thing) == 4).all()
    other.frame_set(9)
    assert (shown(thing, depsgraph=other.view_layers[0].depsgraph) == 9).all()


def test_arrays_come_from_files(tmp_path):
    numbers = np.arange(5, dtype=np.float32)
    np.save(tmp_path / "w.npy", numbers)
    text = text_block("float f(ITensor<float, 1> w, int index) { return w[index % 5]; }")
    thing = grid(4)

    modifier = weft_blender.add_evaluation(thing, text, w=str(tmp_path / "w.npy"))
    assert shown(thing).tolist() == (np.arange(16) % 5).tolist()

    before = shown(thing)
    identifier = site_of(thing, modifier).inputs["w"]
    importlib.import_module("addon.blender.evaluation.modifiers").hold(
        modifier, identifier, str(tmp_path / "none.npy")
    )
    thing.update_tag()
    update()
    assert "give the path of a .npy file" in problems()[0]
    assert np.array_equal(shown(thing), before)


def test_images_are_looked_up():
    image = bpy.data.images.new("half", 4, 4, float_buffer=True)
    image.pixels = [0.25, 0.5, 0.75, 1.0] * 16
    text = text_block("float f(Tensor<float4, 2> t) { return t.sample(float2(0.5, 0.5)).y; }")
    thing = grid(4)

    weft_blender.add_evaluation(thing, text, t=image)

    assert np.allclose(shown(thing), 0.5)


def test_files_of_others_wait_until_they_are_allowed(tmp_path, monkeypatch):
    thing = grid(4)
    modifier = add(thing, HALVINGS, gain=2.0)
    before = shown(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / "of another user"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    thing = bpy.data.objects["Grid"]
    modifier = thing.modifiers[0]

    give(thing, modifier, "gain", 3.0)
    update()
    assert "came with the file" in problems()[0]
    assert np.array_equal(shown(thing), before)

    assert bpy.ops.weft.allow_evaluations() == {"FINISHED"}
    assert np.allclose(shown(thing), 1.5 * before)


def test_own_files_go_on_after_they_were_opened(tmp_path):
    thing = grid(4)
    add(thing, HALVINGS, gain=2.0)
    before = shown(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    thing = bpy.data.objects["Grid"]
    assert np.array_equal(shown(thing), before)

    give(thing, thing.modifiers[0], "gain", 3.0)
    update()

    assert np.allclose(shown(thing), 1.5 * before)


SHOW = """
import sys, bpy, numpy as np
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
mesh = bpy.data.objects["Grid"].evaluated_get(bpy.context.evaluated_depsgraph_get()).data
values = np.empty(len(mesh.vertices), np.float32)
mesh.attributes["result"].data.foreach_get("value", values)
print("sum", values.sum())
sys.stdout.flush()
import os
os._exit(0)
"""


@pytest.mark.parametrize("is_carried", [False, True])
def test_without_the_extension_the_last_data_are_shown(tmp_path, is_carried):
    thing = grid(4)
    if is_carried:
        thing.modifiers.new("Subdivision", "SUBSURF")
    add(thing, HALVINGS, gain=2.0)
    total = shown(thing).sum()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))

    command = [sys.executable, "-c", SHOW, str(tmp_path / "scene.blend")]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)

    printed = next(line for line in found.stdout.splitlines() if line.startswith("sum"))
    assert float(printed.split()[1]) == pytest.approx(total, rel=1e-5)


def finish(found, seconds=20.0):
    """Call the timer as Blender does until no thread evaluates."""
    end = time.monotonic() + seconds
    while found.tick() is not None:
        assert time.monotonic() < end
        time.sleep(0.005)


def test_what_is_slow_is_evaluated_in_a_thread(monkeypatch):
    thing = grid(4)
    modifier = add(thing, LIFTED, height=1.0)
    found = evaluator()
    state = importlib.import_module("addon.core.evaluation.state")
    monkeypatch.setattr(state, "SLOW", -1.0)
    found.always_waits = False

    give(thing, modifier, "height", 2.0)
    update()
    assert found.is_pending(site_of(thing, modifier))
    assert (places(thing)[:, 2] == 1).all()

    give(thing, modifier, "height", 3.0)
    update()
    finish(found)
    update()
    assert (places(thing)[:, 2] == 3).all()
    assert not found.is_pending(site_of(thing, modifier))

    give(thing, modifier, "height", 4.0)
    update()
    bpy.context.scene.frame_set(2)  # frames wait
    assert (places(thing)[:, 2] == 4).all()
    count = found.evaluations
    finish(found)
    update()
    assert (places(thing)[:, 2] == 4).all()
    assert found.evaluations == count  # what the thread gave came too late


def test_a_device_that_fails_is_said_once(monkeypatch, caplog):
    thing = grid(4)
    add(thing, HALVINGS, gain=2.0)
    before = shown(thing)
    program = importlib.import_module("addon.core.evaluation.program")

    def fail(*_given):
        raise weft.DeviceError("the device was lost")

    monkeypatch.setattr(program.Program, "evaluate", fail)
    for _ in range(3):
        changed(thing)

    assert np.array_equal(shown(thing), before)
    assert len([one for one in caplog.records if "was lost" in one.message]) == 1
