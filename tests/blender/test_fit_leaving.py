# SPDX-License-Identifier: Apache-2.0
"""A fit is left at once, whatever it does: disabled, cancelled, or closed with the file."""

from __future__ import annotations

import time

import bpy
import numpy as np
import pytest

from blender.fit_scene import plate, principled, start
from blender.operators import Event, Unbound
from support.patience import at_most

__all__ = ["plate"]

PATIENT = at_most(1)


@pytest.fixture
def compiling(plate, tmp_path):
    """A fit that compiles a material that no cache has."""
    from addon.core.devices import DeviceSettings
    from addon.ui.fit.fitting import WEFT_OT_fit

    session = bpy.context.window_manager.weft_session
    session.change_settings(DeviceSettings(cache_folder=tmp_path))
    state = start(plate)
    operator = Unbound(WEFT_OT_fit)
    assert operator.begin(bpy.context)
    run = session.fit.run
    while not run.phase.startswith("Compiling"):
        assert not run.job.wait(0.01), run.job.error
    return operator, run, state


def test_escape_ends_a_compile_at_once(compiling):
    operator, run, _state = compiling
    began = time.perf_counter()

    assert operator.modal(bpy.context, Event("ESC", "PRESS")) == {"CANCELLED"}

    assert time.perf_counter() - began < PATIENT
    assert run.job.wait(PATIENT)
    assert run.job.error is None
    inputs = principled(bpy.data.materials["Glaze"])
    assert inputs["Roughness"].default_value == np.float32(0.6)


def test_disabling_while_a_fit_compiles_is_quick(compiling, extension):
    began = time.perf_counter()
    extension.unregister()
    seconds = time.perf_counter() - began
    extension.register()

    assert seconds < PATIENT + 0.5
    assert bpy.context.window_manager.weft_session.fit is None


def test_stop_while_it_compiles_ends_it(compiling):
    operator, run, _state = compiling

    assert bpy.ops.weft.stop_fit() == {"FINISHED"}

    assert run.job.wait(PATIENT)
    assert operator.modal(bpy.context, Event("TIMER")) == {"FINISHED"}
