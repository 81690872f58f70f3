# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose functions run without being asked: a node of another person's file waits for Bake.

Nodes and OSL are computed by Blender; a baked function is a program on the device, with the rights
of the user (docs/security.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weft.scene import SlangCall
from weft.scene.trust import Code, is_own, remember

if TYPE_CHECKING:
    from ...core.slang_nodes.preparing import Prepared

REFUSAL = (
    "its function has not run on this machine before: read it, and press Bake if you trust who "
    "wrote it"
)


def is_trusted(prepared: Prepared) -> bool:
    """Return whether a function is Weft's, or this user has let it run before."""
    if prepared.request.source.key.kind == "template":
        return True
    return is_own(Code("bake", _text_of(prepared)))


def trust(prepared: Prepared) -> None:
    """Remember that this user lets a function run."""
    if prepared.request.source.key.kind != "template":
        remember([SlangCall("bake", _text_of(prepared))])


def _text_of(prepared: Prepared) -> str:
    """Return all that a function is made of: its text, and the files that it imports."""
    parts = [prepared.request.source.text or ""]
    parts += [Path(file).read_text("utf-8", errors="replace") for file in prepared.files]
    return "\n".join(parts) or "\n"
