# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose functions the engine runs by itself: Weft's, this user's, and what the user lets run.

Nodes and OSL are computed by Blender; a function that is evaluated or baked is a program on the
device, with the rights of the user. The folder of weft.scene.trust keeps what the user has made or
let run, and docs/security.md says what that promises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.scene.trust import Code, is_own, keep

from .sources import texts_of

if TYPE_CHECKING:
    from .preparing import Prepared


def is_trusted(prepared: Prepared) -> bool:
    """Return whether a function is Weft's, or this user has made it or let it run before."""
    return _is_shipped(prepared) or is_own(_code_of(prepared))


def trust(prepared: Prepared) -> None:
    """Remember that this user lets a function run."""
    if not _is_shipped(prepared):
        keep([_code_of(prepared)])


def _is_shipped(prepared: Prepared) -> bool:
    return bool(prepared.request.source.key.kind == "template")


def _code_of(prepared: Prepared) -> Code:
    """Return what has to be equal to be the same: a source with all that it imports."""
    texts = texts_of(prepared.request.source, prepared.files)
    return Code(prepared.request.function, "\n".join(texts) or "\n")
