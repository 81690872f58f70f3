# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of Cycles that change its pictures and that Weft does not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.problems import Problem

if TYPE_CHECKING:
    import bpy


@dataclass(frozen=True)
class Setting:
    """A property that is ignored.

    Args:
        path: From its owner, with dots.
        neutral: The value at which nothing is missing.
        message: What is missing otherwise.
        used_instead: What the picture shows.
    """

    path: str
    neutral: object
    message: str
    used_instead: str = ""


SCENE = (
    Setting("render.use_motion_blur", False, "motion blur is not supported", "a sharp picture"),
    Setting("render.use_multiview", False, "stereoscopy is not supported", "one picture"),
    Setting("render.use_freestyle", False, "Freestyle is not supported", "no lines"),
    Setting("cycles.use_fast_gi", False, "fast global illumination is not supported", "all light"),
    Setting(
        "cycles.film_transparent_glass", False, "transparent glass is not supported", "opaque glass"
    ),
)

VIEW_LAYER = (
    Setting("use_sky", True, "a view layer without sky is not supported", "the sky"),
    Setting("use_solid", True, "a view layer without surfaces is not supported", "surfaces"),
)

OBJECT = (
    Setting(
        "shadow_terminator_shading_offset",
        0.0,
        "the shading offset of shadow terminators is not supported",
        "none",
    ),
    Setting("cycles.is_caustics_caster", False, "shadow caustics are not supported", "shadows"),
    Setting(
        "cycles.ao_distance", 0.0, "its distance of ambient occlusion is not supported", "none"
    ),
)

SHAPE = (
    Setting(
        "visible_volume_scatter",
        True,
        "hiding it from rays that volumes scatter is not supported",
        "a visible object",
    ),
)
"""Of objects that are no lights."""

LIGHT = (
    Setting(
        "cycles.use_multiple_importance_sampling",
        True,
        "Multiple Importance cannot be switched off",
        "a light that reflections show",
    ),
)

MATERIAL = (
    Setting(
        "cycles.use_bump_map_correction",
        True,
        "bump map correction cannot be switched off",
        "corrected normals",
    ),
)


def ignored(
    owner: bpy.types.bpy_struct, settings: tuple[Setting, ...], where: str
) -> list[Problem]:
    """Return the settings of an owner that differ from what Weft does.

    Args:
        owner: A scene, a view layer, an object, a light or a material.
        settings: One of the tables above.
        where: What problems call the owner.
    """
    found = []
    for entry in settings:
        value: object = owner
        for name in entry.path.split("."):
            # Without Cycles, and in other versions of Blender, properties are missing.
            value = getattr(value, name, None)
        if value is not None and value != entry.neutral:
            found.append(Problem(where, entry.message, entry.used_instead))
    return found


def scene_problems(depsgraph: bpy.types.Depsgraph) -> list[Problem]:
    """Return what of the scene's and the view layer's settings is ignored."""
    scene, layer = depsgraph.scene_eval, depsgraph.view_layer_eval
    return [
        *ignored(scene, SCENE, f"Scene '{scene.name}'"),
        *ignored(layer, VIEW_LAYER, f"View layer '{layer.name}'"),
    ]
