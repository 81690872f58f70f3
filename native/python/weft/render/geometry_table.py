# SPDX-License-Identifier: Apache-2.0
"""Triangles and instances of a scene as kernels look them up."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.render.keeping import Chunk, Identity, zeros_chunk
from weft.render.media import has_media
from weft.render.tangents import corner_tangents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft._native import Tensor
    from weft.render.keeping import KeptParts
    from weft.scene import Mesh, Object, Scene


FEW_VERTICES = 2048
"""Below which a call of numpy takes longer than its work."""


@dataclass
class GeometryTable:
    """Where the meshes and instances of a scene are.

    Args:
        meshes: In the order of first use.
        mesh_keys: What stands for each in keys of KeptParts.
        first_triangle: Number of a mesh's first triangle, by id of the mesh.
        transforms: Object to world, shape ``(instances, 3, 4)``.
        mesh_of_instance: Number of each instance's mesh.
        extent: Radius of the scene, metres.
    """

    meshes: list[Mesh]
    mesh_keys: list[Hashable]
    first_triangle: dict[int, int]
    transforms: NDArray[np.float32]
    mesh_of_instance: NDArray[np.uint32]
    extent: float

    @property
    def triangle_count(self) -> int:
        """Triangles of all meshes."""
        return sum(len(mesh.triangles) for mesh in self.meshes)

    def is_placed(self, scene: Scene) -> bool:
        """Return whether every mesh is placed once and not mirrored."""
        matrices = self.transforms[:, :, :3]
        is_once = len(self.meshes) == len(scene.objects)
        return is_once and not has_media(scene) and bool(np.all(np.linalg.det(matrices) > 0))


def mesh_key(mesh: Mesh) -> Hashable:
    """Return what stands for a mesh: itself, and its arrays, which may have been replaced."""
    arrays = (mesh.positions, mesh.triangles, mesh.normals, mesh.slots)
    sets = (*mesh.uvs.values(), *mesh.colors.values())
    return (Identity(mesh), *map(Identity, arrays), len(mesh.uvs), *map(Identity, sets))


def transform_of(entry: Object) -> NDArray[np.float64]:
    """Return object to world, shape ``(3, 4)``."""
    assert entry.transform is not None
    return entry.transform


def geometry_table(scene: Scene, kept: KeptParts) -> GeometryTable:
    """Look where the meshes and instances of a scene are."""
    meshes = scene.meshes()
    # An object in its place compares quicker.
    keys = {id(mesh): kept.get("mesh", mesh_key(mesh), object) for mesh in meshes}
    number = {id(mesh): index for index, mesh in enumerate(meshes)}
    starts = accumulate((len(mesh.triangles) for mesh in meshes), initial=0)
    transforms = [entry.transform for entry in scene.objects]
    boxes = [
        kept.get(
            "box",
            (keys[id(entry.mesh)], transform_of(entry).tobytes()),
            partial(_box, entry),
        )
        for entry in scene.objects
        if len(entry.mesh.positions)
    ]
    extent = 1.0
    if boxes:
        corners = np.array(boxes)
        size = corners[:, 1].max(axis=0) - corners[:, 0].min(axis=0)
        extent = float(np.linalg.norm(size) / 2)
    return GeometryTable(
        meshes,
        [keys[id(mesh)] for mesh in meshes],
        {id(mesh): start for mesh, start in zip(meshes, starts, strict=False)},
        np.array(transforms, np.float32).reshape(-1, 3, 4),
        np.array([number[id(entry.mesh)] for entry in scene.objects], np.uint32),
        max(extent, 1e-6),
    )


def _box(entry: Object) -> NDArray[np.float64]:
    """Return the lowest and the highest corner of an object in the world, metres."""
    if len(entry.mesh.positions) < FEW_VERTICES:
        transform = transform_of(entry)
        points = entry.mesh.positions @ transform[:, :3].T + transform[:, 3]
        return np.array([points.min(axis=0), points.max(axis=0)])
    columns = _placed(entry)
    return np.array([[column.min() for column in columns], [column.max() for column in columns]])


def _placed(entry: Object) -> list[NDArray[np.float64]]:
    """Return x, y and z of an object's vertices in the world, metres."""
    transform = transform_of(entry)
    columns = _turned(entry.mesh.positions, transform[:, :3])
    return [column + offset for column, offset in zip(columns, transform[:, 3], strict=True)]


