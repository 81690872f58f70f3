# SPDX-License-Identifier: GPL-3.0-or-later
"""Text in panels, which Blender does not wrap."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import bpy

LETTERS = 60  # a line of a panel of usual width


def draw_text(layout: bpy.types.UILayout, text: str, *, icon: str = "NONE") -> None:
    """Draw text in lines; the icon stands before the first one."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for part in text.splitlines():
        for line in textwrap.wrap(part, LETTERS):
            column.label(text=line, icon=icon)
            icon = "BLANK1" if icon != "NONE" else icon
