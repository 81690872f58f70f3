# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of the engine's own, and Blender's that are right for it."""

import bpy

from ...blender.session import require_session
from ..text import draw_text

ENGINE = "WEFT"
OTHERS = (
    "DATA_PT_EEVEE_light",
    "EEVEE_MATERIAL_PT_context_material",
    "EEVEE_MATERIAL_PT_surface",
    "EEVEE_WORLD_PT_surface",
)
"""Panels of other engines that edit shader nodes and lights, which Weft renders too."""

UNFIT = ("RENDER_PT_simplify", "VIEWLAYER_PT_filter", "VIEWLAYER_PT_layer_passes")


class EnginePanel:
    """Base of panels that are there while Weft is the scene's engine."""

    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "render"
    COMPAT_ENGINES = {ENGINE}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether Weft renders the scene."""
        return context.engine in cls.COMPAT_ENGINES

    def start(self) -> bpy.types.UILayout:
        """Return the layout, in the form that Blender's own panels have."""
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        return self.layout


class WEFT_PT_sampling(EnginePanel, bpy.types.Panel):
    """Samples, noise and the device's problems."""

    bl_label = "Sampling"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw them."""
        layout, settings = self.start(), context.scene.weft_render
        problem = require_session().problem
        if problem:
            draw_text(layout.box(), problem, icon="ERROR")
        column = layout.column(align=True)
        column.prop(settings, "viewport_samples", text="Viewport")
        column.prop(settings, "samples", text="Render")
        column = layout.column(heading="Denoise")
        column.prop(settings, "use_viewport_denoising", text="Viewport")
        column.prop(settings, "use_denoising", text="Render")
        column = layout.column()
        column.prop(settings, "seed")
        column.prop(settings, "use_animated_seed")


class WEFT_PT_light_paths(EnginePanel, bpy.types.Panel):
    """How long paths are."""

    bl_label = "Light Paths"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the numbers, and below them Cycles' limits, which both engines honor."""
        layout, settings = self.start(), context.scene.weft_render
        cycles = getattr(context.scene, "cycles", None)
        if cycles is None:
            layout.column(align=True).prop(settings, "bounces")
            layout.column(align=True).prop(settings, "transparent_bounces")
            return
        layout.prop(settings, "use_cycles_bounces")
        column = layout.column(align=True)
        if settings.use_cycles_bounces:
            column.prop(cycles, "max_bounces", text="Total")
            column.prop(cycles, "transparent_max_bounces", text="Transparent")
        else:
            column.prop(settings, "bounces")
            column.prop(settings, "transparent_bounces")
        column = layout.column(align=True)
        column.prop(cycles, "diffuse_bounces", text="Diffuse")
        column.prop(cycles, "glossy_bounces", text="Glossy")
        column.prop(cycles, "transmission_bounces", text="Transmission")
        column.prop(cycles, "volume_bounces", text="Volume")
        column = layout.column(align=True)
        column.prop(cycles, "sample_clamp_direct", text="Clamp Direct Light")
        column.prop(cycles, "sample_clamp_indirect", text="Indirect Light")
        column = layout.column(heading="Caustics")
        column.prop(cycles, "blur_glossy")
        column.prop(cycles, "caustics_reflective", text="Reflective")
        column.prop(cycles, "caustics_refractive", text="Refractive")


class WEFT_PT_passes(EnginePanel, bpy.types.Panel):
    """Layers beside the picture."""

    bl_label = "Passes"
    bl_context = "view_layer"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw one box a layer."""
        column = self.start().column(heading="Data")
        column.prop(context.view_layer, "use_pass_z", text="Depth")
        column.prop(context.view_layer, "use_pass_normal", text="Normal")
        column.prop(context.view_layer, "use_pass_uv", text="UV")
        column.prop(context.scene.weft_render, "use_denoising_passes")


def is_fit(name: str) -> bool:
    """Return whether a panel for engines of any kind says something about Weft."""
    return name not in UNFIT and "freestyle" not in name


def panels_of_blender() -> list[type]:
    """Return Blender's panels that make sense with Weft."""
    return [
        cls
        for cls in bpy.types.Panel.__subclasses__()
        if (
            ("BLENDER_RENDER" in getattr(cls, "COMPAT_ENGINES", ()) and is_fit(cls.__name__))
            or cls.__name__ in OTHERS
        )
    ]


def share_panels() -> None:
    """Show Blender's panels while Weft is the engine."""
    for cls in panels_of_blender():
        cls.COMPAT_ENGINES.add(ENGINE)


def withdraw_panels() -> None:
    """Undo share_panels(), also for panels that came or went since."""
    for cls in bpy.types.Panel.__subclasses__():
        if not issubclass(cls, EnginePanel):
            getattr(cls, "COMPAT_ENGINES", set()).discard(ENGINE)
