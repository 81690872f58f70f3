# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of `weft.scene` that stay the same objects while Blender's do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .meshes import build_mesh, read_mesh

if TYPE_CHECKING:
    from collections.abc import Sequence

    import weft

    from ..core.graph.compile import AttributeRequest, AttributeTable, CompiledMaterial
    from .instances import Placed


class MeshStore:
    """Meshes by their contents, so that instances share one, and so do two exports."""

    def __init__(self) -> None:
        """Begin without meshes."""
        self._known: dict[bytes, weft.scene.Mesh | None] = {}
        self._used: dict[bytes, weft.scene.Mesh | None] = {}
        self._seen: dict[tuple[object, ...], weft.scene.Mesh | None] = {}

    def begin(self) -> None:
        """Begin an export: forget the meshes that the last one did not show."""
        self._known, self._used, self._seen = self._used, {}, {}

    def find(
        self, placed: Placed, materials: Sequence[CompiledMaterial], table: AttributeTable
    ) -> weft.scene.Mesh | None:
        """Return the triangles of an object; ``None`` if it has none."""
        requests = needed(materials, table)
        # Evaluated meshes live as long as the evaluated scene: addresses are their identities.
        uv_count = sum(entry.kind == "uv" for entry in requests)
        info = tuple(placed.info[r.name] for r in requests if r.kind == "object_info")
        identity = (placed.data.as_pointer(), uv_count, len(requests) - uv_count, info)
        if identity not in self._seen:
            data = read_mesh(placed, requests)
            key = data.digest()
            if key not in self._used:
                self._used[key] = (
                    self._known[key]
                    if key in self._known
                    else build_mesh(placed.data.name, placed.data, data)
                )
            self._seen[identity] = self._used[key]
        return self._seen[identity]


def needed(materials: Sequence[CompiledMaterial], table: AttributeTable) -> list[AttributeRequest]:
    """Return what a mesh must bring: all requests up to the last that one of its materials reads.

    Numbers of sets are those of the scene; a mesh may leave out what would stand at the end.
    """
    ends = [-1, -1]
    for request in (request for entry in materials for request in entry.attributes):
        is_uv = request.kind == "uv"
        ends[is_uv] = max(ends[is_uv], request.index)
    return [entry for entry in table.requests if entry.index <= ends[entry.kind == "uv"]]
