# SPDX-License-Identifier: GPL-3.0-or-later
"""The eyedropper: click a surface in the 3D view, choose which of its inputs to find."""

from __future__ import annotations

import bpy
from bpy_extras import view3d_utils

from ...blender.picking import material_on_ray
from ..waiting import redraw
from .choosing import add_socket, can_fit, surface_nodes
from .operators import EDIT, KIND


class WEFT_OT_pick_material(bpy.types.Operator):
    """Click a surface in the 3D view, and choose which inputs of its material the fit shall find"""

    bl_idname = "weft.pick_material"
    bl_label = "Pick from 3D View"
    bl_options = {"INTERNAL"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Wait for the click."""
        self._is_pressed = False
        context.window.cursor_modal_set("EYEDROPPER")
        context.workspace.status_text_set("Click a surface in a 3D view; right click or ESC: none")
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
    """Let the fit find this input"""

    bl_idname = "weft.add_input"
    bl_label = "Fit Input"
    bl_options = EDIT

    material: bpy.props.StringProperty(name="Material", description="Its full name")
    node: bpy.props.StringProperty(name="Node", description="Name of the node")
    socket: bpy.props.StringProperty(name="Socket", description="Identifier of the input")
    kind: KIND

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put it into the list."""
        socket = find_input(self.material, self.node, self.socket)
        if socket is None:
            self.report({"ERROR"}, f"fit: '{self.material}' has no input '{self.socket}' to find")
            return {"CANCELLED"}
        add_socket(context.scene.weft_fit, socket, self.kind)
        redraw(context)
        return {"FINISHED"}


def find_input(material: str, node: str, identifier: str) -> bpy.types.NodeSocket | None:
    """Return an input that can be fitted, ``None`` if there is no such."""
    owner = next((entry for entry in bpy.data.materials if entry.name_full == material), None)
    for entry in surface_nodes(owner) if owner is not None else ():
        for socket in entry.inputs:
            if (entry.name, socket.identifier) == (node, identifier) and can_fit(socket):
                return socket
    return None


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
    """Show a menu of the material's inputs."""

    def draw(self: bpy.types.Menu, context: bpy.types.Context) -> None:
        layout = self.layout
        for text, main in (("Main Inputs", True), ("All Inputs", False)):
            button = layout.operator("weft.add_material", text=text, icon="MATERIAL")
            button.material, button.main = material.name, main
        layout.separator()
        for node in surface_nodes(material):
            for socket in filter(can_fit, node.inputs):
                text = f"{socket.name} ({node.label or node.name})"
                button = layout.operator("weft.add_input", text=text)
                button.material, button.node = material.name_full, node.name
                button.socket = socket.identifier

    context.window_manager.popup_menu(draw, title=f"Find of {material.name}", icon="EYEDROPPER")
