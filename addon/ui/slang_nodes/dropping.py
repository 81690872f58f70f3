# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are dropped into a node editor."""

from __future__ import annotations

import bpy

from ...blender.slang_nodes.users import NODE_TYPES


class WEFT_FH_slang(bpy.types.FileHandler):
    """A dropped .slang file becomes a node."""

    bl_idname = "WEFT_FH_slang"
    bl_label = "Slang Node"
    bl_import_operator = "weft.open_slang_file"
    bl_file_extensions = ".slang"

    @classmethod
    def poll_drop(cls, context: bpy.types.Context) -> bool:
        """Return whether there is a tree that takes the node."""
        area = context.area
        tree = getattr(context.space_data, "edit_tree", None)
        return (
            area is not None
            and area.type == "NODE_EDITOR"
            and tree is not None
            and tree.bl_idname in NODE_TYPES
        )
