# SPDX-License-Identifier: Apache-2.0
"""Whether a scene limits its paths, and settings with which no light is held down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.scene import Scene

ALL_LIGHT = 1e30


def has_limits(scene: Scene) -> bool:
    """Return whether paths of a scene have limits beside their number of bounces."""
    return scene.light_paths is not None and scene.light_paths.has_effect


def all_light() -> dict[str, Any]:
    """Return the settings with which no light is held down."""
    return {"mostLight": (ALL_LIGHT, ALL_LIGHT)}
