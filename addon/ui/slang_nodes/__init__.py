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
    resume_bakes,
    sweep_bakes,
)
from .dropping import WEFT_FH_slang
from .evaluating import (
    appended,
    came_back,
    frame_begins,
    frame_changed,
    leave,
    opened,
    updated,
)
from .evaluations import (
    WEFT_OT_add_evaluation,
    WEFT_OT_allow_evaluations,
    WEFT_OT_change_evaluation_domain,
    WEFT_OT_remove_evaluation,
    WEFT_PT_evaluation,
    draw_modifier_menu,
)
from .following import begin, end, forget, join, look, move, settle, take_back
from .images import WEFT_PG_slang_image, WEFT_PG_slang_images
from .learning import WEFT_OT_fit_learned_texture, WEFT_PG_learned_texture
from .menus import NODE_MT_weft_slang, NODE_MT_weft_slang_evaluate, draw_add_menu
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
from .saving import WEFT_OT_save_as_template

CLASSES = (
    WEFT_PG_slang_image,
    WEFT_PG_slang_images,
    WEFT_PG_learned_texture,
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
    WEFT_OT_fit_learned_texture,
    WEFT_OT_rebuild_slang_node,
    WEFT_OT_refresh_slang_nodes,
    WEFT_OT_relocate_slang_source,
    WEFT_OT_show_slang_source,
    WEFT_OT_unpack_slang_node,
    WEFT_OT_save_as_template,
    WEFT_OT_add_evaluation,
    WEFT_OT_remove_evaluation,
    WEFT_OT_allow_evaluations,
    WEFT_OT_change_evaluation_domain,
    WEFT_OT_bake_slang_node,
    WEFT_FH_slang,
    NODE_MT_weft_slang,
    NODE_MT_weft_slang_evaluate,
    NODE_PT_weft_slang,
    WEFT_PT_evaluation,
)
POINTERS = (
    (bpy.types.NodeTree, "weft_images", WEFT_PG_slang_images),
    (bpy.types.NodeTree, "weft_bake", WEFT_PG_slang_bake),
    (bpy.types.Scene, "weft_learned", WEFT_PG_learned_texture),
)
MENUS = (
    (bpy.types.NODE_MT_shader_node_add_all, draw_add_menu),
    (bpy.types.NODE_MT_geometry_node_add_all, draw_add_menu),
    (bpy.types.NODE_MT_compositor_node_add_all, draw_add_menu),
    (bpy.types.NODE_MT_context_menu, draw_context_menu),
    (bpy.types.OBJECT_MT_modifier_add, draw_modifier_menu),
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
    ("load_post", opened),
    ("undo_post", came_back),
    ("redo_post", came_back),
    ("blend_import_post", appended),
    ("depsgraph_update_post", updated),
    ("frame_change_pre", frame_begins),
    ("frame_change_post", frame_changed),
    ("depsgraph_update_post", note_changes),
    ("frame_change_post", note_frame),
    ("undo_post", forget_bakes),
    ("redo_post", forget_bakes),
    ("load_pre", forget_file),
    ("load_post", resume_bakes),
    ("save_pre", sweep_bakes),
    ("render_init", finish_bakes),
)
SETUPS = ((begin, end), (lambda: None, leave))
