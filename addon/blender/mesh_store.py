# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of `weft.scene` that stay the same objects while Blender's do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .meshes import build_mesh, read_mesh

if TYPE_CHECKING:
    from collections.abc import Sequence

    import weft

    from ..core.graph.compile import AttributeRequest, AttributeTable, CompiledMaterial
    from .instances import ObjectInstance


class MeshStore:
    """Meshes by their contents, so that instances share one, and so do two exports."""

    def __init__(self) -> None:
        """Begin without meshes."""
        self._known: dict[bytes, weft.scene.Mesh | None] = {}
        self._used: dict[bytes, weft.scene.Mesh | None] = {}
        self._seen: dict[tuple[object, ...], bytes] = {}
        self._same: dict[tuple[object, ...], bytes] = {}

    def begin(self, *, is_same: bool = False) -> None:
        """Begin an export: forget the meshes that the last one did not show.

        Args:
            is_same: No mesh was evaluated since the last export, of the same dependency graph; they
                are not read again.
        """
        self._same = self._seen if is_same else {}
        self._known, self._used, self._seen = self._used, {}, {}

    def find(
        self, instance: ObjectInstance, materials: Sequence[CompiledMaterial], table: AttributeTable
    ) -> weft.scene.Mesh | None:
        """Return the triangles of an object; ``None`` if it has none."""
        requests = needed(materials, table)
        identity = _identity(instance, requests)
        key = self._seen.get(identity) or self._same.get(identity)
        if key is None or (key not in self._used and key not in self._known):
            data = read_mesh(instance, requests)
            key = data.digest()
            if key not in self._used and key not in self._known:
                self._used[key] = build_mesh(instance.data.name, instance.data, data)
        if key not in self._used:
            self._used[key] = self._known[key]
        self._seen[identity] = key
        return self._used[key]


def _identity(instance: ObjectInstance, requests: Sequence[AttributeRequest]) -> tuple[object, ...]:
    """Return what tells an evaluated mesh, and what is read of it, from others.

    Evaluated meshes live until they are evaluated again: addresses are their identities.
    """
    mesh = instance.data
    return (
        mesh.as_pointer(),
        mesh.vertices[0].as_pointer() if mesh.vertices else 0,
        len(mesh.vertices),
        len(mesh.loops),
        len(mesh.polygons),
        mesh.uv_layers.active.name if mesh.uv_layers.active else "",
        tuple((request.kind, request.name) for request in requests),
        tuple(instance.info[r.name] for r in requests if r.kind == "object_info"),
    )


HARMLESS = (
    bpy.types.Camera,
    bpy.types.Collection,
    bpy.types.Light,
    bpy.types.Material,
    bpy.types.Scene,
    bpy.types.ShaderNodeTree,
    bpy.types.World,
)
"""What may change while no mesh is evaluated again, whatever Blender calls geometry of it."""

WITHOUT_MESH = ("CAMERA", "EMPTY", "LIGHT", "LIGHT_PROBE", "SPEAKER")


def may_change_meshes(depsgraph: bpy.types.Depsgraph) -> bool:
    """Return whether a mesh may have been evaluated in the update that Blender tells of."""
    return any(_may_change(update) for update in depsgraph.updates)


def _may_change(update: bpy.types.DepsgraphUpdate) -> bool:
    if isinstance(update.id, bpy.types.Object):
        return update.is_updated_geometry and update.id.type not in WITHOUT_MESH
    if isinstance(update.id, bpy.types.Mesh):  # told of sliders of its materials, too
        return update.is_updated_geometry
    return not isinstance(update.id, HARMLESS)


def needed(materials: Sequence[CompiledMaterial], table: AttributeTable) -> list[AttributeRequest]:
    """Return what a mesh must bring: all requests up to the last that one of its materials reads.

    Numbers of sets are those of the scene; a mesh may leave out what would stand at the end.
    """
    ends = [-1, -1]
    for request in (request for entry in materials for request in entry.attributes):
        is_uv = request.kind == "uv"
        ends[is_uv] = max(ends[is_uv], request.index)
    return [entry for entry in table.requests if entry.index <= ends[entry.kind == "uv"]]
