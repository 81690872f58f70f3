# SPDX-License-Identifier: Apache-2.0
"""A fit as an artist does it: lists, Fit, live values, the result; then one that ESC cancels."""

from __future__ import annotations

import os
import subprocess
import time

import bpy
from steps import OUT, Steps, area_of, take_picture, within

TRUE_COLOR, GREY = (0.7, 0.25, 0.1, 1.0), (0.5, 0.5, 0.5, 1.0)
FACTS: dict[str, object] = {}


class Pulse:
    """Measures how long Blender's main thread does not come back to its timers."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.last = time.perf_counter()

        bpy.app.timers.register(self.beat, first_interval=0.01)

    def beat(self) -> float:
        """Note the time since the last beat."""
        now = time.perf_counter()
        self.longest = max(self.longest, now - self.last)
        self.last = now
        return 0.005

    def take(self) -> float:
        """Return the longest pause in seconds since the last call."""
        found, self.longest = self.longest, 0.0
        return found


def session():
    """Return the extension's session."""
    return bpy.context.window_manager.weft_session


def base_color():
    """Return the input that the fit does not know."""
    nodes = bpy.data.materials["Material"].node_tree.nodes
    return nodes["Principled BSDF"].inputs["Base Color"]


def prepare() -> None:
    """Make a scene and a picture of it, forget the colour, fill the lists."""
    import weft_blender
    from weft import image

    scene = bpy.context.scene
    bpy.data.lights["Light"].use_soft_falloff = False
    scene.render.engine = "WEFT"
    scene.render.resolution_x, scene.render.resolution_y = 240, 160
    base_color().default_value = TRUE_COLOR
    picture = weft_blender.render(samples=128)["color"]
    image.write(OUT / "photo.exr", picture, encoding="linear")
    base_color().default_value = GREY
    bpy.ops.weft.add_target(filepath=str(OUT / "photo.exr"), camera="Camera")
    bpy.ops.weft.add_material(material="Material")


def start_fit() -> None:
    """Press the button."""
    with within("VIEW_3D"):
        FACTS["started"] = sorted(bpy.ops.weft.fit("INVOKE_DEFAULT"))


def wait_for(condition, seconds: float):
    """Yield until a condition holds; fail after so long."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(condition)
        yield 0.01


def tour():
    """Yield after each step the seconds until the next one."""
    bpy.ops.extensions.package_install_files(
        filepath=os.environ["WEFT_ARCHIVE"], repo="user_default", enable_on_install=True
    )
    yield 1.0
    prepare()
    space = area_of("VIEW_3D").spaces.active
    space.show_region_ui = True
    with within("VIEW_3D"):
        bpy.ops.view3d.view_camera()
    yield 0.5
    for region in area_of("VIEW_3D").regions:
        if region.type == "UI":
            region.active_panel_category = "Weft"
    area_of("PROPERTIES").spaces.active.context = "MATERIAL"
    space.shading.type = "RENDERED"
    yield 10.0
    take_picture("fit_1_ready")

    pulse = Pulse()
    yield 2.0
    FACTS["longest_pause_idle"] = pulse.take()
    began = time.perf_counter()
    start_fit()
    FACTS["seconds_of_the_click"] = time.perf_counter() - began
    yield from wait_for(lambda: session().fit is None or session().fit.run.latest, 120)
    FACTS["seconds_to_the_first_value"] = time.perf_counter() - began
    yield 1.0
    take_picture("fit_2_running")
    yield from wait_for(lambda: session().fit is None, 200)
    FACTS["longest_pause_of_the_fit"] = pulse.take()
    FACTS["found"] = list(base_color().default_value)
    yield 8.0
    take_picture("fit_3_done")

    base_color().default_value = GREY
    space.shading.type = "SOLID"
    subprocess.run(["xdotool", "mousemove", "500", "500"], check=True)
    yield 1.0
    start_fit()
    yield from wait_for(lambda: session().fit is None or session().fit.run.latest, 120)
    FACTS["running_before_escape"] = session().fit is not None
    pressed = time.perf_counter()
    subprocess.run(["xdotool", "key", "Escape"], check=True)
    yield from wait_for(lambda: session().fit is None, 20)
    FACTS["seconds_from_escape"] = time.perf_counter() - pressed
    FACTS["after_escape"] = list(base_color().default_value)
    yield 1.0
    take_picture("fit_4_cancelled")


steps = Steps(tour())
steps.facts = FACTS
steps.start()
