# SPDX-License-Identifier: GPL-3.0-or-later
"""The fit: what it finds, the panel, its buttons."""

from __future__ import annotations

import bpy

from .comparison import WEFT_OT_show_comparison
from .fitting import WEFT_OT_fit, WEFT_OT_pause_fit, WEFT_OT_stop_fit, end_fit
from .lighting import WEFT_OT_add_environment, WEFT_PT_fit_world
from .operators import (
    WEFT_OT_add_light,
    WEFT_OT_add_maps,
    WEFT_OT_add_material,
    WEFT_OT_add_parameter,
    WEFT_OT_add_texture,
    WEFT_OT_remove_parameter,
    WEFT_OT_remove_target,
    draw_node_menu,
    draw_socket_menu,
)
from .pairs import WEFT_OT_compare_pictures, close_shelf, open_shelf
from .panels import (
    WEFT_PT_fit_material,
    WEFT_PT_fit_nodes,
    WEFT_PT_fit_view,
    WEFT_UL_parameters,
    WEFT_UL_targets,
)
from .picking import WEFT_OT_add_input, WEFT_OT_pick_material
from .pictures import WEFT_OT_add_target, WEFT_OT_choose_camera, WEFT_OT_show_photo
from .problems import WEFT_OT_check_scene, WEFT_OT_show_problem
from .properties import WEFT_PG_fit, WEFT_PG_fit_parameter, WEFT_PG_fit_target, note_materials
from .renamed import take_over_former_names
from .sample import WEFT_OT_open_sample

CLASSES = (
    WEFT_PG_fit_target,
    WEFT_PG_fit_parameter,
    WEFT_PG_fit,
    WEFT_OT_add_target,
    WEFT_OT_remove_target,
    WEFT_OT_choose_camera,
    WEFT_OT_show_photo,
    WEFT_OT_add_parameter,
    WEFT_OT_add_material,
    WEFT_OT_add_maps,
    WEFT_OT_add_texture,
    WEFT_OT_add_light,
    WEFT_OT_add_environment,
    WEFT_OT_add_input,
    WEFT_OT_pick_material,
    WEFT_OT_remove_parameter,
    WEFT_OT_check_scene,
    WEFT_OT_show_problem,
    WEFT_OT_fit,
    WEFT_OT_pause_fit,
    WEFT_OT_stop_fit,
    WEFT_OT_show_comparison,
    WEFT_OT_compare_pictures,
    WEFT_OT_open_sample,
    WEFT_UL_targets,
    WEFT_UL_parameters,
    WEFT_PT_fit_view,
    WEFT_PT_fit_material,
    WEFT_PT_fit_nodes,
    WEFT_PT_fit_world,
)
POINTERS = ((bpy.types.Scene, "weft_fit", WEFT_PG_fit),)
MENUS = (
    (bpy.types.UI_MT_button_context_menu, draw_socket_menu),
    (bpy.types.NODE_MT_context_menu, draw_node_menu),
)
HANDLERS = (
    ("load_pre", end_fit),
    ("load_post", take_over_former_names),
    ("blend_import_post", take_over_former_names),
    ("load_post", note_materials),
    ("save_pre", note_materials),
)
SETUPS = ((open_shelf, close_shelf), (take_over_former_names, lambda: None))
