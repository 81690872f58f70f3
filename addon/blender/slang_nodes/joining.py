# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups that came twice: appended materials bring their own copy of every group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..image_nodes import images_of
from ..slang_baked.tree import is_baked
from .animation_paths import correct_curves, note_curves
from .editing import was_edited
from .tags import TEXT, tagged_trees
from .users import is_editable, remove_group

if TYPE_CHECKING:
    from .tags import Tag


def is_alike(one: Tag, other: Tag) -> bool:
    """Return whether links stay where a group of one tag takes the place of the other's."""
    known = {entry.name: entry.identifier for entry in one.inputs + one.outputs}
    return all(known.get(entry.name) == entry.identifier for entry in other.inputs + other.outputs)


def join_equal_groups() -> int:
    """Let nodes share groups that are equal and that nobody edited; return how many went.

    Links stay: groups are joined whose sockets have equal identifiers.
    """
    kept: dict[tuple[str, str, str, str], list[tuple[bpy.types.NodeTree, Tag]]] = {}
    gone: list[tuple[bpy.types.NodeTree, bpy.types.NodeTree]] = []
    for tree, tag in sorted(tagged_trees(), key=lambda entry: entry[0].name):
        if not tag.hash or not is_editable(tree) or was_edited(tree) or is_baked(tree):
            continue
        known = kept.setdefault((tree.bl_idname, tag.hash, tag.form, repr(images_of(tree))), [])
        first = next((other for other, own in known if is_alike(own, tag)), None)
        if first is None:
            known.append((tree, tag))
            continue
        curves = note_curves(tree)
        tree.user_remap(first)
        correct_curves(curves)
        gone.append((tree, first))
    for tree, first in gone:
        text, kept_text = tree.get(TEXT), first.get(TEXT)
        remove_group(tree)
        remove_copy(text, kept_text)
    return len(gone)


def remove_copy(text: bpy.types.Text | None, kept: bpy.types.Text | None) -> None:
    """Remove a text that came with a group, if nothing uses it and another one is equal."""
    if text is None or kept is None or text == kept or text.library is not None:
        return
    is_unused = text.users <= int(text.use_fake_user)
    if is_unused and text.as_string() == kept.as_string():
        bpy.data.texts.remove(text)
