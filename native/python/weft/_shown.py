# SPDX-License-Identifier: Apache-2.0
"""Values as messages quote them."""

from __future__ import annotations

LONGEST = 120
"""Characters that a message quotes."""


def shown(value: object) -> str:
    """Return ``repr(value)``, shortened if it is long."""
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"
