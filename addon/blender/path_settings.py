# SPDX-License-Identifier: GPL-3.0-or-later
"""How paths are traced, from the properties of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import bpy

    from weft.defaults import FilterKind
    from weft.render import PathSettings
    from weft.scene import LightPaths

WIDTHS = {"BOX": 1.0, "BLACKMAN_HARRIS": 2.0, "GAUSSIAN": 1.8}
"""Widths of whole filters in units of Cycles' setting, pixels; of a Gaussian, that of the
Blackman-Harris window with the same variance."""


def pixel_filter(scene: bpy.types.Scene) -> tuple[FilterKind, float]:
    """Return the filter that Cycles would render a scene with, and the width of the whole, pixels.

    Without Cycles it is the scene's filter size, of the default kind.
    """
    cycles = getattr(scene, "cycles", None)
    if cycles is None:
        return "blackman_harris", WIDTHS["BLACKMAN_HARRIS"] * scene.render.filter_size
    if cycles.pixel_filter_type == "BOX":
        return "box", WIDTHS["BOX"]
    return "blackman_harris", WIDTHS[cycles.pixel_filter_type] * cycles.filter_width


def film_exposure(scene: bpy.types.Scene) -> float:
    """Return the factor of Cycles' pictures."""
    return float(getattr(getattr(scene, "cycles", None), "film_exposure", 1.0))


def light_paths(scene: bpy.types.Scene) -> LightPaths | None:
    """Return Cycles' limits of paths beside their number; ``None`` without Cycles."""
    from weft.scene import LightPaths

    cycles = getattr(scene, "cycles", None)
    if cycles is None:
        return None
    return LightPaths(
        diffuse_bounces=_kind_bounces(cycles.diffuse_bounces, cycles.max_bounces),
        glossy_bounces=_kind_bounces(cycles.glossy_bounces, cycles.max_bounces),
        transmission_bounces=_kind_bounces(cycles.transmission_bounces, cycles.max_bounces),
        volume_bounces=_kind_bounces(cycles.volume_bounces, cycles.max_bounces),
        clamp_direct=cycles.sample_clamp_direct,
        clamp_indirect=cycles.sample_clamp_indirect,
        filter_glossy=cycles.blur_glossy,
        reflective_caustics=cycles.caustics_reflective,
        refractive_caustics=cycles.caustics_refractive,
    )


def _kind_bounces(count: int, most: int) -> int | None:
    """Return a limit of Weft; ``None`` where Cycles' total comes first."""
    from weft.scene.light_paths import MAX_BOUNCES

    # Cycles counts surfaces behind the first one.
    return count + 1 if count < most and count + 1 < MAX_BOUNCES else None


def bounces(scene: bpy.types.Scene) -> tuple[int, int]:
    """Return how many surfaces a path may leave, and how many transparent ones it may pass."""
    settings, cycles = scene.weft_render, getattr(scene, "cycles", None)
    if settings.use_cycles_bounces and cycles is not None:
        return cycles.max_bounces + 1, cycles.transparent_max_bounces
    return settings.bounces, settings.transparent_bounces


def path_settings(scene: bpy.types.Scene, samples: int) -> PathSettings:
    """Return how the engine renders a scene.

    Args:
        scene: With the settings.
        samples: Paths a pixel.
    """
    from weft.render import PathSettings

    settings = scene.weft_render
    kind, width = pixel_filter(scene)
    most, passed = bounces(scene)
    return PathSettings(
        samples=samples,
        bounces=most,
        transparent_bounces=passed,
        seed=settings.seed,
        filter=kind,
        filter_width=width,
        shows_environment=not scene.render.film_transparent,
        exposure=film_exposure(scene),
    )
