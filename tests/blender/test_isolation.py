# SPDX-License-Identifier: Apache-2.0
"""An engine that fails, hangs or dies leaves Blender usable and the scene as it was."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from dataclasses import replace

import bpy
import numpy as np
import pytest

from blender.fit_scene import fit, plate, principled, start
from blender.operators import Event, Unbound
from support.compiler_processes import compilers
from support.patience import at_most

__all__ = ["plate"]


def session():
    return bpy.context.window_manager.weft_session


def roughness():
    return principled(bpy.data.materials["Glaze"])["Roughness"]


def fit_from_panel(state):
    """Start the button's fit and return the operator."""
    from addon.ui.fit.fitting import WEFT_OT_fit

    state.tolerance, state.max_iterations = 1e-5, 10000
    operator = Unbound(WEFT_OT_fit)
    assert operator.begin(bpy.context)
    return operator


def after_first_draw(monkeypatch, act):
    """Call a function in the fit's thread once something was found."""
    from weft.fit import Fit

    run = Fit.run

    def run_and_act(self, look, *arguments, **options):
        def looked(progress):
            look(progress)
            act()

        return run(self, looked, *arguments, **options)

    monkeypatch.setattr(Fit, "run", run_and_act)


def test_a_fit_that_fails_restores_the_scene_and_says_why(plate, monkeypatch):
    def fail():
        raise RuntimeError("the device is lost")

    before = roughness().default_value
    after_first_draw(monkeypatch, fail)
    operator = fit_from_panel(start(plate))
    running = session().fit
    assert running.run.job.wait(120)
    running.show()
    assert roughness().default_value != before

    assert operator.conclude(bpy.context) == {"CANCELLED"}

    assert roughness().default_value == before
    assert operator.reports[-1] == ({"ERROR"}, "the device is lost")
    assert session().fit is None
    monkeypatch.undo()
    assert fit(plate, ["Glaze.Roughness"], max_iterations=2).reason == "iterations"


def test_a_fit_that_hangs_is_left_in_no_time_and_the_extension_can_go(plate, monkeypatch):
    held = threading.Event()
    monkeypatch.setattr("addon.blender.session.JOB_END_SECONDS", 0.2)
    after_first_draw(monkeypatch, held.wait)
    before = roughness().default_value
    operator = fit_from_panel(start(plate))
    running = session().fit
    while not running.show():
        running.run.job.wait(0.05)
    assert roughness().default_value != before

    begun = time.perf_counter()
    assert operator.modal(bpy.context, Event("ESC", "PRESS")) == {"CANCELLED"}
    assert time.perf_counter() - begun < at_most(0.3)
    assert roughness().default_value == before

    begun = time.perf_counter()
    session().close_device()
    assert time.perf_counter() - begun < at_most(2)
    assert not running.is_done
    held.set()
    assert running.run.job.wait(60)
    assert fit(plate, ["Glaze.Roughness"], max_iterations=2).reason == "iterations"


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the process in /proc")
def test_a_compiler_that_dies_takes_neither_blender_nor_the_scene_along(plate, tmp_path):
    from addon.api import render

    session().device()
    before = roughness().default_value
    stop = threading.Event()

    def kill():
        while not stop.is_set():
            for number in compilers():
                with contextlib.suppress(ProcessLookupError):  # reaped since it was found
                    os.kill(number, signal.SIGKILL)
            time.sleep(0.002)

    # New to the kernels of this session, and an empty cache, so that there is something to compile.
    tree = bpy.data.materials["Glaze"].node_tree
    node = tree.nodes.new("ShaderNodeMath")
    node.inputs[0].default_value = before
    node.inputs[1].default_value = 0.0
    tree.links.new(node.outputs[0], tree.nodes["Principled BSDF"].inputs["Roughness"])
    empty = replace(session().settings, cache_folder=tmp_path / "empty")
    session().change_settings(empty)
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with pytest.raises(RuntimeError, match="compiler"):
            fit(plate, ["Glaze.Base Color"])
    finally:
        stop.set()
        killer.join()

    assert tuple(principled(bpy.data.materials["Glaze"])["Base Color"].default_value)[
        :3
    ] == pytest.approx((0.4, 0.4, 0.4))
    assert np.isfinite(render(samples=1)["color"]).all()
    assert fit(plate, ["Glaze.Base Color"], max_iterations=2).reason == "iterations"
