# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel, in the properties of materials and in the sidebar of the 3D view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...blender.fit_sockets import image_at
from ...blender.session import require_session
from ...core.fitting.estimate import describe_memory
from ..text import draw_text
from .expecting import expect
from .fitting import progress_of
from .judgment import COLORS, draw_verdict
from .lighting import draw_environment, draw_lighting
from .pairs import draw_pairs
from .pictures import frame_warning, overlay_of
from .problems import draw_problems
from .properties import IMAGES, SOCKET_KINDS, socket_ref_of

if TYPE_CHECKING:
    from ...blender.fit_sockets import SocketRef
    from ...blender.session import Session


class FitList:
    """Base of the panel's lists: what is used, and one line of text."""

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: bpy.types.AnyType,
        item: bpy.types.AnyType,
        icon: int,
        active_data: bpy.types.AnyType,
        active_property: str,
        index: int = 0,
        flt_flag: int = 0,
    ) -> None:
        """Draw one line."""
        split = layout.split(factor=0.5) if item.found else layout
        row = split.row(align=True)
        row.prop(item, "use", text="")
        text, symbol = self.describe(item)
        # A narrow sidebar has room for a name and a number, and for no icon beside them.
        row.label(text=text, icon="NONE" if item.found else symbol)
        if item.found:
            split.label(
                text=short_text(item.found), icon="ERROR" if self.is_doubtful(item) else "NONE"
            )

    def describe(self, item: bpy.types.AnyType) -> tuple[str, str]:
        """Return the text of a line and its icon."""
        raise NotImplementedError

    def is_doubtful(self, item: bpy.types.AnyType) -> bool:
        """Return whether the pictures do not determine what was found."""
        return False


def short_text(found: str) -> str:
    """Return what was found as a line has room for it: of colours without their errors."""
    parts = found.split(", ")
    return found if len(parts) != 3 else "  ".join(f"{float(p.split()[0]):.2f}" for p in parts)


class WEFT_UL_targets(FitList, bpy.types.UIList):
    """The list of pictures."""

    def describe(self, item: bpy.types.AnyType) -> tuple[str, str]:
        """Return picture and camera."""
        name = item.image.name if item.image else "no picture"
        camera = item.camera.name if item.camera else "no camera"
        return f"{name}  ({camera})", COLORS.get(item.verdict_level, "IMAGE_DATA")


class WEFT_UL_parameters(FitList, bpy.types.UIList):
    """The list of parameters."""

    def describe(self, item: bpy.types.AnyType) -> tuple[str, str]:
        """Return the input or the light."""
        symbols = {"NUMBER": "NODE_MATERIAL", "TEXTURE": "TEXTURE", "LIGHT": "LIGHT"}
        symbols["ENVIRONMENT"] = "WORLD"
        owners = {entry.owner for entry in item.id_data.weft_fit.parameters if entry.path}
        text = item.title() if item.path and len(owners) == 1 else item.label()
        return text, symbols[item.kind]

    def is_doubtful(self, item: bpy.types.AnyType) -> bool:
        """Return whether there is a note."""
        return bool(item.note)


class FitPanel:
    """What all places of the panel share."""

    bl_label = "Weft Fit"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw everything."""
        layout = self.layout
        fit = context.scene.weft_fit
        if not fit.targets and not fit.parameters:
            layout.operator("weft.open_sample", icon="FILE_BLEND")
        draw_targets(layout, fit)
        draw_pairs(layout, fit)
        draw_parameters(layout, fit)
        draw_settings(layout, fit)
        draw_problems(layout, fit)
        draw_run(layout, fit)
        if not require_session().is_fitting:
            draw_verdict(layout, fit)


class WEFT_PT_fit_view(FitPanel, bpy.types.Panel):
    """In the sidebar of the 3D view."""

    bl_idname = "WEFT_PT_fit_view"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Weft"


class WEFT_PT_fit_material(FitPanel, bpy.types.Panel):
    """In the properties of materials."""

    bl_idname = "WEFT_PT_fit_material"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "material"
    bl_options = {"DEFAULT_CLOSED"}


class WEFT_PT_fit_nodes(FitPanel, bpy.types.Panel):
    """In the sidebar of the node editor, beside the values."""

    bl_idname = "WEFT_PT_fit_nodes"
    bl_space_type = "NODE_EDITOR"
    bl_region_type = "UI"
    bl_category = "Weft"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether the editor shows a material."""
        return context.space_data.tree_type == "ShaderNodeTree"


def draw_targets(layout: bpy.types.UILayout, fit: bpy.types.PropertyGroup) -> None:
    """Draw the pictures."""
    layout.label(text="Pictures")
    row = layout.row()
    row.template_list("WEFT_UL_targets", "", fit, "targets", fit, "target", rows=2)
    column = row.column(align=True)
    column.operator("weft.add_target", text="", icon="ADD")
    column.operator("weft.remove_target", text="", icon="REMOVE")
    if not 0 <= fit.target < len(fit.targets):
        return
    target = fit.targets[fit.target]
    box = layout.column()
    box.use_property_split = True
    box.use_property_decorate = False
    draw_verdict(box, target)
    row = box.row(align=True)
    name = target.camera.name if target.camera else "Choose..."
    row.operator_menu_enum("weft.choose_camera", "camera", text=name, icon="CAMERA_DATA")
    is_shown = overlay_of(target) is not None
    row.operator("weft.show_photo", text="", icon="HIDE_OFF" if is_shown else "OVERLAY")
    warning = frame_warning(target, fit.id_data.render)
    if is_shown and warning:
        draw_text(box, warning, icon="ERROR")
    box.template_ID(target, "image", open="image.open", text="Picture")
    if target.image is not None and target.image.source == "SEQUENCE":
        box.prop(target, "frame")
    if target.image is not None and not target.through_view:
        box.prop(target.image.colorspace_settings, "name", text="Color Space")
    box.prop(target, "source")
    box.prop(target, "through_view")
    box.template_ID(target, "mask", open="image.open", text="Mask")
    box.prop(target, "only")
    _draw_exposure(box, target)
    draw_lighting(box, target)


