# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether there is anything to bake; the engine stays unloaded until there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..session import find_session
from .tree import MARK, is_baked

if TYPE_CHECKING:
    from .baking import Bakery


def has_baked_groups() -> bool:
    """Return whether the open file has baked groups."""
    return any(is_baked(group) for group in bpy.data.node_groups)


def has_baked_data() -> bool:
    """Return whether it has baked groups, or meshes with attributes of some that are gone."""
    return has_baked_groups() or any(MARK in mesh for mesh in bpy.data.meshes)


def find_bakery() -> Bakery | None:
    """Return what bakes; ``None``: nothing was, or the extension is not registered."""
    session = find_session()
    return None if session is None else session.slang_bakes
