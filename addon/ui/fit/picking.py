# SPDX-License-Identifier: GPL-3.0-or-later
"""The eyedropper: click a surface in the 3D view, choose which of its inputs to find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy_extras import view3d_utils

from ...blender.picking import material_on_ray
from ..waiting import redraw
from .choosing import add_choice
from .operators import EDIT, KIND, find_material

if TYPE_CHECKING:
    from ...blender.fit_choices import Choices


class WEFT_OT_pick_material(bpy.types.Operator):
    """Click a surface in the 3D view, and choose which inputs of its material the fit shall find"""

    bl_idname = "weft.pick_material"
    bl_label = "Pick from 3D View"
    bl_options = {"INTERNAL"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Wait for the click."""
        self._is_pressed = False
        context.window.cursor_modal_set("EYEDROPPER")
        context.workspace.status_text_set("Click a surface in a 3D view; right click or Esc: none")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Take the click."""
        if event.type in {"ESC", "RIGHTMOUSE"}:
            return self.leave(context, {"CANCELLED"})
        if event.type != "LEFTMOUSE":
            return {"PASS_THROUGH"}
        # A menu that opens while the button is down takes its release for a choice.
        if event.value != "RELEASE" or not self._is_pressed:
            self._is_pressed = self._is_pressed or event.value == "PRESS"
            return {"RUNNING_MODAL"}
        self.leave(context, set())
        ray = ray_under_mouse(context, event)
        if ray is None:
            self.report({"WARNING"}, "fit: that was no 3D view; click a surface in one")
            return {"CANCELLED"}
        entry, material = material_on_ray(context.evaluated_depsgraph_get(), *ray)
        if entry is None:
            self.report({"WARNING"}, "fit: there is no surface; click one")
            return {"CANCELLED"}
        if material is None or material.node_tree is None:
            self.report({"WARNING"}, f"fit: '{entry.name}' has no material with nodes there")
            return {"CANCELLED"}
        show_choices(context, material)
        return {"FINISHED"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Clean up because Blender ends the operator."""
        self.leave(context, set())

    def leave(self, context: bpy.types.Context, status: set[str]) -> set[str]:
        """Give the mouse back."""
        context.window.cursor_modal_restore()
        context.workspace.status_text_set(None)
        return status


class WEFT_OT_add_input(bpy.types.Operator):
    """Let the fit find this input, or the image that drives it"""

    bl_idname = "weft.add_input"
    bl_label = "Fit Input"
    bl_options = EDIT

    material: bpy.props.StringProperty(name="Material", description="Its full name")
    node: bpy.props.StringProperty(
        name="Node", description="Name of the node, below those of the groups around it, one a line"
    )
    socket: bpy.props.StringProperty(
        name="Socket", description="Identifier of the input; empty: the image of the node"
    )
    is_output: bpy.props.BoolProperty(name="Output", description="The number stands at an output")
    kind: KIND

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put it into the list."""
        from ...blender.fit_choices import find_choice

        material = find_material(self.material)
        path = tuple(self.node.split("\n"))
        choice = find_choice(material, path, self.socket, is_output=self.is_output)
        if choice is None:
            what = f"input '{self.socket}' to find" if self.socket else "such image to find"
            self.report({"ERROR"}, f"fit: '{self.material}' has no {what}")
            return {"CANCELLED"}
        kind = self.kind if choice.kind == "NUMBER" else choice.kind
        add_choice(context.scene.weft_fit, material, choice, kind)
        redraw(context)
        return {"FINISHED"}


def ray_under_mouse(
    context: bpy.types.Context, event: bpy.types.Event
) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Return origin and direction of the ray under the mouse, ``None`` outside of 3D views."""
    x, y = event.mouse_x, event.mouse_y
    for area in context.window.screen.areas:
        for region in area.regions if area.type == "VIEW_3D" else ():
            inside = 0 <= x - region.x < region.width and 0 <= y - region.y < region.height
            if region.type != "WINDOW" or not inside:
                continue
            view, place = area.spaces.active.region_3d, (x - region.x, y - region.y)
            return (
                tuple(view3d_utils.region_2d_to_origin_3d(region, view, place)),
                tuple(view3d_utils.region_2d_to_vector_3d(region, view, place)),
            )
    return None


def show_choices(context: bpy.types.Context, material: bpy.types.Material) -> None:
    """Show a menu of the material's inputs and images."""
    from ...blender.fit_choices import choices_of

    choices = choices_of(material)

    def draw(self: bpy.types.Menu, context: bpy.types.Context) -> None:
        draw_choices(self.layout, material, choices)

    context.window_manager.popup_menu(
        draw, title=f"Parameters of {material.name}", icon="EYEDROPPER"
    )


def draw_choices(
    layout: bpy.types.UILayout, material: bpy.types.Material, choices: Choices
) -> None:
    """Draw the menu of a material."""
    for text, main in (("Main Inputs", True), ("All Inputs", False)):
        button = layout.operator("weft.add_material", text=text, icon="MATERIAL")
        button.material, button.main = material.name_full, main
    layout.operator("weft.add_maps", icon="TEXTURE").material = material.name_full
    layout.separator()
    for choice in choices.entries:
        address = choice.address
        icon = "IMAGE_DATA" if choice.kind == "TEXTURE" else "NONE"
        button = layout.operator("weft.add_input", text=choice.title, icon=icon)
        button.material, button.node = material.name_full, "\n".join(address.path)
        button.socket, button.is_output = address.socket, address.is_output
    for title in choices.blocked:
        layout.label(text=f"{title} is linked: choose what drives it")
