# SPDX-License-Identifier: GPL-3.0-or-later
"""Where versions of Blender differ."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    import bpy


def node_tree_of(
    owner: bpy.types.Material | bpy.types.World | bpy.types.Light,
) -> bpy.types.NodeTree | None:
    """Return the nodes in use; ``None``: there are none.

    From Blender 5 on nodes are always in use, and asking whether they are is deprecated.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        is_used = getattr(owner, "use_nodes", True)
    return owner.node_tree if is_used else None


def scene_tree(scene: bpy.types.Scene) -> bpy.types.NodeTree | None:
    """Return the compositor's nodes: embedded in the scene before Blender 5.0, then a group."""
    if hasattr(scene, "compositing_node_group"):
        return scene.compositing_node_group
    return scene.node_tree


def normals_end_at_flat_faces() -> bool:
    """Return whether normals of Cycles' smooth faces end at flat ones: from Blender 5.2 on."""
    import bpy

    return bool(bpy.app.version >= (5, 2))


def stored_properties(group: bpy.types.PropertyGroup) -> MutableMapping[str, Any]:
    """Return what a file holds of a group, by name: also properties that have no such name now.

    From Blender 5.0 on these are apart from the custom properties that ``group[name]`` reads.
    """
    if hasattr(group, "bl_system_properties_get"):
        group = group.bl_system_properties_get() or {}
    return cast("MutableMapping[str, Any]", group)
