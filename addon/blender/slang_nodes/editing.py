# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups that a person has edited, and groups that are made into plain ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .tags import HASH, PROPERTY, TEXT, body_hash, read_tag

if TYPE_CHECKING:
    import bpy


def was_edited(tree: bpy.types.NodeTree) -> bool:
    """Return whether nodes or links of a Slang node's group are not those that were built."""
    tag = read_tag(tree)
    return tag is not None and bool(tag.body) and tag.body != body_hash(tree)


def unpack(tree: bpy.types.NodeTree) -> None:
    """Make a Slang node's group a plain one, that a person may edit and that follows no source."""
    for name in (PROPERTY, HASH, TEXT):
        if name in tree:
            del tree[name]
