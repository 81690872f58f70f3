# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the scene is missing or replaced, in a box that stays; a click goes to the place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...blender.session import require_session
from ...blender.showing import show_place
from ..text import draw_text
from ..waiting import redraw

if TYPE_CHECKING:
    from ...core.problems import Problem

FEW = 5  # that are shown unless all are wanted
FIRST = ("Image", "World", "Light")
"""Kinds of places whose problems change most of a picture."""


class WEFT_OT_check_scene(bpy.types.Operator):
    """Look for what of the scene the fit does not see as Cycles does"""

    bl_idname = "weft.check_scene"
    bl_label = "Check Scene"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Export the scene without fitting it."""
        # The engine is loaded here, not when the extension is enabled.
        from ...blender.fit_scene import find_problems

        cameras = [target.camera for target in context.scene.weft_fit.targets if target.use]
        session = require_session()
        try:
            found = find_problems(context.evaluated_depsgraph_get(), session.exporter(), cameras)
        except (ValueError, OSError, RuntimeError, ImportError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        keep_problems(context.scene, found)
        self.report({"INFO"}, f"fit: {describe_count(len(found))}")
        redraw(context)
        return {"FINISHED"}


class WEFT_OT_show_problem(bpy.types.Operator):
    """Select the object or node that this is about"""

    bl_idname = "weft.show_problem"
    bl_label = "Show"
    bl_options = {"INTERNAL"}

    where: bpy.props.StringProperty(name="Place", description="As the problem names it")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Go there."""
        # The engine is loaded here, not when the extension is enabled.
        from ...core.problems import Problem

        if not show_place(context, Problem(self.where, "")):
            self.report({"WARNING"}, f"fit: {self.where} is not there any more; check again")
            return {"CANCELLED"}
        redraw(context)
        return {"FINISHED"}


def keep_problems(scene: bpy.types.Scene, found: list[Problem]) -> None:
    """Keep what the panel shows of a scene, the most important problems first."""
    ranks = {kind: number for number, kind in enumerate(FIRST)}
    found = sorted(found, key=lambda entry: ranks.get(entry.where.split(" ")[0], len(FIRST)))
    require_session().problems[scene.name] = found


def describe_count(count: int) -> str:
    """Return how many problems there are, in words."""
    if count == 0:
        return "Nothing of the scene is missing or replaced"
    return (
        "1 thing is missing or replaced"
        if count == 1
        else f"{count} things are missing or replaced"
    )


def draw_problems(layout: bpy.types.UILayout, fit: bpy.types.PropertyGroup) -> None:
    """Draw the box."""
    found = require_session().problems.get(fit.id_data.name)
    if found is None:
        layout.operator("weft.check_scene", icon="VIEWZOOM")
        return
    box = layout.box()
    row = box.row()
    row.alert = bool(found)
    row.label(text=describe_count(len(found)), icon="ERROR" if found else "CHECKMARK")
    row.operator("weft.check_scene", text="", icon="FILE_REFRESH")
    shown = found if fit.shows_all_problems else found[:FEW]
    for problem in shown:
        row = box.row()
        row.operator("weft.show_problem", text="", icon="RESTRICT_SELECT_OFF").where = problem.where
        draw_text(row, str(problem))
    if len(found) > FEW:
        box.prop(fit, "shows_all_problems", text=f"All {len(found)}", toggle=True)
