# SPDX-License-Identifier: Apache-2.0
"""Limits of paths as the stages take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.layouts import Stop
from weft.scene.light_paths import LightPaths

if TYPE_CHECKING:
    from weft.scene import Scene

NEVER = 0xFFFFFFFF
ALL_LIGHT = 1e30


def has_limits(scene: Scene) -> bool:
    """Return whether paths of a scene have limits beside their number of bounces."""
    return scene.light_paths is not None and scene.light_paths.has_effect


def limit_settings(scene: Scene) -> dict[str, Any]:
    """Return the fields of StepSettings that shaders/weft/render/limits.slang reads."""
    paths = scene.light_paths or LightPaths()
    counts = (
        paths.diffuse_bounces,
        paths.glossy_bounces,
        paths.transmission_bounces,
        paths.volume_bounces,
    )
    clamps = (paths.clamp_direct, paths.clamp_indirect)
    return {
        "kindBounces": tuple(NEVER if count is None else count for count in counts),
        "mostLight": tuple(3 * clamp if clamp else ALL_LIGHT for clamp in clamps),
        "leastDensity": paths.filter_glossy,
        "stops": Stop.reflection * (not paths.reflective_caustics)
        | Stop.refraction * (not paths.refractive_caustics),
    }


def all_light() -> dict[str, Any]:
    """Return the settings with which no light is held down."""
    return {"mostLight": (ALL_LIGHT, ALL_LIGHT)}
