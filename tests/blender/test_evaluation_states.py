# SPDX-License-Identifier: Apache-2.0
"""Slang Evaluate: parameters that hold what they became in the frame before."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft
import weft_blender
from blender.evaluating import (
    add,
    evaluator,
    give,
    grid,
    places,
    problems,
    shown,
    text_block,
    update,
)

FALLING = """
import weft.node;
void falling([State] inout float3 position, [State] inout float3 speed, float pull)
{
    speed.z -= pull;
    position += speed;
}
"""


@pytest.fixture(autouse=True)
def enabled(extension, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / "trusted"))
    return extension


def heights(frames):
    """What FALLING gives after so many frames, the first included, with a pull of 1."""
    return -frames * (frames + 1) / 2


@pytest.mark.parametrize("is_carried", [False, True])
def test_a_simulation_goes_on_from_frame_to_frame(is_carried):
    scene = bpy.context.scene
    scene.frame_start = 3
    scene.frame_set(3)
    thing = grid(2)
    if is_carried:
        thing.modifiers.new("Subdivision", "SUBSURF").subdivision_type = "SIMPLE"
    add(thing, FALLING, pull=1.0)
    assert places(thing)[0, 2] == heights(1)

    for frame in (4, 5, 6):
        scene.frame_set(frame)
        assert places(thing)[:, 2] == pytest.approx(heights(frame - 2))
    assert problems() == []

    scene.frame_set(3)
    assert places(thing)[0, 2] == heights(1)
    scene.frame_set(4)
    assert places(thing)[0, 2] == heights(2)


def test_the_same_frame_again_is_the_same():
    scene = bpy.context.scene
    scene.frame_set(1)
    thing = grid(2)
    modifier = add(thing, FALLING, pull=1.0)
    scene.frame_set(2)
    count = evaluator().evaluations

    scene.frame_set(2)
    update()
    assert places(thing)[0, 2] == heights(2)
    assert evaluator().evaluations == count

    give(thing, modifier, "pull", 2.0)
    update()
    assert places(thing)[0, 2] == heights(1) - 1 - 2


def test_each_object_has_its_own():
    scene = bpy.context.scene
    scene.frame_set(1)
    first, second = grid(2), grid(2)
    add(first, FALLING, pull=1.0)
    add(second, FALLING, pull=3.0)

    for frame in (2, 3):
        scene.frame_set(frame)

    assert places(first)[0, 2] == heights(3)
    assert places(second)[0, 2] == 3 * heights(3)


def test_other_elements_begin_anew():
    scene = bpy.context.scene
    scene.frame_set(1)
    thing = grid(2)
    text = "import weft.node;\nvoid f([State] inout int age) { age++; }"
    add(thing, text)
    scene.frame_set(2)
    assert (shown(thing, "age") == 2).all()

    thing.data = grid(3).data
    update()
    scene.frame_set(3)

    assert (shown(thing, "age") == 2).all()
    assert np.isfinite(shown(thing, "age")).all()


def test_undo_leaves_states_as_they_are():
    scene = bpy.context.scene
    scene.frame_set(1)
    name = grid(2).name
    add(bpy.data.objects[name], FALLING, pull=1.0)
    for frame in (2, 3):
        scene.frame_set(frame)
    bpy.ops.ed.undo_push(message="one")
    bpy.data.objects[name].location.x = 1
    bpy.ops.ed.undo_push(message="two")

    bpy.ops.ed.undo()
    update()

    assert places(bpy.data.objects[name])[0, 2] == heights(3)


def test_a_state_has_to_be_inout():
    text = text_block("import weft.node;\nfloat f([State] float x) { return x; }")

    with pytest.raises(weft.ArgumentError, match="write inout before its type"):
        weft_blender.add_evaluation(grid(2), text)


def test_states_do_not_go_on_between_frames():
    scene = bpy.context.scene
    scene.frame_set(1)
    thing = grid(2)
    add(thing, "import weft.node;\nvoid f([State] inout int age, float frame) { age++; }")
    for frame in (2, 3):
        scene.frame_set(frame)

    found = []
    for frame, between in ((3, 0.0), (2, 0.75), (3, 0.25), (4, 0.0)):
        scene.frame_set(frame, subframe=between)
        found.append(int(shown(thing, "age")[0]))

    assert found == [3, 3, 3, 4]


@pytest.mark.parametrize(
    ("kind", "step", "result"),
    [
        ("int2", "int2(20000001, 1)", "float(s.x % 1000) + s.y"),
        ("int64_t", "3000000000ll", "float(s / 1500000000ll)"),
        ("double", "2e-9", "float(s * 1e9)"),
    ],
)
def test_states_keep_their_type(kind, step, result):
    scene = bpy.context.scene
    scene.frame_set(1)
    thing = grid(2)
    add(
        thing,
        f"import weft.node;\nfloat f([State] inout {kind} s) {{ s += {step}; return {result}; }}",
    )

    for frame in (2, 3):
        scene.frame_set(frame)

    assert np.allclose(shown(thing), 6)
