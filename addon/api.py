# SPDX-License-Identifier: GPL-3.0-or-later
"""What `weft_blender` forwards to: the extension's functions for scripts."""

from __future__ import annotations

from .blender.evaluation.scripting import add_evaluation
from .blender.scripting import FitReport, fit
from .blender.scripting_nodes import (
    add_node,
    copy_as_slang,
    node_source,
    refresh,
    refresh_all,
    set_source,
    slang_nodes,
)
from .blender.scripting_nodes import lower_function as lower
from .blender.scripting_render import export_scene, render

__all__ = [
    "FitReport",
    "add_evaluation",
    "add_node",
    "copy_as_slang",
    "export_scene",
    "fit",
    "lower",
    "node_source",
    "refresh",
    "refresh_all",
    "render",
    "set_source",
    "slang_nodes",
]
