# SPDX-License-Identifier: GPL-3.0-or-later
"""A baked group whose settings ask for other lookups."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..slang_nodes.tags import body_hash, read_tag, write_tag
from ..slang_nodes.users import is_editable
from .leaving import held_by, let_go_of
from .record import Record, write_record
from .tree import is_baked, show

if TYPE_CHECKING:
    import bpy


def switch(group: bpy.types.NodeTree) -> None:
    """Make the lookups of a group what its settings ask for; what was baked before goes."""
    if not is_baked(group) or not is_editable(group):
        return
    held = held_by(group)
    show(group)
    let_go_of(group, held, stays=True)
    write_record(group, Record())
    tag = read_tag(group)
    if tag is not None:
        write_tag(group, replace(tag, body=body_hash(group)))
