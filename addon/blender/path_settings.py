# SPDX-License-Identifier: GPL-3.0-or-later
"""How paths are traced, from the properties of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import bpy

    from weft.render import PathSettings
    from weft.render.path_settings import FilterKind

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


def path_settings(scene: bpy.types.Scene, samples: int) -> PathSettings:
    """Return how the engine renders a scene.

    Args:
        scene: With the settings.
        samples: Paths a pixel.
    """
    from weft.render import PathSettings

    settings = scene.weft_render
    kind, width = pixel_filter(scene)
    return PathSettings(
        samples=samples,
        bounces=settings.bounces,
        transparent_bounces=settings.transparent_bounces,
        seed=settings.seed,
        filter=kind,
        filter_width=width,
        shows_environment=not scene.render.film_transparent,
        exposure=film_exposure(scene),
    )
