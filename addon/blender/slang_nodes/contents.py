# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether sources are what trees were made from; the engine stays unloaded."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ...core.slang_nodes.sources import SourceKey, templates_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

TEMPLATE = "template:"


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
    try:
        return TEMPLATE + path.relative_to(templates_folder()).as_posix()
    except ValueError:
        return kept_path(path)


def resolved(file: str) -> Path:
    """Return where a file is that `kept_file` named."""
    if file.startswith(TEMPLATE):
        return templates_folder() / file.removeprefix(TEMPLATE)
    return Path(bpy.path.abspath(file))


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
    if key.kind == "template":
        return templates_folder() / f"{key.name}.slang"
    return Path(bpy.path.abspath(key.name))


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
