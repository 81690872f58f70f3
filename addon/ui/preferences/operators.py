# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the preferences."""

import bpy

from ...blender.session import require_session
from ...core.cache import clear_cache, measure_cache
from ...core.devices import check_device, list_devices
from ...core.job import Job
from ..waiting import WaitingOperator


class WEFT_OT_find_devices(WaitingOperator, bpy.types.Operator):
    """Look which devices this machine has"""

    bl_idname = "weft.find_devices"
    bl_label = "Find Devices"
    bl_options = {"INTERNAL"}

    def start(self, context: bpy.types.Context) -> Job:
        """Ask the drivers."""
        return Job(lambda cancelled: list_devices(), "weft: find devices")

    def finish(self, context: bpy.types.Context, result: list) -> None:
        """Show them."""
        require_session().choices = result


class WEFT_OT_choose_device(bpy.types.Operator):
    """Render and fit on this device"""

    bl_idname = "weft.choose_device"
    bl_label = "Choose Device"
    bl_options = {"INTERNAL"}

    device: bpy.props.StringProperty(name="Device", description="As in the preferences")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Write it into the preferences, which hand it to the session."""
        from .settings import find_settings

        find_settings().device = self.device
        require_session().test_report = ""
        return {"FINISHED"}


class WEFT_OT_test_device(WaitingOperator, bpy.types.Operator):
    """Compile a small program for the chosen device, run it, and compare its numbers"""

    bl_idname = "weft.test_device"
    bl_label = "Self-Test"

    def start(self, context: bpy.types.Context) -> Job:
        """Run the test."""
        session = require_session()
        session.test_report = ""
        return Job(lambda cancelled: check_device(session.device()), "weft: self-test")

    def finish(self, context: bpy.types.Context, result: str) -> None:
        """Show what it found."""
        require_session().test_report = result
        self.report({"INFO"}, result)


class CacheOperator(WaitingOperator):
    """Base of what deals with the cache: both end with a measurement."""

    def finish(self, context: bpy.types.Context, result: int) -> None:
        """Show how much is there now."""
        require_session().cache_bytes = result


class WEFT_OT_measure_cache(CacheOperator, bpy.types.Operator):
    """Find out how much room compiled kernels take on the disk"""

    bl_idname = "weft.measure_cache"
    bl_label = "Measure"
    bl_options = {"INTERNAL"}

    def start(self, context: bpy.types.Context) -> Job:
        """Add up."""
        folder = require_session().settings.cache_folder
        return Job(lambda cancelled: measure_cache(folder) if folder else 0, "weft: measure cache")


class WEFT_OT_clear_cache(CacheOperator, bpy.types.Operator):
    """Remove all compiled kernels from the disk; they are compiled again when they are needed"""

    bl_idname = "weft.clear_cache"
    bl_label = "Clear"

    def start(self, context: bpy.types.Context) -> Job:
        """Remove them."""
        folder = require_session().settings.cache_folder

        def clear(cancelled: object) -> int:
            if folder is None:
                return 0
            clear_cache(folder)
            return measure_cache(folder)

        return Job(clear, "weft: clear cache")
