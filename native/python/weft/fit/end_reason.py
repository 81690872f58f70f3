# SPDX-License-Identifier: Apache-2.0
"""Why a fit has ended."""

from __future__ import annotations

from weft.fit.aliases import warn_renamed

RENAMED = {"draws": "iterations"}
"""Words by those of the release before."""


class EndReason(str):
    """Why a fit has ended: a word, which equals what it was called in the release before.

    Args:
        word: ``converged``, ``iterations``, ``time``, ``cancelled`` or ``running``.
    """

    def __new__(cls, word: str) -> EndReason:
        """Take the word of today; that of the release before warns."""
        if type(word) is str and word in RENAMED:
            warn_renamed("FitResult.reason", word, RENAMED[word], stacklevel=4)
            word = RENAMED[word]
        return super().__new__(cls, word)

    def __eq__(self, other: object) -> bool:
        """Return whether it is the word; that of the release before is, and warns."""
        if isinstance(other, str) and RENAMED.get(other) == str.__str__(self):
            warn_renamed("FitResult.reason", str.__str__(other), RENAMED[other])
            return True
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Return the opposite of ==."""
        return not self == other

    __hash__ = str.__hash__