def _draw_exposure(layout: bpy.types.UILayout, target: bpy.types.PropertyGroup) -> None:
    layout.prop(target, "fits_exposure")
    if target.fits_exposure:
        layout.prop(target, "white_balance")
        if target.found:
            layout.label(text=f"Factor {target.found}")
    elif not target.through_view:
        layout.prop(target, "exposure")


def draw_parameters(layout: bpy.types.UILayout, fit: bpy.types.PropertyGroup) -> None:
    """Draw the parameters and what was found."""
    layout.label(text="Parameters")
    row = layout.row()
    row.template_list("WEFT_UL_parameters", "", fit, "parameters", fit, "parameter", rows=4)
    column = row.column(align=True)
    column.operator("weft.pick_material", text="", icon="EYEDROPPER")
    column.operator("weft.add_material", text="", icon="MATERIAL")
    column.operator("weft.add_maps", text="", icon="NODE_TEXTURE")
    column.operator("weft.add_light", text="", icon="LIGHT").world = False
    column.operator("weft.add_light", text="", icon="WORLD").world = True
    column.operator("weft.add_environment", text="", icon="MAT_SPHERE_SKY")
    column.operator("weft.add_texture", text="", icon="TEXTURE")
    column.operator("weft.remove_parameter", text="", icon="REMOVE")
    if not 0 <= fit.parameter < len(fit.parameters):
        draw_text(layout, "Right-click an input of a material: Fit This Input; or pick a surface")
        return
    entry = fit.parameters[fit.parameter]
    box = layout.column()
    box.use_property_split = True
    box.use_property_decorate = False
    if entry.kind == "LIGHT":
        box.prop(entry, "light")
        box.prop(entry, "color")
    elif entry.kind == "ENVIRONMENT":
        draw_environment(layout, entry)
    else:
        draw_place(box, entry)
    if entry.found:
        draw_text(layout, f"{entry.label()}: {entry.found}")
    if entry.note:
        draw_text(layout, entry.note, icon="ERROR")


def draw_place(layout: bpy.types.UILayout, entry: bpy.types.PropertyGroup) -> None:
    """Draw the settings of an input or an image."""
    ref = socket_ref_of(entry)
    if ref is None or ref.find_node() is None:
        draw_text(layout, f"'{entry.label()}' is not there any more; remove it", icon="ERROR")
        return
    if entry.socket:
        row = layout.row(align=True)
        row.use_property_split = False
        for kind in SOCKET_KINDS:
            row.prop_enum(entry, "kind", kind)
    if entry.kind == "TEXTURE":
        draw_image(layout, ref)
        layout.prop(entry, "width")
        layout.prop(entry, "height")
    layout.prop(entry, "limit")
    if entry.limit:
        layout.prop(entry, "low")
        layout.prop(entry, "high")


def draw_image(layout: bpy.types.UILayout, ref: SocketRef) -> None:
    """Draw the image that a socket shows now, small, and its size."""
    image = image_at(ref)
    if image is None:
        return
    preview = image.preview_ensure()
    if preview is not None:
        layout.template_icon(icon_value=preview.icon_id, scale=6.0)
    size = f", {image.size[0]} x {image.size[1]}" if image.has_data else ""
    layout.label(text=f"{image.name}{size}")


def draw_settings(layout: bpy.types.UILayout, fit: bpy.types.PropertyGroup) -> None:
    """Draw the settings."""
    header, body = layout.panel("WEFT_fit_settings", default_closed=True)
    header.label(text="Settings")
    if body is None:
        return
    body.use_property_split = True
    body.use_property_decorate = False
    for name in ("samples", "bounces", "size", "tolerance", "max_iterations"):
        body.prop(fit, name)
    if any(entry.kind in IMAGES and entry.use for entry in fit.parameters):
        body.prop(fit, "texture_iterations")
    for name in ("time_limit", "seed"):
        body.prop(fit, name)


def draw_run(layout: bpy.types.UILayout, fit: bpy.types.PropertyGroup) -> None:
    """Draw the buttons and how far the fit is."""
    session = require_session()
    running = session.fit
    if not session.is_fitting:
        _draw_start(layout, fit, session)
        return
    factor, text = progress_of(running)
    layout.progress(factor=factor, text=text)
    if running is not None and running.run is not None and running.run.memory is not None:
        draw_text(layout, describe_memory(running.run.memory, is_bound=True))
    row = layout.row()
    paused = running is not None and running.run is not None and running.run.is_paused
    row.operator(
        "weft.pause_fit", text="Resume" if paused else "Pause", icon="PLAY" if paused else "PAUSE"
    )
    row.operator("weft.stop_fit", icon="SNAP_FACE")
    draw_text(layout, "Esc cancels and restores")


def _draw_start(layout: bpy.types.UILayout, fit: bpy.types.PropertyGroup, session: Session) -> None:
    """Draw the button that starts a fit, and what is known before and after one."""
    button = layout.row()
    button.scale_y = 1.5
    button.operator("weft.fit", icon="PLAY")
    if fit.targets and fit.parameters:
        draw_text(layout, expect(fit).describe(), icon="TIME")
    if session.problem:
        draw_text(layout, session.problem, icon="ERROR")
    if session.last_fit is not None and session.last_fit.run.result is not None:
        layout.operator("weft.show_comparison", icon="IMAGE_DATA")
