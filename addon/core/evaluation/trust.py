# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose functions run by themselves: this user's, and those of files that the user trusts.

A function that the engine evaluates is a program. The folder of weft.scene.trust keeps what the
user has made or let run, and docs/security.md says what that promises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._replacing import replacing
from weft.scene.trust import Code, is_own, trust_folder

from ..slang_nodes.sources import texts_of

if TYPE_CHECKING:
    from ..slang_nodes.sources import Source


def code_of(source: Source, files: tuple[str, ...]) -> Code:
    """Return what has to be equal to be the same: a source with all that it imports.

    Args:
        source: Of the function.
        files: That it is made of.
    """
    return Code("evaluate", "\n".join(texts_of(source, files)))


def is_vouched(code: Code) -> bool:
    """Return whether this user has made it, or let it run before."""
    return is_own(code)


def vouch(code: Code) -> None:
    """Keep it as this user's own; where the folder cannot be written nothing is kept."""
    folder = trust_folder()
    if folder is None or is_own(code):
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(folder / f"{code.digest}.slang") as temporary:
            temporary.write_bytes(code.text.encode())
    except OSError:
        return
