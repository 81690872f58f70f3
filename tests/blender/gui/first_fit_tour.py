# SPDX-License-Identifier: Apache-2.0
"""The page docs/guide/first_fit.md in a window: the sample opened, fitted, read."""

from __future__ import annotations

import os

import bpy
from steps import Steps, area_of, take_picture, wait_for, within

FACTS: dict[str, object] = {}


def session():
    """Return the extension's session."""
    return bpy.context.window_manager.weft_session


def show_tab() -> None:
    """Show the tab Weft in the sidebar of the 3D view."""
    area_of("VIEW_3D").spaces.active.show_region_ui = True


def tour():
    """Yield after each step the seconds until the next one."""
    bpy.ops.extensions.package_install_files(
        filepath=os.environ["WEFT_ARCHIVE"], repo="user_default", enable_on_install=True
    )
    bpy.context.preferences.system.viewport_aa = "OFF"
    yield 1.0
    show_tab()
    yield 1.0
    for region in area_of("VIEW_3D").regions:
        if region.type == "UI":
            region.active_panel_category = "Weft"
    yield 2.0
    take_picture("first_fit_1_empty")
    bpy.ops.weft.open_sample()
    yield 2.0
    show_tab()
    with within("VIEW_3D"):
        bpy.ops.view3d.view_camera()
    yield 1.0
    for region in area_of("VIEW_3D").regions:
        if region.type == "UI":
            region.active_panel_category = "Weft"
    yield 4.0
    take_picture("first_fit_2_sample")
    with within("VIEW_3D"):
        bpy.ops.weft.fit("INVOKE_DEFAULT")
    yield from wait_for(
        lambda: (
            session().fit is not None
            and session().fit.run is not None
            and session().fit.run.latest is not None
        ),
        700,
    )
    yield 2.0
    take_picture("first_fit_3_running")
    yield from wait_for(lambda: not session().is_fitting, 700)
    FACTS["found"] = [entry.found for entry in bpy.context.scene.weft_fit.parameters]
    FACTS["verdict"] = bpy.context.scene.weft_fit.verdict
    yield 3.0
    take_picture("first_fit_4_done")


steps = Steps(tour())
steps.facts = FACTS
steps.start()
