# SPDX-License-Identifier: GPL-3.0-or-later
"""Text in panels, which Blender does not wrap."""

from __future__ import annotations

import textwrap

import bpy

from ..core.spelling import american

LETTERS = 60  # a line where the width is not known
WIDTH = 7.0  # of a letter, pixels, at an interface scale of 1
MARGIN = 6  # letters that icon and borders take


def draw_text(layout: bpy.types.UILayout, text: str, *, icon: str = "NONE") -> None:
    """Draw text in lines; the icon stands before the first one. It is spelled as Blender's."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for part in american(text).splitlines():
        for line in textwrap.wrap(part, line_length()):
            column.label(text=line, icon=icon)
            icon = "BLANK1" if icon != "NONE" else icon


def line_length() -> int:
    """Return how many letters a line of the region takes that is drawn."""
    region = bpy.context.region
    scale = bpy.context.preferences.system.ui_scale
    if region is None or not scale:  # not drawn
        return LETTERS
    return max(int(region.width / (WIDTH * scale)) - MARGIN, 20)
