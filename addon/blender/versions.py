# SPDX-License-Identifier: GPL-3.0-or-later
"""Where versions of Blender differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    HasNodes = bpy.types.Material | bpy.types.World


def node_tree_of(owner: HasNodes) -> bpy.types.NodeTree | None:
    """Return the nodes that render a material or a world; ``None``: it has none.

    From Blender 5 on nodes are always in use, and asking whether they are is deprecated.
    """
    if bpy.app.version < (5, 0, 0) and not owner.use_nodes:
        return None
    return owner.node_tree
