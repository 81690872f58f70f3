# SPDX-License-Identifier: GPL-3.0-or-later
"""How often a window may be drawn again, so that it answers meanwhile."""

from __future__ import annotations

import time

REST_FACTOR = 3.0  # times the last drawing, before the next one
MIN_INTERVAL = 0.1  # seconds between two drawings


class Pacer:
    """Says when new things may be shown: slow windows seldom, quick ones often.

    A tick that comes late after something was shown tells how long drawing it took.
    """

    def __init__(self) -> None:
        """Begin with showing at once."""
        self._shown: float | None = None
        self._due = 0.0

    def has_shown(self) -> None:
        """Note that the window is going to be drawn."""
        self._shown = time.perf_counter()

    def is_due(self) -> bool:
        """Return whether something may be shown. Called with every tick."""
        now = time.perf_counter()
        if self._shown is not None:
            self._due = now + max(MIN_INTERVAL, REST_FACTOR * (now - self._shown))
            self._shown = None
        return now >= self._due
