# SPDX-License-Identifier: GPL-3.0-or-later
"""How paths are traced, from the properties of a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.render import PathSettings

FILTER, FILTER_WIDTH = "blackman_harris", 3.0
"""Cycles' default pixel filter; the width that Blender shows for it, 1.5, is half of the whole."""


def path_settings(settings: Any, samples: int) -> PathSettings:  # noqa: ANN401  (bpy has no types)
    """Return the engine's settings.

    Args:
        settings: ``scene.weft_render``.
        samples: Paths a pixel.
    """
    from weft.render import PathSettings

    return PathSettings(
        samples=samples,
        bounces=settings.bounces,
        transparent_bounces=settings.transparent_bounces,
        seed=settings.seed,
        filter=FILTER,
        filter_width=FILTER_WIDTH,
    )
