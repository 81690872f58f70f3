# SPDX-License-Identifier: Apache-2.0
"""Triangles that shine, as lights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from weft.render.emission import light_of
from weft.render.geometry_table import transform_of
from weft.render.light_rows import NONE, LightRows, triangle_bounds, triangle_rows
from weft.scene.ray_kinds import SCATTERED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.render.emission import Emission
    from weft.render.geometry_table import GeometryTable
    from weft.render.keeping import KeptParts
    from weft.scene import Material, Scene


@dataclass
class EmissiveTriangles:
    """Lights of emissive meshes, and where instances find them."""

    rows: LightRows = field(default_factory=LightRows)
    first_of_instance: list[int] = field(default_factory=list)
    light_of_triangle: list[NDArray[np.uint32]] = field(default_factory=list)
    varying: list[tuple[int, int, int]] = field(default_factory=list)  # light, primitive, instance
    # Instance, its slot, and how many rows, one after the other, have that material.
    sources: list[tuple[int, int, int]] = field(default_factory=list)

    def materials(self, scene: Scene) -> list[Material]:
        """Return the material of each row; `scene` is the one, or one that shines alike."""
        return [
            scene.objects[instance].materials[slot]
            for instance, slot, count in self.sources
            for _ in range(count)
        ]


def emissive_triangles(
    scene: Scene, geometry: GeometryTable, first_light: int, kept: KeptParts
) -> EmissiveTriangles:
    """Return one light for each triangle with an emissive material.

    Args:
        scene: What.
        geometry: Of it.
        first_light: Number of the first.
        kept: Where they are, if the objects that shine are the same.
    """
    found = {id(material): light_of(material.surface) for material in scene.materials()}
    shining = {}
    for instance, entry in enumerate(scene.objects):
        emissions = tuple(found[id(material)] for material in entry.materials)
        is_hidden = SCATTERED & set(entry.hidden_from)
        if any(emissions) and len(entry.mesh.triangles) and not is_hidden:
            shining[instance] = emissions
    keys = tuple(
        (
            instance,
            geometry.mesh_keys[geometry.mesh_of_instance[instance]],
            geometry.first_triangle[id(scene.objects[instance].mesh)],
            transform_of(scene.objects[instance]).tobytes(),
            emissions,
        )
        for instance, emissions in shining.items()
    )
    return kept.get(
        "emissive triangles",
        (first_light if keys else 0, len(scene.objects), keys),
        lambda: _triangles_of(scene, geometry, first_light, shining),
    )


def _triangles_of(
    scene: Scene,
    geometry: GeometryTable,
    first_light: int,
    shining: Mapping[int, Sequence[Emission | None]],
) -> EmissiveTriangles:
    """Return the lights of objects that shine, by their number."""
    out = EmissiveTriangles()
    used = 0
    for instance, entry in enumerate(scene.objects):
        if instance not in shining:
            out.first_of_instance.append(NONE)
            continue
        emissions = shining[instance]
        lights = np.full(len(entry.mesh.triangles), NONE, np.uint32)
        assert entry.transform is not None
        corners = entry.mesh.corner_positions() @ entry.transform[:, :3].T
        is_mirrored = bool(np.linalg.det(entry.transform[:, :3]) < 0)
        edges = corners[:, 1:] - corners[:, :1]
        areas = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1) / 2
        slots = np.zeros(len(lights), np.uint32) if entry.mesh.slots is None else entry.mesh.slots
        for slot, emission in enumerate(emissions):
            if emission is None:
                continue
            mine = np.flatnonzero((slots == slot) & (areas > 0))
            lights[mine] = first_light + len(out.rows) + np.arange(len(mine))
            start = geometry.first_triangle[id(entry.mesh)]
            out.sources.append((instance, slot, len(mine)))
            if emission.varies:
                out.varying += [(int(lights[k]), int(k), instance) for k in mine]
            out.rows += triangle_rows(
                instance,
                mine + start,
                areas[mine],
                np.array(emission.radiance),
                emission.both_sides,
                varies=emission.varies,
                bounds=triangle_bounds(
                    corners[mine] + entry.transform[:, 3],
                    emission.both_sides,
                    is_mirrored=is_mirrored,
                ),
            )
        out.first_of_instance.append(used)
        out.light_of_triangle.append(lights)
        used += len(lights)
    return out


@dataclass
class GlowingTriangles:
    """Lights that vary over their triangle.

    Args:
        lights: Their numbers.
        places: Primitive and instance, shape ``(n, 2)``.
        programs: Of their materials.
    """

    lights: NDArray[np.int64]
    places: NDArray[np.uint32]
    programs: NDArray[np.int64]
