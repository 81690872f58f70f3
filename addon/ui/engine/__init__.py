# SPDX-License-Identifier: GPL-3.0-or-later
"""Weft as a render engine: final renders, the viewport, and their settings."""

from __future__ import annotations

import bpy

from .engine import WEFT_RE_engine
from .panels import (
    WEFT_PT_light_paths,
    WEFT_PT_passes,
    WEFT_PT_sampling,
    share_panels,
    withdraw_panels,
)
from .properties import WEFT_PG_render

CLASSES = (
    WEFT_PG_render,
    WEFT_RE_engine,
    WEFT_PT_sampling,
    WEFT_PT_light_paths,
    WEFT_PT_passes,
)
POINTERS = ((bpy.types.Scene, "weft_render", WEFT_PG_render),)
SETUPS = ((share_panels, withdraw_panels),)
