# SPDX-License-Identifier: GPL-3.0-or-later
"""The light in the panel: that of each picture, and the world as an unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..text import draw_text
from ..waiting import redraw
from .choosing import add_environment

if TYPE_CHECKING:
    from .properties import WEFT_PG_fit_target

TRADE_OFF = (
    "The brightness of the light and the base colors trade off: leave one known color, as a gray "
    "card, out of the list"
)


class WEFT_OT_add_environment(bpy.types.Operator):
    """Let the fit find all of the world's light as an image, instead of the scene's world"""

    bl_idname = "weft.add_environment"
    bl_label = "Unknown Environment"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put it into the list."""
        add_environment(context.scene.weft_fit)
        redraw(context)
        return {"FINISHED"}


class WEFT_PT_fit_world(bpy.types.Panel):
    """In the properties of worlds."""

    bl_idname = "WEFT_PT_fit_world"
    bl_label = "Weft Fit"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "world"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the button, or what is asked for."""
        fit = context.scene.weft_fit
        entries = [entry for entry in fit.parameters if entry.kind == "ENVIRONMENT"]
        self.layout.operator("weft.add_environment", icon="MAT_SPHERE_SKY")
        for entry in entries:
            draw_environment(self.layout, entry)


def draw_environment(layout: bpy.types.UILayout, entry: bpy.types.PropertyGroup) -> None:
    """Draw the settings of the unknown environment, and what it cannot be told from."""
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = False
    column.prop(entry, "environment_size")
    if not entry.note:
        draw_text(layout, TRADE_OFF, icon="INFO")


def draw_lighting(layout: bpy.types.UILayout, target: WEFT_PG_fit_target) -> None:
    """Draw under which light a picture was taken."""
    header, body = layout.panel("WEFT_fit_lighting", default_closed=True)
    header.label(text="Light" if not has_own_light(target) else "Light (Own)")
    if body is None:
        return
    body.use_property_split = True
    body.use_property_decorate = False
    body.prop(target, "own_lights")
    if target.own_lights:
        body.prop(target, "lights")
    body.prop(target, "flash")
    body.prop(target, "world_kind")
    if target.world_kind == "OWN":
        body.prop(target, "world")


def has_own_light(target: WEFT_PG_fit_target) -> bool:
    """Return whether a picture was lit by anything else than the scene."""
    return target.own_lights or target.flash is not None or target.world_kind != "SCENE"
