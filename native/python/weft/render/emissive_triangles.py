# SPDX-License-Identifier: Apache-2.0
"""Triangles that shine, as lights; native/scene/emissive_meshes.hpp finds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from weft.render.keeping import Identity
from weft.render.light_rows import NONE, LightRows, triangle_bounds, triangle_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft._native import EmissiveMeshes, KeptParts, SceneGeometry
    from weft.scene import Scene


@dataclass
class EmissiveTriangles:
    """Lights of emissive meshes.

    Args:
        meshes: Where they are, and where instances find them.
        rows: Of each light.
        glowing: Numbers of those whose light varies over their triangle.
        places: Primitive and instance of those, shape ``(n, 2)``.
    """

    meshes: EmissiveMeshes
    rows: LightRows = field(default_factory=LightRows)
    glowing: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    places: NDArray[np.uint32] = field(default_factory=lambda: np.zeros((0, 2), np.uint32))

    @property
    def object_count(self) -> int:
        """Objects that shine."""
        return int(np.count_nonzero(self.meshes.first_of_instance != NONE))

    def materials(self, scene: Scene) -> NDArray[np.int64]:
        """Return the number of each row's material in `scene`, which is the one, or shines alike.

        Raises:
            ArgumentError: Two materials have one name.
        """
        numbers = {id(material): number for number, material in enumerate(scene.materials())}
        parts = self.meshes.parts
        own = [numbers[id(scene.objects[p.instance].materials[p.slot])] for p in parts]
        counts = [len(part.primitives) for part in parts]
        return np.repeat(np.array(own, np.int64), np.array(counts, np.int64))


def emissive_triangles(
    geometry: SceneGeometry, first_light: int, kept: KeptParts
) -> EmissiveTriangles:
    """Return one light for each triangle with an emissive material.

    Args:
        geometry: Of a scene.
        first_light: Number of the first.
        kept: Where they are, if the objects that shine are the same.
    """
    meshes = geometry.emissive_meshes(kept, first_light)
    return kept.get("emissive triangles", Identity(meshes), lambda: _rows_of(geometry, meshes))


def _rows_of(geometry: SceneGeometry, meshes: EmissiveMeshes) -> EmissiveTriangles:
    """Return the lights of meshes."""
    out = EmissiveTriangles(meshes)
    glowing, places = [out.glowing], [out.places]
    starts = geometry.first_triangles[geometry.mesh_of_instance]
    for part in meshes.parts:
        primitives = part.primitives
        out.rows += triangle_rows(
            part.instance,
            primitives.astype(np.int64) + starts[part.instance],
            part.areas,
            part.radiance,
            part.both_sides,
            varies=part.varies,
            bounds=triangle_bounds(part.corners, part.both_sides, is_mirrored=part.is_mirrored),
        )
        if part.varies:
            glowing.append(part.first_light + np.arange(len(primitives)))
            instances = np.full(len(primitives), part.instance, np.uint32)
            places.append(np.stack([primitives, instances], axis=1))
    out.glowing, out.places = np.concatenate(glowing), np.concatenate(places)
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
