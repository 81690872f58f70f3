# SPDX-License-Identifier: Apache-2.0
"""Bounds of time in tests: what is promised of an idle machine, and what a shared one is given."""

from __future__ import annotations

import os

SHARED = 5.0
"""How much longer the same work may take where continuous integration runs it: two suites beside
each other, on machines of which nobody knows what else they do."""


def at_most(seconds: float) -> float:
    """Return how long something may take here of which so many seconds are promised."""
    return seconds * (SHARED if os.environ.get("CI") else 1.0)
