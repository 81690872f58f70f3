# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of sources that changed: compiled in a thread, built in small steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy

from weft import Error

from ...core.slang_nodes.preparing import Prepared, Request, prepare, read_source
from .build import update_group
from .editing import was_edited
from .marks import confirm, note_error
from .nodes import request_of
from .tags import PROPERTY, Tag, tagged_trees
from .users import is_editable

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable

    from weft.lowering import SourceInfo

    from ...core.slang_nodes.sources import SourceKey
    from ...core.steps import Steps

EDITED = "its nodes were edited by hand: Rebuild loses that, Unpack keeps it and follows no source"


@dataclass(frozen=True)
class Work:
    """A tree to be made again. Names, not pointers: undo makes other objects of both.

    Args:
        tree: Its name.
        request: What it asks for.
        hash: Of what it is now.
    """

    tree: str
    request: Request
    hash: str


Outcome = list[tuple[Work, Prepared | str]]
"""What a tree shall be, or why it cannot be made."""


def work_of(keys: Iterable[SourceKey]) -> list[Work]:
    """Return the trees that are made from sources; those that cannot be made are marked."""
    wanted = set(keys)
    found = []
    for tree, tag in tagged_trees():
        if tag.source not in wanted or not is_editable(tree):
            continue
        if was_edited(tree):
            note_error(tree, EDITED)
            continue
        try:
            found.append(work_for(tree, tag))
        except Error as error:
            note_error(tree, str(error))
    return found


def work_for(tree: bpy.types.NodeTree, tag: Tag) -> Work:
    """Return the work that a tree is."""
    return Work(tree.name, request_of(tree, tag), tag.hash)


def prepare_all(work: list[Work], cancelled: threading.Event) -> Outcome:
    """Compile and lower; each source is read once. Needs no Blender."""
    outcome: Outcome = []
    infos: dict[SourceKey, SourceInfo] = {}
    for entry in work:
        if cancelled.is_set():
            return []
        key = entry.request.source.key
        try:
            if key not in infos:
                infos[key] = read_source(entry.request.source)
            outcome.append((entry, prepare(entry.request, infos[key])))
        except Error as error:
            outcome.append((entry, str(error)))
    return outcome


def apply(outcome: Outcome) -> Steps[int]:
    """Change the trees; return how many were."""
    count = 0
    for work, prepared in outcome:
        tree = bpy.data.node_groups.get(work.tree)
        if tree is None or PROPERTY not in tree:
            continue
        if isinstance(prepared, str):
            note_error(tree, prepared)
            continue
        if prepared.hash == work.hash:
            confirm(tree)
            continue
        try:
            yield from update_group(tree, prepared)
            count += 1
        except RuntimeError as error:
            note_error(tree, str(error))
        yield
    return count
