# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons that fill the lists of the panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..waiting import redraw
from .choosing import add_choice, add_image_node, add_light, add_maps, add_socket, can_fit

if TYPE_CHECKING:
    from ...blender.fit_choices import Choices

EDIT = {"REGISTER", "UNDO"}
KIND = bpy.props.EnumProperty(
    name="As",
    items=(
        ("NUMBER", "Number", "One number or color"),
        ("TEXTURE", "Texture", "An image, for which the object has to have a UV map"),
    ),
)


class RemoveOperator:
    """Base of what removes the selected entry of a list."""

    bl_options = EDIT
    entries: str  # name of the list; without its last letter, that of the selected one's number

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there is one."""
        return len(getattr(context.scene.weft_fit, cls.entries)) > 0

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove it, and select the next one."""
        fit = context.scene.weft_fit
        entries, number = getattr(fit, self.entries), self.entries.removesuffix("s")
        entries.remove(getattr(fit, number))
        setattr(fit, number, max(0, min(getattr(fit, number), len(entries) - 1)))
        redraw(context)
        return {"FINISHED"}


class WEFT_OT_remove_target(RemoveOperator, bpy.types.Operator):
    """Remove the selected picture from the list; the image stays in the file"""

    bl_idname = "weft.remove_target"
    bl_label = "Remove Picture"
    entries = "targets"


class WEFT_OT_add_parameter(bpy.types.Operator):
    """Let the fit find the value of this input"""

    bl_idname = "weft.add_parameter"
    bl_label = "Fit This Input"
    bl_options = EDIT

    kind: KIND

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether the mouse is over an input that can be fitted."""
        socket = socket_under_mouse(context)
        return socket is not None and can_fit(socket)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put it into the list."""
        socket = socket_under_mouse(context)
        if add_socket(context.scene.weft_fit, socket, self.kind) is None:
            self.report({"ERROR"}, f"fit: no material uses the nodes of '{socket.name}'")
            return {"CANCELLED"}
        redraw(context)
        return {"FINISHED"}


class MaterialOperator:
    """Base of what takes inputs of one material."""

    bl_options = EDIT

    material: bpy.props.StringProperty(
        name="Material", description="Its name; empty: that of the active object"
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put them into the list."""
        # The engine is loaded here, not when the extension is enabled.
        from ...blender.fit_choices import choices_of

        material = find_material(self.material) if self.material else None
        if material is None and not self.material and context.object is not None:
            material = context.object.active_material
        if material is None or material.node_tree is None:
            self.report({"ERROR"}, "fit: there is no material with nodes; choose one")
            return {"CANCELLED"}
        choices = choices_of(material)
        found = self.take(context.scene.weft_fit, material, choices)
        if choices.blocked:
            names = ", ".join(choices.blocked)
            self.report(
                {"WARNING"},
                f"fit: nodes drive {names} of '{material.name}'; pick a number or an image of "
                "them with the eyedropper",
            )
        elif not found:
            self.report({"WARNING"}, f"fit: '{material.name}' has no input with an effect")
        redraw(context)
        return {"FINISHED"}


class WEFT_OT_add_material(MaterialOperator, bpy.types.Operator):
    """Let the fit find base color, roughness and metallic of a material, or all its inputs"""

    bl_idname = "weft.add_material"
    bl_label = "Inputs of the Material"

    main: bpy.props.BoolProperty(
        name="Main Inputs",
        description="Only base color, metallic and roughness; images that drive them as textures",
        default=True,
    )

    def take(
        self, fit: bpy.types.PropertyGroup, material: bpy.types.Material, choices: Choices
    ) -> int:
        """Put them into the list; return how many."""
        wanted = [
            choice
            for choice in choices.entries
            if (choice.role >= 0 and choice.is_only) or (not self.main and choice.kind == "NUMBER")
        ]
        for choice in wanted:
            add_choice(fit, material, choice)
        return len(wanted)


class WEFT_OT_add_maps(MaterialOperator, bpy.types.Operator):
    """Let the fit find base color, roughness and metallic of a material as images"""

    bl_idname = "weft.add_maps"
    bl_label = "PBR Set"

    def take(
        self, fit: bpy.types.PropertyGroup, material: bpy.types.Material, choices: Choices
    ) -> int:
        """Put them into the list; return how many."""
        return add_maps(fit, material, choices.entries)


class WEFT_OT_add_texture(bpy.types.Operator):
    """Let the fit find the image of this image node"""

    bl_idname = "weft.add_texture"
    bl_label = "Fit This Image"
    bl_options = EDIT

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether the mouse is over an image node, or one is active."""
        return image_node(context) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put it into the list."""
        if add_image_node(context.scene.weft_fit, image_node(context)) is None:
            self.report({"ERROR"}, "fit: no material uses this node")
            return {"CANCELLED"}
        redraw(context)
        return {"FINISHED"}


class WEFT_OT_add_light(bpy.types.Operator):
    """Let the fit find the strength of the active light, or of the world"""

    bl_idname = "weft.add_light"
    bl_label = "Add Light"
    bl_options = EDIT

    world: bpy.props.BoolProperty(name="World", description="The world instead of a light")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put it into the list."""
        active = context.active_object
        if not self.world and (active is None or active.type != "LIGHT"):
            self.report({"ERROR"}, "fit: the active object is no light; select one")
            return {"CANCELLED"}
        add_light(context.scene.weft_fit, None if self.world else active)
        redraw(context)
        return {"FINISHED"}


class WEFT_OT_remove_parameter(RemoveOperator, bpy.types.Operator):
    """Remove the selected parameter from the list; what it stands for stays as it is"""

    bl_idname = "weft.remove_parameter"
    bl_label = "Remove Parameter"
    entries = "parameters"


def find_material(name: str) -> bpy.types.Material | None:
    """Return a material by its full name."""
    return next((entry for entry in bpy.data.materials if entry.name_full == name), None)


def socket_under_mouse(context: bpy.types.Context) -> bpy.types.NodeSocket | None:
    """Return the socket whose button was clicked with the right mouse button."""
    pointer = getattr(context, "button_pointer", None)
    prop = getattr(context, "button_prop", None)
    is_value = isinstance(pointer, bpy.types.NodeSocket) and prop is not None
    return pointer if is_value and prop.identifier == "default_value" else None


def image_node(context: bpy.types.Context) -> bpy.types.Node | None:
    """Return the image node whose button was clicked, or the active one."""
    for name in ("button_pointer", "active_node"):
        node = getattr(context, name, None)
        if getattr(node, "bl_idname", "") == "ShaderNodeTexImage":
            return node
    return None


def draw_socket_menu(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entries of the right-click menu of inputs and of the images of nodes."""
    socket = socket_under_mouse(context)
    node = getattr(context, "button_pointer", None)
    layout = self.layout
    if socket is not None and can_fit(socket):
        layout.separator()
        layout.operator("weft.add_parameter", icon="TRACKING").kind = "NUMBER"
        if not socket.is_output:
            text = "Fit This Input as Texture"
            layout.operator("weft.add_parameter", text=text, icon="TEXTURE").kind = "TEXTURE"
    elif node is not None and node == image_node(context):
        layout.separator()
        layout.operator("weft.add_texture", icon="TEXTURE")


def draw_node_menu(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entry of the right-click menu of image nodes."""
    if image_node(context) is not None and context.space_data.tree_type == "ShaderNodeTree":
        self.layout.separator()
        self.layout.operator("weft.add_texture", icon="TEXTURE")
