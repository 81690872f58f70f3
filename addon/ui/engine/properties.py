# SPDX-License-Identifier: GPL-3.0-or-later
"""How pictures are rendered: properties of a scene, kept in its file."""

import bpy

from ...core.defaults import BOUNCES, FINAL_SAMPLES, TRANSPARENT_BOUNCES, VIEWPORT_SAMPLES


def _choose_own(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Let a number that is set count."""
    settings.use_cycles_bounces = False


class WEFT_PG_render(bpy.types.PropertyGroup):
    """Settings of the render engine."""

    samples: bpy.props.IntProperty(
        name="Samples",
        description="Paths a pixel of a final render",
        min=1,
        max=1 << 20,
        soft_max=4096,
        default=FINAL_SAMPLES,
    )
    viewport_samples: bpy.props.IntProperty(
        name="Viewport Samples",
        description="Paths a pixel after which the viewport rests",
        min=1,
        max=1 << 20,
        soft_max=4096,
        default=VIEWPORT_SAMPLES,
    )
    use_cycles_bounces: bpy.props.BoolProperty(
        name="As Cycles",
        description="Paths have as many bounces as in Cycles' settings of the scene",
        default=True,
    )
    bounces: bpy.props.IntProperty(
        name="Bounces",
        description="Surfaces that a path may leave; 1 is direct light only",
        min=0,
        max=1024,
        soft_max=32,
        default=BOUNCES,
        update=_choose_own,
    )
    transparent_bounces: bpy.props.IntProperty(
        name="Transparent",
        description="Transparent surfaces that a path may pass; further ones are opaque",
        min=0,
        max=1024,
        soft_max=32,
        default=TRANSPARENT_BOUNCES,
        update=_choose_own,
    )
    seed: bpy.props.IntProperty(
        name="Seed", description="Equal seeds give equal noise", min=0, max=(1 << 31) - 1
    )
    use_animated_seed: bpy.props.BoolProperty(
        name="Animate Seed", description="Give every frame noise of its own", default=True
    )
    use_denoising: bpy.props.BoolProperty(
        name="Denoise",
        description="Remove noise from final renders with Open Image Denoise",
        default=False,
    )
    use_viewport_denoising: bpy.props.BoolProperty(
        name="Denoise Viewport",
        description="Remove noise from the viewport with Open Image Denoise",
        default=True,
    )
    use_denoising_passes: bpy.props.BoolProperty(
        name="Denoising Data",
        description="Passes of albedo and normal, for a Denoise node in the compositor",
        default=False,
    )
