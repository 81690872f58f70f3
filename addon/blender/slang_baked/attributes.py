# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of meshes that hold what was baked; they go with their group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from weft import ArgumentError

from ...core.baking.bake import asks_world
from ..slang_nodes.users import is_editable
from .places import mark_mesh, remove_attributes
from .tree import MARK, baked_attributes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ...core.baking.bake import BadTexel
    from .gathering import Gathered


def write_attributes(
    group: bpy.types.NodeTree,
    gathered: Gathered,
    rows: Sequence[tuple[Sequence[NDArray[np.float32]], BadTexel]],
) -> None:
    """Write what was baked at the corners of meshes.

    Raises:
        ArgumentError: A mesh is linked, is being edited, or has an attribute of the name that is
            another one's; nothing is written then.
    """
    names = baked_attributes(group)
    meshes = [bpy.data.objects[surface.name].data for surface in gathered.task.surfaces]
    for mesh in meshes:
        _require_writable(group, mesh, names)
    for mesh, images in _merged(gathered, meshes, rows).items():
        for number, name in names.items():
            layer = mesh.attributes.get(name)
            if layer is None:
                mesh.attributes.new(name, "FLOAT_COLOR", "CORNER")
                layer = mesh.attributes[name]
            layer.data.foreach_set("color", np.ascontiguousarray(images[number]).ravel())
        known = set(str(mesh.get(MARK, "")).splitlines())
        mark_mesh(mesh, known | set(names.values()))
        mesh.update_tag()
    gone = {mesh.name for mesh in meshes}
    for mesh in bpy.data.meshes:  # that do not show the material any more
        if mesh.name not in gone and set(names.values()) & set(mesh.attributes.keys()):
            remove_attributes(set(names.values()), [mesh])


def _merged(
    gathered: Gathered,
    meshes: Sequence[bpy.types.Mesh],
    rows: Sequence[tuple[Sequence[NDArray[np.float32]], BadTexel]],
) -> dict[bpy.types.Mesh, list[NDArray[np.float32]]]:
    """Return the values of each mesh: objects of one may show the material on other faces."""
    found: dict[bpy.types.Mesh, list[NDArray[np.float32]]] = {}
    for mesh, surface, (images, _) in zip(meshes, gathered.task.surfaces, rows, strict=True):
        known = found.setdefault(mesh, list(images))
        assert surface.corners is not None
        own = surface.corners.ravel()
        for whole, part in zip(known, images, strict=True):
            whole[own] = part[own]
    return found


def shared_meshes(gathered: Gathered) -> list[str]:
    """Return the meshes of several objects whose values differ, as of places in the world."""
    if not asks_world(gathered.task.values.values()):
        return []
    known: dict[bpy.types.Mesh, bytes] = {}
    found = set()
    for surface in gathered.task.surfaces:
        mesh, place = bpy.data.objects[surface.name].data, surface.matrix.tobytes()
        if known.setdefault(mesh, place) != place:
            found.add(mesh.name)
    return sorted(found)


def _require_writable(
    group: bpy.types.NodeTree, mesh: bpy.types.Mesh, names: dict[int, str]
) -> None:
    if not is_editable(mesh) or mesh.override_library is not None:
        message = (
            f"bake: '{group.name}': the mesh '{mesh.name}' is linked from another file; make it "
            "local, or bake images"
        )
        raise ArgumentError(message)
    for name in names.values():
        layer = mesh.attributes.get(name)
        if layer is not None and (layer.data_type, layer.domain) != ("FLOAT_COLOR", "CORNER"):
            message = (
                f"bake: '{group.name}': the mesh '{mesh.name}' has another attribute '{name}'; "
                "rename that"
            )
            raise ArgumentError(message)
