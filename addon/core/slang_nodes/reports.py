# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages of the compiler as people read them."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\b(error|warning|note) \d+: ")


def readable(message: str) -> str:
    """Return a message without the numbers that Slang gives its own.

    >>> readable("'a.slang' does not compile: a.slang:2:7: error 30015: undefined identifier 'b'")
    "'a.slang' does not compile: a.slang:2:7: undefined identifier 'b'"
    """
    return _NUMBER.sub(lambda found: "" if found[1] == "error" else f"{found[1]}: ", message)
