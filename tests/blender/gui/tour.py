# SPDX-License-Identifier: Apache-2.0
"""What the extension looks like: preferences, render settings, viewport, a finished render."""

from __future__ import annotations

import os

import bpy
from steps import Steps, area_of, take_picture, wait_for, within

MODULE = "bl_ext.user_default.weft"
SAMPLES = 16
SERVERS: list = []
FACTS: dict[str, object] = {}


def tour():
    """Yield after each step the seconds until the next one."""
    bpy.context.preferences.view.show_splash = False
    bpy.ops.extensions.package_install_files(
        filepath=os.environ["WEFT_ARCHIVE"], repo="user_default", enable_on_install=True
    )
    FACTS["enabled"] = MODULE in bpy.context.preferences.addons
    yield 1.0

    yield from preferences()
    yield from render_settings()
    yield from viewport()
    yield from final_render()

    bpy.ops.preferences.addon_disable(module=MODULE)
    FACTS["disabled"] = not hasattr(bpy.types.Scene, "weft_render")
    yield 1.0
    take_picture("6_disabled")


def preferences():
    """Show the preferences with the list of devices and the self-test's result."""
    area = area_of("VIEW_3D")
    area.type = "PREFERENCES"
    bpy.context.preferences.active_section = "ADDONS"
    bpy.context.window_manager.addon_search = "Weft"
    yield 1.0
    bpy.ops.preferences.addon_expand(module=MODULE)
    bpy.ops.weft.find_devices()
    bpy.ops.weft.test_device()
    bpy.ops.weft.measure_cache()
    FACTS["report"] = bpy.context.window_manager.weft_session.test_report
    yield 2.0
    take_picture("1_preferences")
    area.type = "VIEW_3D"
    yield 0.5


def render_settings():
    """Choose the engine and show its panels."""
    bpy.context.scene.render.engine = "WEFT"
    area_of("PROPERTIES").spaces.active.context = "RENDER"
    yield 1.0
    take_picture("2_render_settings")
    area_of("PROPERTIES").spaces.active.context = "MATERIAL"
    yield 1.0
    take_picture("3_material")


def is_drawn(pictures: int) -> bool:
    """Return whether the viewport's thread rests after more than so many pictures."""
    rest = f"Sample {SAMPLES} of {SAMPLES}"
    return any(s.status == rest and s.picture()[0] > pictures for s in SERVERS)


def note_servers() -> None:
    """Have what renders the pictures of viewports noted."""
    from bl_ext.user_default.weft.core.picture_server import PictureServer

    begin = PictureServer.__init__

    def init(self, *arguments):
        begin(self, *arguments)
        SERVERS.append(self)

    PictureServer.__init__ = init


def viewport():
    """Show rendered shading until the thread rests."""
    scene = bpy.context.scene
    scene.weft_render.viewport_samples = SAMPLES
    note_servers()
    area = area_of("VIEW_3D")
    area.spaces.active.shading.type = "RENDERED"
    yield from wait_for(lambda: is_drawn(0), 150)
    yield 2.0
    take_picture("4_viewport")
    drawn = max(entry.picture()[0] for entry in SERVERS)
    bpy.data.materials["Material"].node_tree.nodes["Principled BSDF"].inputs[
        "Base Color"
    ].default_value = (0.8, 0.1, 0.05, 1)
    with within("VIEW_3D"):
        bpy.ops.view3d.view_camera()
    yield 2.0
    yield from wait_for(lambda: is_drawn(drawn), 100)
    yield 2.0
    take_picture("4_viewport_red_through_the_camera")
    area.spaces.active.shading.type = "SOLID"
    yield 1.0


def final_render():
    """Render as F12 does and show the picture."""
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = 480, 270
    scene.weft_render.samples = 32
    scene.weft_render.use_denoising = False
    with within("VIEW_3D"):
        bpy.ops.render.render("INVOKE_DEFAULT")
    yield 1.0
    yield from wait_for(lambda: not bpy.app.is_job_running("RENDER"), 100)
    yield 2.0
    take_picture("5_final_render")


steps = Steps(tour())
steps.facts = FACTS
steps.start()
