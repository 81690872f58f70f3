# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries of the preferences' asset libraries that are there because of the extension.

Blender has no libraries for a while: an entry is part of the preferences, and saved with them. So
each is taken out when the extension goes, and what the preferences of the extension, which are
saved in the same file, know of it tells ours from the user's own, whatever happened in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    Entry = bpy.types.UserAssetLibrary


def entries() -> list[Entry]:
    """Return the user's asset libraries, in order."""
    return list(bpy.context.preferences.filepaths.asset_libraries)


def same_folder(one: str, other: str) -> bool:
    """Return whether two paths of the preferences name one folder."""
    return bool(one and other) and Path(bpy.path.abspath(one)) == Path(bpy.path.abspath(other))


@contextmanager
def unnoticed() -> Iterator[None]:
    """Let a change of the preferences not be one that Blender saves, or asks whether to save.

    Enabling and disabling an extension is one anyway; that Blender starts is none.
    """
    preferences = bpy.context.preferences
    was_dirty = preferences.is_dirty
    try:
        yield
    finally:
        preferences.is_dirty = was_dirty


def add_library(name: str, folder: str, known: str = "") -> str:
    """List a folder as an asset library, once.

    Args:
        name: That the entry gets if it is a new one; Blender makes it unique.
        folder: The library.
        known: Folder of the entry that an earlier session left, "" if it left none. It is used
            again, under the name and with the settings that the user has given it.

    Returns:
        The folder, as `remove_library` wants it; "": the user has an entry of it, which stays.
    """
    own = next((entry for entry in entries() if same_folder(entry.path, known)), None)
    if own is not None and any(
        same_folder(entry.path, folder) and entry != own for entry in entries()
    ):
        remove_library(known)  # the user has listed the folder, too
        return ""
    if own is not None and own.path == folder:
        return folder
    with unnoticed():
        if own is not None:
            own.path = folder  # the extension is somewhere else, of another Blender for instance
            return folder
        if any(same_folder(entry.path, folder) for entry in entries()):
            return ""
        made = bpy.context.preferences.filepaths.asset_libraries.new(name=name, directory=folder)
        let_append(made)
    return folder


def let_append(entry: Entry) -> None:
    """Have a library append: linked groups would point into a folder of this machine.

    Packed ones, which later Blenders take by themselves, could not be edited.
    """
    try:
        entry.import_method = "APPEND_REUSE"
    except TypeError:  # which 5.2 has no more for libraries
        entry.import_method = "APPEND"


def remove_library(folder: str) -> None:
    """Take out the first entry of a folder; "", or one that has gone: nothing is done."""
    for entry in entries():
        if same_folder(entry.path, folder):
            with unnoticed():
                bpy.context.preferences.filepaths.asset_libraries.remove(entry)
            return
