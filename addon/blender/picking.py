# SPDX-License-Identifier: GPL-3.0-or-later
"""Which material a ray meets in the scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from collections.abc import Sequence


def material_on_ray(
    depsgraph: bpy.types.Depsgraph, origin: Sequence[float], direction: Sequence[float]
) -> tuple[bpy.types.Object | None, bpy.types.Material | None]:
    """Return the object that a ray meets first, and the material of the face that it meets.

    Args:
        depsgraph: The evaluated scene.
        origin: Of the ray, world space, metres.
        direction: Of the ray, any length above 0.

    Returns:
        Two ``None`` if it meets nothing; no material if the face has none.
    """
    scene = depsgraph.scene
    is_met, _place, _normal, face, entry, _matrix = scene.ray_cast(depsgraph, origin, direction)
    if not is_met:
        return None, None
    shown = entry.evaluated_get(depsgraph)
    faces = getattr(shown.data, "polygons", ())
    slot = faces[face].material_index if 0 <= face < len(faces) else 0
    slots = shown.material_slots
    # Faces beyond the last slot show the last one's material.
    material = slots[min(slot, len(slots) - 1)].material if slots else None
    return entry.original, None if material is None else material.original
