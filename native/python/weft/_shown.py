# SPDX-License-Identifier: Apache-2.0
"""Values as messages quote them."""

from __future__ import annotations

MAX_CHARACTERS = 120
"""Characters that a message quotes."""


def shown(value: object) -> str:
    """Return ``repr(value)``, shortened if it is long."""
    text = repr(value)
    return (
        text
        if len(text) <= MAX_CHARACTERS
        else f"{text[:MAX_CHARACTERS]}... ({len(text)} characters)"
    )
