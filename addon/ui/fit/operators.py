# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons that fill the lists of the panel."""

import bpy

from ..waiting import redraw
from .choosing import add_image_node, add_light, add_socket, can_fit, surface_nodes

EDIT = {"REGISTER", "UNDO"}
KIND = bpy.props.EnumProperty(
    name="As",
    items=(
        ("NUMBER", "Number", "One number or colour"),
        ("TEXTURE", "Texture", "An image, for which the object has to have a UV map"),
    ),
)


class WEFT_OT_add_target(bpy.types.Operator):
    """Add a picture of the scene, taken by the selected camera"""

    bl_idname = "weft.add_target"
    bl_label = "Add Picture"
    bl_options = EDIT

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    filter_image: bpy.props.BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})
    filter_folder: bpy.props.BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})
    camera: bpy.props.StringProperty(
        name="Camera", description="Name of the camera; empty: the active one"
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Load the picture and put it into the list."""
        fit = context.scene.weft_fit
        image = None
        if self.filepath:
            try:
                image = bpy.data.images.load(self.filepath, check_existing=True)
            except RuntimeError as error:
                self.report({"ERROR"}, str(error))
                return {"CANCELLED"}
        active = context.active_object
        camera = bpy.data.objects.get(self.camera) if self.camera else None
        if camera is None:
            is_camera = active is not None and active.type == "CAMERA"
            camera = active if is_camera else context.scene.camera
        target = fit.targets.add()
        target.image, target.camera = image, camera
        fit.target = len(fit.targets) - 1
        redraw(context)
        return {"FINISHED"}


class RemoveOperator:
    """Base of what removes the selected entry of a list."""

    bl_options = EDIT
    entries: str  # name of the list; without its last letter, that of the selected one's number

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there is one."""
        return len(getattr(context.scene.weft_fit, cls.entries)) > 0

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove it, and select its neighbour."""
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


class WEFT_OT_add_material(bpy.types.Operator):
    """Let the fit find all unlinked inputs of the material's surface node"""

    bl_idname = "weft.add_material"
    bl_label = "All Inputs of the Material"
    bl_options = EDIT

    material: bpy.props.StringProperty(
        name="Material", description="Its name; empty: that of the active object"
    )
    main: bpy.props.BoolProperty(
        name="Main Inputs",
        description="Only base colour, metallic and roughness of Principled nodes",
        default=True,
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put them into the list."""
        material = bpy.data.materials.get(self.material) if self.material else None
        if material is None and not self.material and context.object is not None:
            material = context.object.active_material
        if material is None or material.node_tree is None:
            self.report({"ERROR"}, "fit: there is no material with nodes; choose one")
            return {"CANCELLED"}
        found = [
            socket
            for node in surface_nodes(material)
            for socket in node.inputs
            if can_fit(socket) and (not self.main or socket.identifier in MAIN)
        ]
        for socket in found:
            add_socket(context.scene.weft_fit, socket)
        if not found:
            self.report({"WARNING"}, f"fit: nodes drive all inputs of '{material.name}'")
        redraw(context)
        return {"FINISHED"}


MAIN = ("Base Color", "Metallic", "Roughness", "Color")


class WEFT_OT_add_texture(bpy.types.Operator):
    """Let the fit find the image of the active image node"""

    bl_idname = "weft.add_texture"
    bl_label = "Fit This Image"
    bl_options = EDIT

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether an image node is active."""
        node = getattr(context, "active_node", None)
        return node is not None and node.bl_idname == "ShaderNodeTexImage"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Put it into the list."""
        if add_image_node(context.scene.weft_fit, context.active_node) is None:
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


def socket_under_mouse(context: bpy.types.Context) -> bpy.types.NodeSocket | None:
    """Return the socket whose button was clicked with the right mouse button."""
    pointer = getattr(context, "button_pointer", None)
    prop = getattr(context, "button_prop", None)
    is_value = isinstance(pointer, bpy.types.NodeSocket) and prop is not None
    return pointer if is_value and prop.identifier == "default_value" else None


def draw_socket_menu(self: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the entries of the right-click menu of inputs."""
    socket = socket_under_mouse(context)
    if socket is None or not can_fit(socket):
        return
    layout = self.layout
    layout.separator()
    layout.operator("weft.add_parameter", icon="TRACKING").kind = "NUMBER"
    button = layout.operator("weft.add_parameter", text="Fit This Input as Texture", icon="TEXTURE")
    button.kind = "TEXTURE"
