# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups that came twice: appended materials bring their own copy of every group."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import bpy

from ..image_nodes import images_of
from ..slang_baked.tree import is_baked
from .animation_paths import correct_curves, note_curves
from .assets import plain_name
from .editing import was_edited
from .tags import TEXT, read_tag, tagged_trees
from .users import is_editable, remove_group

if TYPE_CHECKING:
    from .tags import Tag


def is_alike(one: Tag, other: Tag) -> bool:
    """Return whether links stay where a group of one tag takes the place of the other's."""
    known = {entry.name: entry.identifier for entry in one.inputs + one.outputs}
    return all(known.get(entry.name) == entry.identifier for entry in other.inputs + other.outputs)


def chosen_groups(
    context: bpy.types.BlendImportContext, action: str = ""
) -> list[bpy.types.NodeTree]:
    """Return the groups that an import was asked for, and not for the sake of something else.

    Args:
        context: Of the import.
        action: What was done with them, ``MAKE_LOCAL`` for instance; "": anything.
    """
    return [
        item.id
        for item in context.import_items
        if isinstance(item.id, bpy.types.NodeTree)
        and "INDIRECT_USAGE" not in item.import_info
        and action in ("", item.append_action)
    ]


def settle_asset(tree: bpy.types.NodeTree) -> None:
    """Make an asset that was appended a group as others.

    It gets its function's name, as libraries tell kinds of trees apart, and goes with its last
    node, unless it is an asset of this file, too.
    """
    tag = read_tag(tree)
    if tag is None or tag.source.kind not in ("template", "library") or not is_editable(tree):
        return
    name = plain_name(tree.name)
    if name != tree.name and name not in bpy.data.node_groups:
        tree.name = name
    if tree.asset_data is None:
        tree.use_fake_user = False


def open_groups() -> set[int]:
    """Return the trees that editors show, by their addresses."""
    manager = bpy.context.window_manager
    return {
        entry.node_tree.as_pointer()
        for window in (manager.windows if manager is not None else ())
        for area in window.screen.areas
        if area.type == "NODE_EDITOR"
        for entry in area.spaces.active.path
        if entry.node_tree is not None
    }


def join_equal_groups(chosen: Collection[bpy.types.NodeTree] = ()) -> int:
    """Let nodes share groups that are equal and that nobody edited; return how many went.

    Links stay: groups are joined whose sockets have equal identifiers.

    Args:
        chosen: Groups that stay, in place of others: Blender is about to make nodes of them. What
            editors show stays, too: that is where the nodes are made.
    """
    staying = {tree.as_pointer() for tree in chosen}
    staying |= open_groups() if staying else set()
    kept: dict[tuple[str, str, str, str], list[tuple[bpy.types.NodeTree, Tag]]] = {}
    gone: list[tuple[bpy.types.NodeTree, bpy.types.NodeTree]] = []
    found = sorted(
        tagged_trees(), key=lambda own: (own[0].as_pointer() not in staying, own[0].name)
    )
    for tree, tag in found:
        if not _may_be_joined(tree, tag):
            continue
        known = kept.setdefault((tree.bl_idname, tag.hash, tag.form, repr(images_of(tree))), [])
        first = next((other for other, own in known if is_alike(own, tag)), None)
        if first is None or tree.as_pointer() in staying:
            known.append((tree, tag))
            continue
        curves = note_curves(tree)
        tree.user_remap(first)
        correct_curves(curves)
        gone.append((tree, first))
    for tree, first in gone:
        _remove(tree, first, is_name_kept=first.as_pointer() in staying)
    return len(gone)


def _may_be_joined(tree: bpy.types.NodeTree, tag: Tag) -> bool:
    if not tag.hash or not is_editable(tree):
        return False
    return not was_edited(tree) and not is_baked(tree)


def _remove(tree: bpy.types.NodeTree, kept: bpy.types.NodeTree, *, is_name_kept: bool) -> None:
    """Remove a group, and its text if that is a copy of what the group that stays has."""
    text, kept_text, name = tree.get(TEXT), kept.get(TEXT), tree.name
    remove_group(tree)
    remove_copy(text, kept_text)
    if is_name_kept:
        kept.name = name  # the one by which people know it


def remove_copy(text: bpy.types.Text | None, kept: bpy.types.Text | None) -> None:
    """Remove a text that came with a group, if nothing uses it and another one is equal."""
    if text is None or kept is None or text == kept or text.library is not None:
        return
    is_unused = text.users <= int(text.use_fake_user)
    if is_unused and text.as_string() == kept.as_string():
        bpy.data.texts.remove(text)
