# SPDX-License-Identifier: Apache-2.0
"""The acceleration structures of a scene, each kept while its mesh is the same."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weft._native import Tracer
from weft.render.keeping import Identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft._native import Device, SceneGeometry
    from weft.scene import Mesh

ShapeKey = tuple[Identity, Identity, Identity]
"""A mesh, its positions and its triangles."""

Source = tuple[int | None, "NDArray[np.float32] | None", "NDArray[np.uint32] | None"]
"""A mesh as Tracer.update() takes it."""

ROOM = 4
"""A tracer with room for so many times as many triangles as there are is made anew."""

COMPARED_ROWS = 64
"""Triangles by which meshes of one shape are told apart before all are compared."""


@dataclass
class TracerState:
    """What a tracer has now.

    Args:
        numbers: Of its meshes, by what stands for them; some may have no instance.
        triangle_count: Of all its meshes.
        instances: Number of the mesh and transform of each.
        room: Most triangles that it has had at once.
    """

    numbers: dict[ShapeKey, int]
    triangle_count: int
    instances: tuple[bytes, bytes]
    room: int


@dataclass(frozen=True)
class TracedMeshes:
    """A tracer and what it traces.

    Args:
        tracer: Of the instances.
        state: Shared by all that have the tracer.
        numbers: Of the meshes, as the state had them.
        instances: As the state had them.
    """

    tracer: Tracer
    state: TracerState
    numbers: dict[ShapeKey, int]
    instances: tuple[bytes, bytes]

    @property
    def is_current(self) -> bool:
        """Whether nobody else has placed other instances or meshes since."""
        return self.state.instances == self.instances and self.state.numbers == self.numbers


def trace_meshes(
    device: Device, meshes: Sequence[Mesh], geometry: SceneGeometry, before: TracedMeshes | None
) -> TracedMeshes:
    """Return the tracer of a scene; that of `before`, changed, unless it is far too large.

    Meshes without instance stay as long as they have no more triangles than the others and no mesh
    is new.

    Raises:
        ArgumentError: A mesh cannot be traced; `before` is as it was.
    """
    count = geometry.triangle_count
    if before is None or before.state.room > ROOM * count:
        return _new_tracer(device, meshes, geometry)
    state = before.state
    keys = [_shape_key(mesh) for mesh in meshes]
    has_all = all(key in state.numbers for key in keys)
    if not has_all or state.triangle_count > 2 * count:
        sources, added = _sources(meshes, keys, state.numbers)
        before.tracer.update(sources, geometry.mesh_of_instance, geometry.transforms)
        state.room = max(state.room, state.triangle_count + added)
        state.numbers = {key: number for number, key in enumerate(keys)}
        state.triangle_count = count
        state.instances = _instances(geometry.mesh_of_instance, geometry)
    else:
        own = np.array([state.numbers[key] for key in keys], np.uint32)[geometry.mesh_of_instance]
        placed = _instances(own, geometry)
        if placed != state.instances:
            before.tracer.update_instances(own, geometry.transforms)
            state.instances = placed
    return replace(before, numbers=state.numbers, instances=state.instances)


def _new_tracer(device: Device, meshes: Sequence[Mesh], geometry: SceneGeometry) -> TracedMeshes:
    arrays = [(mesh.positions, mesh.triangles) for mesh in meshes]
    tracer = Tracer(device, arrays, geometry.mesh_of_instance, geometry.transforms)
    numbers = {_shape_key(mesh): number for number, mesh in enumerate(meshes)}
    placed = _instances(geometry.mesh_of_instance, geometry)
    count = geometry.triangle_count
    return TracedMeshes(tracer, TracerState(numbers, count, placed, count), numbers, placed)


def _sources(
    meshes: Sequence[Mesh], keys: Sequence[ShapeKey], numbers: dict[ShapeKey, int]
) -> tuple[list[Source], int]:
    """Return meshes as Tracer.update() takes them, and the triangles of those that need trees.

    A mesh that is new, with the triangles of one that is gone, is that one with other vertices.
    """
    wanted = set(keys)
    gone = {_form(*_arrays(key)): key for key in numbers if key not in wanted}
    sources: list[Source] = []
    added = 0
    for mesh, key in zip(meshes, keys, strict=True):
        if key in numbers:
            sources.append((numbers[key], None, None))
            continue
        form = _form(mesh.positions, mesh.triangles)
        old = gone.get(form)
        number = None
        if old is not None and _are_equal(_arrays(old)[1], mesh.triangles):
            number = numbers[gone.pop(form)]
        sources.append((number, mesh.positions, mesh.triangles))
        added += len(mesh.triangles)
    return sources, added


def _are_equal(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> bool:
    return a is b or np.array_equal(a, b)


def _form(positions: NDArray[np.float32], triangles: NDArray[np.uint32]) -> Hashable:
    return (positions.shape, triangles.shape, triangles[:COMPARED_ROWS].tobytes())


def _arrays(key: ShapeKey) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Return the positions and the triangles of a mesh."""
    positions, triangles = key[1].entry, key[2].entry
    assert isinstance(positions, np.ndarray)
    assert isinstance(triangles, np.ndarray)
    return positions, triangles


def _shape_key(mesh: Mesh) -> ShapeKey:
    return (Identity(mesh), Identity(mesh.positions), Identity(mesh.triangles))


def _instances(meshes: NDArray[np.uint32], geometry: SceneGeometry) -> tuple[bytes, bytes]:
    return meshes.tobytes(), geometry.transforms.tobytes()
