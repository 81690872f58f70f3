# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of sources when a file is saved in another folder; Blender does it for its own paths."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy

from ...core.slang_nodes.sources import SourceKey
from .tags import PROPERTY, tagged_trees, write_tag
from .users import is_editable

RELATIVE = "//"


class Moved:
    """What trees kept before their paths were made relative to another folder."""

    def __init__(self) -> None:
        """Begin with nothing moved."""
        self._before: dict[str, str] = {}

    def __bool__(self) -> bool:
        """Whether anything was."""
        return bool(self._before)

    def move(self, file: str) -> None:
        """Let relative paths name from another file's folder what they name from the open file's.

        Args:
            file: That is about to be written.
        """
        self._before.clear()
        here = bpy.data.filepath
        if not here or not file or Path(here).parent == Path(file).parent:
            return
        folder = str(Path(file).parent)
        for tree, tag in tagged_trees():
            source = tag.source
            if source.kind == "file":
                source = SourceKey("file", _moved(source.name, folder))
            files = tuple(_moved(each, folder) for each in tag.files)
            if is_editable(tree) and (source, files) != (tag.source, tag.files):
                self._before[tree.name] = tree[PROPERTY]
                write_tag(tree, replace(tag, source=source, files=files))

    def settle(self, file: str) -> bool:
        """Take it back unless the file that was written is the open one now; return if it stays.

        Args:
            file: That was written; "": none was.
        """
        before, self._before = self._before, {}
        if file and Path(bpy.data.filepath) == Path(file):
            return bool(before)
        for name, kept in before.items():
            bpy.data.node_groups[name][PROPERTY] = kept
        return False


def _moved(path: str, folder: str) -> str:
    """Return a path relative to another folder, absolute where that is not possible."""
    if not path.startswith(RELATIVE):
        return path
    full = bpy.path.abspath(path)
    try:
        return str(bpy.path.relpath(full, start=folder)).replace("\\", "/")
    except ValueError:  # another drive
        return full
