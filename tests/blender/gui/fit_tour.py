# SPDX-License-Identifier: Apache-2.0
"""A fit as an artist does it: lists, Fit, live values, the result; then one that ESC cancels."""

from __future__ import annotations

import os
import time

import bpy
from steps import OUT, Steps, area_of, mouse, take_picture, wait_for, within

CUBE = (657, 462)  # a place of the window that shows it through the camera
TRUE_COLOR, GREY = (0.7, 0.25, 0.1, 1.0), (0.5, 0.5, 0.5, 1.0)
FACTS: dict[str, object] = {}


class Watch:
    """Measures what the fit's button keeps Blender's main thread from.

    Its time inside of the button's handler, interpreter lock included, is the extension's doing;
    the rest of a pause between two ticks is Blender's drawing, long with a software renderer.
    """

    def __init__(self, operator: type) -> None:
        self.inside: list[float] = []
        self.between: list[float] = []
        self.ended = 0.0
        self.busy = 0.0
        self._last = 0.0
        self._modal = operator.modal
        watch = self

        def modal(self, context, event):
            began, busy = time.perf_counter(), time.thread_time()
            if event.type == "TIMER" and watch._last:
                watch.between.append(began - watch._last)
            found = watch._modal(self, context, event)
            watch._last = time.perf_counter()
            watch.inside.append(watch._last - began)
            watch.busy = max(watch.busy, time.thread_time() - busy)
            if found & {"FINISHED", "CANCELLED"}:
                watch.ended, watch._last = time.time(), 0.0
            return found

        operator.modal = modal

    def take(self) -> dict[str, float]:
        """Return the longest and the usual times in seconds since the last call."""
        inside, between = sorted(self.inside), sorted(self.between)
        self.inside, self.between = [], []
        busy, self.busy = self.busy, 0.0
        return {
            "longest_inside_processor": busy,
            "longest_inside": max(inside, default=0.0),
            "usual_inside": inside[len(inside) * 9 // 10] if inside else 0.0,
            "usual_pause": between[len(between) // 2] if between else 0.0,
            "longest_pause": max(between, default=0.0),
            "ticks": len(between),
        }


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


def has_values() -> bool:
    """Return whether the running fit has shown a value, or there is none any more."""
    run = session().fit.run if session().fit is not None else None
    return not session().is_fitting or (run is not None and run.latest is not None)


def start_fit() -> None:
    """Press the button."""
    with within("VIEW_3D"):
        FACTS["started"] = sorted(bpy.ops.weft.fit("INVOKE_DEFAULT"))


def pick():
    """Click the cube with the eyedropper, and then an input in the menu."""
    with within("VIEW_3D"):
        bpy.ops.weft.pick_material("INVOKE_DEFAULT")
    mouse("mousemove", *CUBE)
    yield 0.5
    mouse("click", 1)
    yield 1.5
    take_picture("fit_0_choices")
    FACTS["found_before_the_choice"] = len(bpy.context.scene.weft_fit.parameters)
    mouse("click", 1)  # the menu has a line under the mouse
    yield 1.0
    parameters = bpy.context.scene.weft_fit.parameters
    FACTS["picked"] = [(entry.material.name, entry.socket) for entry in parameters]
    parameters.clear()
    bpy.ops.weft.add_material(material="Material")


def tour():
    """Yield after each step the seconds until the next one."""
    bpy.ops.extensions.package_install_files(
        filepath=os.environ["WEFT_ARCHIVE"], repo="user_default", enable_on_install=True
    )
    yield 1.0
    # Each change would have the window drawn eight times, which takes a software renderer seconds.
    bpy.context.preferences.system.viewport_aa = "OFF"
    prepare()
    space = area_of("VIEW_3D").spaces.active
    space.show_region_ui = True
    with within("VIEW_3D"):
        bpy.ops.view3d.view_camera()
    yield 0.5
    for region in area_of("VIEW_3D").regions:
        if region.type == "UI":
            region.active_panel_category = "Weft"
    yield from pick()
    area_of("PROPERTIES").spaces.active.context = "MATERIAL"
    space.shading.type = "RENDERED"
    yield 10.0
    take_picture("fit_1_ready")

    from bl_ext.user_default.weft.ui.fit.fitting import WEFT_OT_fit

    watch = Watch(WEFT_OT_fit)
    state = bpy.context.scene.weft_fit
    state.tolerance = 0.0005
    began = time.perf_counter()
    start_fit()
    FACTS["seconds_of_the_click"] = time.perf_counter() - began
    yield from wait_for(has_values, 120)
    FACTS["seconds_to_the_first_value"] = time.perf_counter() - began
    yield 1.5
    take_picture("fit_2_running")
    yield from wait_for(lambda: not session().is_fitting, 250)
    FACTS["fit_beside_a_rendered_view"] = watch.take()
    FACTS["found"] = list(base_color().default_value)
    yield 6.0
    take_picture("fit_3_done")
    yield from cancelled(watch, space)
    yield from with_texture()


def cancelled(watch, space):
    """Begin again from grey and press ESC."""
    base_color().default_value = GREY
    state = bpy.context.scene.weft_fit
    space.shading.type = "SOLID"
    state.tolerance, state.max_iterations = 1e-5, 10000
    mouse("mousemove", *CUBE)
    yield 1.0
    watch.take()
    began = time.perf_counter()
    start_fit()
    yield from wait_for(has_values, 120)
    FACTS["seconds_to_the_first_value_warm"] = time.perf_counter() - began
    yield 4.0
    FACTS["fit_beside_a_solid_view"] = watch.take()
    FACTS["running_before_escape"] = session().fit is not None
    mouse("key", "Escape")
    pressed = time.time()  # the window was waiting for xdotool
    yield from wait_for(lambda: not session().is_fitting, 20)
    FACTS["seconds_from_escape"] = watch.ended - pressed
    FACTS["after_escape"] = list(base_color().default_value)
    yield 1.0
    take_picture("fit_4_cancelled")


def with_texture():
    """Show a texture while it is fitted, and leave it."""
    state = bpy.context.scene.weft_fit
    state.max_iterations = state.texture_iterations = 200
    for entry in state.parameters:
        entry.use = entry.socket == "Base Color"
        entry.kind = "TEXTURE" if entry.use else "NUMBER"
        entry.width = entry.height = 64
    state.parameter = 0
    start_fit()
    yield from wait_for(lambda: base_color().is_linked or not session().is_fitting, 150)
    FACTS["texture_shown"] = base_color().is_linked
    area_of("VIEW_3D").spaces.active.shading.type = "MATERIAL"
    yield 3.0
    take_picture("fit_5_texture")
    bpy.ops.weft.stop_fit()
    yield from wait_for(lambda: not session().is_fitting, 150)
    image = base_color().links[0].from_node.image
    FACTS["texture_packed"] = image.packed_file is not None and tuple(image.size) == (64, 64)
    take_picture("fit_6_stopped")


steps = Steps(tour())
steps.facts = FACTS
steps.start()
