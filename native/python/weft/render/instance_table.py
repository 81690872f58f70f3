# SPDX-License-Identifier: Apache-2.0
"""Objects of a scene as kernels look them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.layouts import InstanceWord
from weft.render.light_rows import NONE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.render.emissive_triangles import EmissiveTriangles
    from weft.render.geometry_table import GeometryTable
    from weft.scene import Object
    from weft.scene.scene import Scene


def instance_rows(
    scene: Scene, geometry: GeometryTable, emissive: EmissiveTriangles
) -> NDArray[np.uint32]:
    """Return a record of each object, its words as InstanceWord of the kernels has them."""
    rows = np.zeros((max(len(scene.objects), 1), InstanceWord.end), np.uint32)
    rows[:, InstanceWord.first_light] = NONE
    slots = 0
    for number, entry in enumerate(scene.objects):
        row = rows[number]
        row[InstanceWord.first_triangle] = geometry.first_triangle[id(entry.mesh)]
        row[InstanceWord.first_slot] = slots
        row[InstanceWord.first_light] = emissive.first_of_instance[number]
        row[InstanceWord.object] = number
        slots += len(entry.materials)
    return rows


def slot_materials_of(scene: Scene) -> NDArray[np.uint32]:
    """Return the material of each slot of each object."""
    numbers = {id(material): number for number, material in enumerate(scene.materials())}
    slots = [numbers[id(own)] for entry in scene.objects for own in entry.materials]
    return np.array(slots or [0], np.uint32)


def lifts_light_rays(entry: Object) -> bool:
    """Return whether rays towards lights may begin off an object's triangles."""
    return entry.shadow_terminator_geometry_offset > 0 and entry.mesh.normals is not None
