# SPDX-License-Identifier: Apache-2.0
"""What tests of errors ask of a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def assert_in_order(message: str, words: Iterable[str]) -> None:
    """Fail unless the message has all the words, one behind the other."""
    at = 0
    for word in words:
        assert word in message[at:], f"'{word}' is missing in: {message}"
        at = message.index(word, at) + len(word)
