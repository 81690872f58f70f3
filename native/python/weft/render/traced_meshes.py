# SPDX-License-Identifier: Apache-2.0
"""The acceleration structure of a scene, kept while its meshes are the same."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weft._native import Tracer
from weft.render.keeping import Identity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft._native import Device
    from weft.render.geometry_table import GeometryTable
    from weft.scene import Mesh


@dataclass(frozen=True)
class TracedMeshes:
    """A tracer and what it traces.

    Args:
        tracer: Of the instances.
        numbers: Of its meshes, by what stands for them; some may have no instance.
        triangle_count: Of all its meshes.
        instances: Number of the mesh and transform of each.
        placed: One entry, shared by all that have the tracer: the instances that it has now.
    """

    tracer: Tracer
    numbers: dict[Hashable, int]
    triangle_count: int
    instances: tuple[bytes, bytes]
    placed: list[tuple[bytes, bytes]]

    @property
    def is_current(self) -> bool:
        """Whether nobody else has placed other instances since."""
        return self.placed[0] == self.instances


def trace_meshes(
    device: Device, geometry: GeometryTable, before: TracedMeshes | None
) -> TracedMeshes:
    """Return the tracer of a scene; that of `before`, changed, if it has all meshes.

    Meshes without instance stay as long as they have no more triangles than the others.

    Raises:
        ArgumentError: A mesh cannot be traced; `before` is as it was.
    """
    keys = [_shape_key(mesh) for mesh in geometry.meshes]
    is_known = before is not None and all(key in before.numbers for key in keys)
    if before is None or not is_known or before.triangle_count > 2 * geometry.triangle_count:
        meshes = [(mesh.positions, mesh.triangles) for mesh in geometry.meshes]
        tracer = Tracer(device, meshes, geometry.mesh_of_instance, geometry.transforms)
        numbers = {key: number for number, key in enumerate(keys)}
        placed = _instances(geometry.mesh_of_instance, geometry)
        return TracedMeshes(tracer, numbers, geometry.triangle_count, placed, [placed])
    own = np.array([before.numbers[key] for key in keys], np.uint32)[geometry.mesh_of_instance]
    placed = _instances(own, geometry)
    if placed != before.placed[0]:
        before.tracer.update_instances(own, geometry.transforms)
        before.placed[0] = placed
    return replace(before, instances=placed)


def _shape_key(mesh: Mesh) -> Hashable:
    return (Identity(mesh), Identity(mesh.positions), Identity(mesh.triangles))


def _instances(meshes: NDArray[np.uint32], geometry: GeometryTable) -> tuple[bytes, bytes]:
    return meshes.tobytes(), geometry.transforms.tobytes()
