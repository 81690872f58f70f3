# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang nodes: menus, the panel, dropped files, texts that are followed."""

from __future__ import annotations

import bpy

from .adding import (
    WEFT_OT_add_slang_expression,
    WEFT_OT_add_slang_node,
    WEFT_OT_new_slang_node,
    WEFT_OT_open_slang_file,
)
from .baking import (
    WEFT_OT_bake_slang_node,
    WEFT_PG_slang_bake,
    finish_bakes,
    forget_bakes,
    forget_file,
    note_changes,
    note_frame,
    sweep_bakes,
)
from .dropping import WEFT_FH_slang
from .following import begin, end, forget, join, look, move, settle, take_back
from .images import WEFT_PG_slang_image, WEFT_PG_slang_images
from .menus import NODE_MT_weft_slang, draw_add_menu
from .operators import (
    WEFT_OT_change_slang_function,
    WEFT_OT_change_slang_value,
    WEFT_OT_change_slang_variant,
    WEFT_OT_choose_slang_case,
    WEFT_OT_choose_slang_form,
    WEFT_OT_copy_as_slang,
    WEFT_OT_rebuild_slang_node,
    WEFT_OT_refresh_slang_nodes,
    WEFT_OT_relocate_slang_source,
    WEFT_OT_show_slang_source,
    WEFT_OT_unpack_slang_node,
    draw_context_menu,
)
from .panels import NODE_PT_weft_slang

CLASSES = (
    WEFT_PG_slang_image,
    WEFT_PG_slang_images,
    WEFT_PG_slang_bake,
    WEFT_OT_add_slang_node,
    WEFT_OT_new_slang_node,
    WEFT_OT_add_slang_expression,
    WEFT_OT_open_slang_file,
    WEFT_OT_change_slang_function,
    WEFT_OT_change_slang_value,
    WEFT_OT_change_slang_variant,
    WEFT_OT_choose_slang_case,
    WEFT_OT_choose_slang_form,
    WEFT_OT_copy_as_slang,
    WEFT_OT_rebuild_slang_node,
    WEFT_OT_refresh_slang_nodes,
    WEFT_OT_relocate_slang_source,
    WEFT_OT_show_slang_source,
    WEFT_OT_unpack_slang_node,
    WEFT_OT_bake_slang_node,
    WEFT_FH_slang,
    NODE_MT_weft_slang,
    NODE_PT_weft_slang,
)
POINTERS = (
    (bpy.types.NodeTree, "weft_images", WEFT_PG_slang_images),
    (bpy.types.NodeTree, "weft_bake", WEFT_PG_slang_bake),
)
MENUS = (
    (bpy.types.NODE_MT_shader_node_add_all, draw_add_menu),
    (bpy.types.NODE_MT_geometry_node_add_all, draw_add_menu),
    (bpy.types.NODE_MT_compositor_node_add_all, draw_add_menu),
    (bpy.types.NODE_MT_context_menu, draw_context_menu),
)
HANDLERS = (
    ("load_post", look),
    ("undo_pre", forget),
    ("undo_post", forget),
    ("redo_post", forget),
    ("load_pre", forget),
    ("blend_import_post", join),
    ("save_pre", move),
    ("save_post", settle),
    ("save_post_fail", take_back),
    ("depsgraph_update_post", note_changes),
    ("frame_change_post", note_frame),
    ("undo_post", forget_bakes),
    ("redo_post", forget_bakes),
    ("load_pre", forget_file),
    ("save_pre", sweep_bakes),
    ("render_init", finish_bakes),
)
SETUPS = ((begin, end),)
