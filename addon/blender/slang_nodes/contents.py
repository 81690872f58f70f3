# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether sources are what trees were made from; the engine stays unloaded."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ...core.slang_nodes.sources import SourceKey, templates_folder
from .own_templates import own_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDERS = {"template": templates_folder, "library": own_folder}
"""Kinds of sources that are named below a folder."""


def in_folder(name: str) -> Path | None:
    """Return where a file is that is named below a folder, ``template:a/b.slang``; or ``None``."""
    kind, _, rest = name.partition(":")
    return FOLDERS[kind]() / rest if kind in FOLDERS else None


def kept_path(path: Path) -> str:
    """Return a path as the file keeps it: relative to it where that is possible."""
    full = str(path.absolute())
    if not bpy.data.filepath:
        return full
    try:
        return str(bpy.path.relpath(full)).replace("\\", "/")
    except ValueError:  # another drive
        return full


def kept_file(path: Path) -> str:
    """Return a path of an imported file as a tree keeps it: the same on every machine."""
    for kind, folder in FOLDERS.items():
        if path.is_relative_to(folder()):
            return f"{kind}:{path.relative_to(folder()).as_posix()}"
    return kept_path(path)


def resolved(file: str) -> Path:
    """Return where a file is that `kept_file` named."""
    return in_folder(file) or Path(bpy.path.abspath(file))


def state_of(key: SourceKey, files: Iterable[str]) -> tuple[object, ...]:
    """Return something that differs whenever a source may have changed; cheap.

    Args:
        key: Of the source.
        files: That it is made of.
    """
    own: tuple[object, ...] = ()
    if key.kind == "text":
        text = bpy.data.texts.get(key.name)
        own = (None if text is None else hash(text.as_string()),)
    elif not files:
        own = (file_state(path_of(key)),)
    return (*own, *(file_state(resolved(file)) for file in files))


def content_of(key: SourceKey, files: Iterable[str]) -> str:
    """Return a hash of the texts of a source and its files: the same on every machine."""
    digest = hashlib.sha256()
    if key.kind == "text":
        text = bpy.data.texts.get(key.name)
        digest.update(b"" if text is None else text.as_string().encode())
    for file in files:
        try:
            digest.update(resolved(file).read_bytes())
        except OSError:
            digest.update(b"gone")
    return digest.hexdigest()[:32]


def path_of(key: SourceKey) -> Path:
    """Return where a source's file is."""
    return in_folder(f"{key}.slang") or Path(bpy.path.abspath(key.name))


def file_state(path: Path) -> object:
    """Return when a file was written and how long it is; ``None``: it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size)


def beginning_of(key: SourceKey) -> str:
    """Return the first lines of a source; "" where it is gone."""
    if key.kind == "text":
        text = bpy.data.texts.get(key.name)
        return "" if text is None else "\n".join(line.body for line in text.lines[:4])
    try:
        with path_of(key).open(encoding="utf-8", errors="replace") as file:
            return file.read(400)
    except OSError:
        return ""
