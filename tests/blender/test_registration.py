# SPDX-License-Identifier: Apache-2.0
"""Enabling tells Blender what the extension has; disabling leaves nothing behind."""

from __future__ import annotations

import importlib
import subprocess
import sys

import bpy
import pytest

from blender.blender_state import blender_state, differences
from support.patience import at_most

ENABLE = """
import sys, time
import bpy
sys.path.insert(0, {root!r})
start = time.perf_counter()
import addon
addon.register()
seconds = time.perf_counter() - start
engine = [name for name in sys.modules if name == "weft" or name.startswith("weft.")]
addon.unregister()
print("seconds", seconds, "engine", engine, flush=True)
import os
os._exit(0)
"""


def test_registering_three_times_leaves_nothing_behind(monkeypatch, repository):
    monkeypatch.syspath_prepend(str(repository))
    addon = importlib.import_module("addon")
    importlib.import_module("addon.ui.registration").topics()
    before = blender_state()

    for _ in range(3):
        addon.register()
        during = blender_state()
        addon.unregister()

        assert differences(before, during)["operators"][1] != []
        assert differences(before, blender_state()) == {}


def test_register_that_fails_undoes_what_it_did(monkeypatch, repository):
    monkeypatch.syspath_prepend(str(repository))
    addon = importlib.import_module("addon")
    registration = importlib.import_module("addon.ui.registration")
    topics = registration.topics()
    before = blender_state()

    def fail():
        raise LookupError("no")

    broken = type(sys)("broken")
    broken.SETUPS = ((fail, fail),)
    monkeypatch.setattr(registration, "topics", lambda: [*topics, broken])
    with pytest.raises(LookupError):
        addon.register()

    assert differences(before, blender_state()) == {}


def test_second_copy_is_refused(extension):
    with pytest.raises(RuntimeError, match="enabled already, from another repository"):
        extension.register()


def test_enabling_is_quick_and_leaves_the_engine_unloaded(repository):
    program = ENABLE.format(root=str(repository))

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    words = run.stdout.split()
    assert words[-1] == "[]", run.stdout + run.stderr
    assert float(words[words.index("seconds") + 1]) < at_most(1)


def test_self_test_reports_the_device(extension):
    assert bpy.ops.weft.test_device() == {"FINISHED"}

    session = bpy.context.window_manager.weft_session
    assert session.device().info.name in session.test_report
    assert session.problem == ""


def test_absent_device_says_why_and_what_to_do(extension):
    devices = importlib.import_module("addon.core.devices")
    session = bpy.context.window_manager.weft_session
    session.change_settings(devices.DeviceSettings("vulkan:99"))

    with pytest.raises(RuntimeError, match="adapter"):
        bpy.ops.weft.test_device()

    assert "Choose another device in the preferences" in session.problem
    session.change_settings(devices.DeviceSettings())
    assert bpy.ops.weft.test_device() == {"FINISHED"}
    assert session.problem == ""


def test_devices_are_found(extension):
    bpy.ops.weft.find_devices()

    choices = bpy.context.window_manager.weft_session.choices
    assert choices[0].key.startswith(("vulkan:", "cuda:"))


def test_cache_is_measured_and_cleared(extension, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    settings = importlib.import_module("addon.ui.preferences.settings")
    session = bpy.context.window_manager.weft_session
    settings.use_settings()
    bpy.ops.weft.test_device()
    foreign = tmp_path / "mine.txt"
    foreign.write_text("kept")

    bpy.ops.weft.measure_cache()
    assert session.cache_bytes > 1000

    bpy.ops.weft.clear_cache()
    assert session.cache_bytes == 0
    assert foreign.read_text() == "kept"
    assert bpy.ops.weft.test_device() == {"FINISHED"}
