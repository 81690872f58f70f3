# SPDX-License-Identifier: GPL-3.0-or-later
"""The code of a node in a text editor."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from weft import ArgumentError

from .contents import path_of

if TYPE_CHECKING:
    from ...core.slang_nodes.sources import SourceKey
    from .tags import Tag


def show_source(context: bpy.types.Context, tag: Tag) -> bpy.types.Text:
    """Show a node's code, at the place that its error names.

    An open text editor shows it; without one it is put there for the user to choose.

    Raises:
        ArgumentError: The source is gone.
    """
    text = text_of(tag.source)
    line, column = error_place(tag)
    editors = [
        (window, area)
        for window in context.window_manager.windows
        for area in window.screen.areas
        if area.type == "TEXT_EDITOR"
    ]
    if editors:
        editors[0][1].spaces.active.text = text
        _scroll(context, *editors[0], line)
    elif context.area is not None and context.window is not None:
        _open_editor(context, text, line)
    if line:
        row = min(line, len(text.lines)) - 1
        end = len(text.lines[row].body)
        text.cursor_set(row, character=min(max(column - 1, 0), end))
    return text


def _scroll(
    context: bpy.types.Context, window: bpy.types.Window, area: bpy.types.Area, line: int
) -> None:
    """Have an editor show a line, from 1; 0: the begin.

    Blender itself finds lines whose number on the screen is another one because long ones are
    wrapped. It needs to know how high the editor is, and texts that it may edit.
    """
    space = area.spaces.active
    region = next(region for region in area.regions if region.type == "WINDOW")
    with context.temp_override(window=window, area=area, region=region):
        if line and space.visible_lines and bpy.ops.text.jump.poll():
            bpy.ops.text.jump(line=line)
        else:
            space.top = max(line - 10, 0)


def _open_editor(context: bpy.types.Context, text: bpy.types.Text, line: int) -> None:
    """Split the area and make its other half a text editor."""
    before = set(context.screen.areas)
    with context.temp_override(window=context.window, area=context.area):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.6)
    for area in set(context.screen.areas) - before:
        area.type = "TEXT_EDITOR"
        area.spaces.active.text = text
        area.spaces.active.show_line_numbers = True
        area.spaces.active.top = max(line - 10, 0)


def text_of(key: SourceKey) -> bpy.types.Text:
    """Return the text block of a source; a file is read into one that stays linked to it."""
    if key.kind == "text":
        text = bpy.data.texts.get(key.name)
        if text is None:
            message = f"Slang node: the text block '{key.name}' is gone; choose another source"
            raise ArgumentError(message)
        return text
    path = path_of(key)
    for text in bpy.data.texts:
        if text.filepath and Path(bpy.path.abspath(text.filepath)) == path:
            return text
    if not path.is_file():
        message = f"Slang node: the file '{path}' is gone; choose where it is now (Relocate)"
        raise ArgumentError(message)
    return bpy.data.texts.load(str(path))


_PLACE = re.compile(r":(?P<line>\d+)(?::(?P<column>\d+))?[:)]")


def error_place(tag: Tag) -> tuple[int, int]:
    """Return line and column of a node's error, from 1; 0: it names none."""
    found = _PLACE.search(tag.error)
    return (0, 0) if found is None else (int(found["line"]), int(found["column"] or 0))