class GeometryView:
    """The arrays of a scene's triangles on the device.

    Args:
        scene: What.
        geometry: Of it.
        kept: Parts that are there already.
        is_placed: Triangles are in world space, and know their materials.
        slot_materials: Of all objects, see instance_table.py.
    """

    def __init__(
        self,
        scene: Scene,
        geometry: GeometryTable,
        kept: KeptParts,
        slot_materials: NDArray[np.uint32],
        *,
        is_placed: bool,
    ) -> None:
        """Note what is placed where."""
        self._geometry, self._kept, self._is_placed = geometry, kept, is_placed
        self._entries: list[Object | None] = [None] * len(geometry.meshes)
        self._slots: list[NDArray[np.uint32] | None] = [None] * len(geometry.meshes)
        if is_placed:
            self._entries = list(scene.objects)
            ends = list(accumulate(len(entry.materials) for entry in scene.objects))
            self._slots = list(np.split(slot_materials, ends[:-1])) if ends else []

    def tensors(self, *, has_tangents: bool) -> dict[str, Tensor]:
        """Return them by the names of GeometryView of scene_view.slang."""
        kept = self._kept
        out = {
            "positions": kept.assemble("positions", self._corners("positions")),
            "normals": kept.assemble("normals", self._corners("normals")),
            "uvs": kept.assemble("uvs", self._sets("uvs", 2)),
            "colors": kept.assemble("colors", self._sets("colors", 3)),
            "slots": kept.assemble("slots", self._slot_chunks(), np.uint32),
        }
        tangents = self._tangents() if has_tangents else [zeros_chunk(4)]
        return out | {"tangents": kept.assemble("tangents", tangents)}

    def _placement(self, number: int) -> Hashable:
        """Return the part of a key that says where a mesh is placed."""
        entry = self._entries[number]
        return None if entry is None else transform_of(entry).tobytes()

    def _corners(self, kind: str) -> list[Chunk]:
        """Return the positions or the normals of all corners, and those of one triangle more."""
        make = _positions if kind == "positions" else _normals
        chunks = [
            Chunk(
                (kind, self._geometry.mesh_keys[number], self._placement(number)),
                9 * len(mesh.triangles),
                partial(make, mesh, self._entries[number]),
            )
            for number, mesh in enumerate(self._geometry.meshes)
        ]
        return [*chunks, zeros_chunk(9)]

    def _sets(self, kind: str, width: int) -> list[Chunk]:
        """Return attribute sets, one block of all triangles a set; zero where a mesh has fewer."""
        meshes = self._geometry.meshes
        count = max([len(getattr(mesh, kind)) for mesh in meshes] + [1])
        chunks = []
        for index in range(count):
            for mesh in meshes:
                arrays = list(getattr(mesh, kind).values())
                size = 3 * width * len(mesh.triangles)
                if index < len(arrays):
                    array = arrays[index]
                    key = (kind, Identity(mesh), Identity(array))
                    chunks.append(Chunk(key, size, partial(np.asarray, array)))
                else:
                    chunks.append(zeros_chunk(size))
        return chunks if self._geometry.triangle_count else [zeros_chunk(1)]

    def _slot_chunks(self) -> list[Chunk]:
        """Return the slot, or the material, of each triangle, and of one more."""
        chunks = []
        for number, mesh in enumerate(self._geometry.meshes):
            own = self._slots[number]
            key = (
                "slots",
                self._geometry.mesh_keys[number],
                None if own is None else own.tobytes(),
            )
            chunks.append(Chunk(key, len(mesh.triangles), partial(_slots_of, mesh, own)))
        return [*chunks, zeros_chunk(1)]

    def _tangents(self) -> list[Chunk]:
        """Return the tangents of all UV sets, one block of all triangles a set; 0 without UVs."""
        meshes = self._geometry.meshes
        count = max([len(mesh.uvs) for mesh in meshes] + [1])
        chunks = []
        for index in range(count):
            for number, mesh in enumerate(meshes):
                size = 12 * len(mesh.triangles)
                if index < len(mesh.uvs):
                    key = (self._geometry.mesh_keys[number], index)
                    chunks.append(
                        Chunk(
                            ("tangents", *key, self._placement(number)),
                            size,
                            partial(self._tangent, key, mesh, self._entries[number]),
                        )
                    )
                else:
                    chunks.append(zeros_chunk(size))
        return chunks if self._geometry.triangle_count else [zeros_chunk(12)]

    def _tangent(
        self, key: tuple[Hashable, int], mesh: Mesh, entry: Object | None
    ) -> NDArray[np.float32]:
        """Return the tangents of one UV set, which take long to make."""
        uv = list(mesh.uvs.values())[key[1]]
        own = self._kept.get("tangents of a mesh", key, lambda: corner_tangents(mesh, uv))
        if entry is None:
            return own
        placed = own.copy()
        placed[..., :3] = _unit(_turned(own[..., :3], transform_of(entry)[:, :3]))
        return placed


def _turned(vectors: NDArray[Any], matrix: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return x, y and z of a matrix times vectors; the same for each, however many there are."""
    x, y, z = (np.ascontiguousarray(vectors[..., axis], np.float64) for axis in range(3))
    return [x * row[0] + y * row[1] + z * row[2] for row in matrix]


def _unit(columns: list[NDArray[np.float64]]) -> NDArray[np.float32]:
    """Return vectors of length 1, or 0 where they have none, from their x, y and z."""
    x, y, z = columns
    length = np.sqrt(x * x + y * y + z * z)
    factor = 1 / np.where(length > 0, length, 1)
    out = np.empty((*x.shape, 3), np.float32)
    for axis, column in enumerate(columns):
        np.multiply(column, factor, out=out[..., axis], casting="same_kind")
    return out


def _positions(mesh: Mesh, entry: Object | None) -> NDArray[np.float32]:
    if entry is None:
        return mesh.corner_positions()
    placed: NDArray[np.float32] = np.stack(_placed(entry), axis=1).astype(np.float32)
    return placed[mesh.triangles]


def _normals(mesh: Mesh, entry: Object | None) -> NDArray[np.float32]:
    normals = mesh.corner_normals()
    if entry is None:
        return normals
    inverse = np.asarray(np.linalg.inv(transform_of(entry)[:, :3]), np.float64)
    return _unit(_turned(normals, inverse.T))


def _slots_of(mesh: Mesh, materials: NDArray[np.uint32] | None) -> NDArray[np.uint32]:
    slots = np.zeros(len(mesh.triangles), np.uint32) if mesh.slots is None else mesh.slots
    return slots if materials is None else materials[slots]
