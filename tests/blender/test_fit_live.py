# SPDX-License-Identifier: Apache-2.0
"""What the button's fit does while it runs: preparation in bits, values and textures that move."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from blender.blender_state import blender_state, differences
from blender.fit_scene import plate, principled, start
from blender.operators import Event, Unbound

__all__ = ["plate"]
TICK = Event("TIMER")


def session():
    return bpy.context.window_manager.weft_session


def fit_texture(state, draws):
    """Ask for base colour as a texture alone."""
    for entry in state.parameters:
        entry.use = entry.socket == "Base Color"
    entry = next(entry for entry in state.parameters if entry.use)
    entry.kind, entry.width, entry.height = "TEXTURE", 16, 8
    state.texture_iterations = draws


def operator_of(state):
    from addon.ui.fit.fitting import WEFT_OT_fit

    return Unbound(WEFT_OT_fit)


def until(condition, operator):
    """Let the timer tick until a condition holds; return what the last tick said."""
    status = None
    while not condition():
        status = operator.modal(bpy.context, TICK)
        if session().fit is not None and session().fit.run is not None:
            session().fit.run.job.wait(0.02)
    return status


def test_the_scene_is_exported_in_bits_and_must_not_change_meanwhile(plate, monkeypatch):
    monkeypatch.setattr("addon.ui.fit.fitting.BIT", 0.0)
    state = start(plate)
    state.max_iterations = 2
    operator = operator_of(state)
    assert operator.begin(bpy.context, at_once=False)

    ticks = 0
    while session().fit.run is None:
        assert operator.modal(bpy.context, Event("MOUSEMOVE")) == {"RUNNING_MODAL"}
        assert operator.modal(bpy.context, TICK) == {"RUNNING_MODAL"}
        ticks += 1
    assert ticks > 4
    assert operator.modal(bpy.context, Event("MOUSEMOVE")) == {"PASS_THROUGH"}

    assert until(lambda: session().fit is None, operator) == {"FINISHED"}
    assert all(entry.found for entry in state.parameters)


def test_escape_during_the_export_leaves_everything_as_it_was(plate, monkeypatch):
    monkeypatch.setattr("addon.ui.fit.fitting.BIT", 0.0)
    state = start(plate)
    operator = operator_of(state)
    assert operator.begin(bpy.context, at_once=False)
    operator.modal(bpy.context, TICK)

    assert operator.modal(bpy.context, Event("ESC", "PRESS")) == {"CANCELLED"}

    assert session().fit is None
    assert principled(bpy.data.materials["Glaze"])["Roughness"].default_value == np.float32(0.6)


def test_what_is_wrong_is_said_when_it_is_found(plate, monkeypatch):
    monkeypatch.setattr("addon.ui.fit.fitting.BIT", 0.0)
    state = start(plate)
    bpy.data.materials["Glaze"].node_tree.nodes["Principled BSDF"].name = "Other"
    operator = operator_of(state)
    assert operator.begin(bpy.context, at_once=False)

    while session().fit is not None:
        status = operator.modal(bpy.context, TICK)

    assert status == {"CANCELLED"}
    assert operator.reports[-1][0] == {"ERROR"}


def test_a_texture_is_shown_while_it_is_fitted_and_becomes_packed(plate):
    state = start(plate)
    fit_texture(state, 10000)
    operator = operator_of(state)
    assert operator.begin(bpy.context)
    socket = principled(bpy.data.materials["Glaze"])["Base Color"]

    until(lambda: socket.is_linked, operator)
    preview = socket.links[0].from_node.image
    assert tuple(preview.size) == (16, 8)
    assert preview.packed_file is None
    bpy.ops.weft.stop_fit()
    until(lambda: session().fit is None, operator)

    (link,) = socket.links
    image = link.from_node.image
    assert image.packed_file is not None
    assert [entry.name for entry in bpy.data.images if entry.name.startswith("Glaze")] == [
        "Glaze.Principled BSDF.Base Color"
    ]
    (found,) = session().last_fit.run.result.textures.values()
    pixels = np.array(image.pixels).reshape(8, 16, 4)[::-1, :, :3]
    assert pixels == pytest.approx(found.pixels, abs=1e-3)


@pytest.mark.parametrize("of_a_node", [False, True])
def test_escape_takes_a_texture_away_again(plate, of_a_node):
    state = start(plate)
    fit_texture(state, 10000)
    tree = bpy.data.materials["Glaze"].node_tree
    if of_a_node:
        node = tree.nodes.new("ShaderNodeTexImage")
        node.image = bpy.data.images.new("old", 8, 8, float_buffer=True)
        tree.links.new(node.outputs["Color"], principled(bpy.data.materials["Glaze"])["Base Color"])
        state.parameters.clear()
        entry = state.parameters.add()
        entry.kind, entry.material, entry.path = "TEXTURE", bpy.data.materials["Glaze"], node.name
        entry.width = entry.height = 8
    operator = operator_of(state)
    before = described(tree), blender_state(), len(bpy.data.images)
    assert operator.begin(bpy.context)
    running = session().fit
    until(lambda: described(tree) != before[0], operator)

    assert operator.modal(bpy.context, Event("ESC", "PRESS")) == {"CANCELLED"}

    assert described(tree) == before[0]
    assert not differences(before[1], blender_state())
    assert len(bpy.data.images) == before[2]
    assert running.run.job.wait(60)


def test_the_panel_expects_what_the_plan_holds(plate, tmp_path):
    from addon.core.fitting.estimate import ThroughputHistory
    from addon.ui.fit.expecting import expect, size_of

    state = start(plate)
    state.max_iterations = 3
    state.parameters[1].kind = "TEXTURE"
    state.parameters[1].width, state.parameters[1].height = 8, 4
    picture = state.targets[0].image
    picture.buffers_free()  # as in a file that was opened just now
    session().throughputs = ThroughputHistory(tmp_path)
    before = size_of(state)
    assert not picture.has_data
    assert expect(state).seconds is None

    for entry in state.parameters:
        entry.kind = "NUMBER"
    bpy.ops.weft.fit()

    assert before.texels == 8 * 4 * 3
    assert before.iterations == max(state.texture_iterations, 3)
    planned = session().last_fit.plan.size()
    assert before.pixels == planned.pixels
    now = size_of(state)
    for name in (
        "pixels",
        "samples",
        "bounces",
        "numbers",
        "parts",
        "texels",
        "triangles",
        "iterations",
    ):
        assert getattr(now, name) == getattr(planned, name), name
    low, high = expect(state).seconds
    assert 0 < low < high


def described(tree):
    """Return nodes, links and images of a tree."""
    images = [(node.name, getattr(node, "image", None)) for node in tree.nodes]
    links = [(link.from_node.name, link.to_socket.identifier) for link in tree.links]
    return sorted(map(str, images)), sorted(links)
