# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of Blender's changes may make baked groups old."""

from __future__ import annotations

import bpy

from .baking import bakery

WATCHED = (
    bpy.types.Object,
    bpy.types.Mesh,
    bpy.types.Material,
    bpy.types.NodeTree,
    bpy.types.Image,
)


def note(depsgraph: bpy.types.Depsgraph) -> None:
    """Note what was evaluated again; meshes that changed are read again."""
    found = bakery()
    is_touched = is_of_mesh = False
    for update in depsgraph.updates:
        owner = update.id.original
        if not isinstance(owner, WATCHED):
            continue
        if isinstance(owner, bpy.types.Object):
            if owner.type != "MESH":
                continue
            if update.is_updated_geometry or update.is_updated_transform:
                found.store.forget([owner.session_uid])
                is_of_mesh = True
        is_touched = True
    if found.note_objects(len(bpy.data.objects)):  # of one that was deleted Blender tells nothing
        is_touched = True
    if is_touched:
        found.note(is_of_mesh=is_of_mesh)
