# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources as the open file has them."""

from __future__ import annotations

import os
from pathlib import Path

import bpy

from weft import ArgumentError

from ...core.slang_nodes.sources import KINDS, Source, SourceKey, parse_key, templates_folder
from .contents import kept_path, path_of


def key_of(source: str | os.PathLike[str] | SourceKey | bpy.types.Text) -> SourceKey:
    """Return the name of a source.

    Args:
        source: A text block or its name, the path of a ``.slang`` file, or ``"text:..."``,
            ``"file:..."``, ``"template:..."``. A name that is both a text block's and a file's is
            the text block's.

    Raises:
        ArgumentError: It names nothing that is there.
    """
    if isinstance(source, SourceKey):
        return source
    if isinstance(source, bpy.types.Text):
        return SourceKey("text", source.name)
    spelled = os.fspath(source)
    if spelled.partition(":")[0] in KINDS and spelled.partition(":")[1]:
        return parse_key(spelled)
    if spelled in bpy.data.texts:
        return SourceKey("text", spelled)
    path = Path(bpy.path.abspath(spelled))
    if not path.is_file() and path.with_suffix(".slang").is_file():
        path = path.with_suffix(".slang")
    if path.is_file():
        return SourceKey("file", kept_path(path))
    template = templates_folder() / f"{spelled}.slang"
    if template.is_file():
        return SourceKey("template", spelled)
    message = f"Slang node: there is no text block and no file '{spelled}'"
    raise ArgumentError(message)


def source_of(key: SourceKey) -> Source:
    """Return a source as it is compiled.

    Raises:
        ArgumentError: The text block or the file is not there.
    """
    if key.kind == "text":
        text = bpy.data.texts.get(key.name)
        if text is None:
            message = f"Slang node: the text block '{key.name}' is gone; choose another source"
            raise ArgumentError(message)
        return Source(key, None, text.as_string(), _folders(text))
    path = path_of(key)
    if not path.is_file():
        message = f"Slang node: the file '{path}' is gone; choose where it is now (Relocate)"
        raise ArgumentError(message)
    return Source(key, path)


def _folders(text: bpy.types.Text) -> tuple[Path, ...]:
    """Return where imports of a text block are looked for: beside its file, beside the scene's."""
    files = (bpy.path.abspath(text.filepath) if text.filepath else "", bpy.data.filepath)
    return tuple(dict.fromkeys(Path(file).parent for file in files if file))
