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
    """Show a node's code, at the line that its error names.

    An open text editor shows it; without one it is put there for the user to choose.

    Raises:
        ArgumentError: The source is gone.
    """
    text = text_of(tag.source)
    line = error_line(tag)
    if line:
        text.cursor_set(min(line, len(text.lines)) - 1)
    editors = [
        area.spaces.active
        for window in context.window_manager.windows
        for area in window.screen.areas
        if area.type == "TEXT_EDITOR"
    ]
    if editors:
        editors[0].text = text
        editors[0].top = max(line - 10, 0)
    elif context.area is not None and context.window is not None:
        _open_editor(context, text, line)
    return text


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


_LINE = re.compile(r":(?P<line>\d+)(?::\d+)?[:)]")


def error_line(tag: Tag) -> int:
    """Return the line of a node's error, from 1; 0: it names none."""
    found = _LINE.search(tag.error)
    return 0 if found is None else int(found["line"])
