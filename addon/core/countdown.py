# SPDX-License-Identifier: GPL-3.0-or-later
"""The time left as people see it; how long it is says weft.fit.Fit."""

from __future__ import annotations

import math


class Countdown:
    """A time left that people see: it follows what is expected, but does not jump."""

    def __init__(self) -> None:
        """Begin without a time."""
        self._now = 0.0
        self._left = float("inf")

    def shown(self, now: float, expected: float) -> float:
        """Return what to show.

        Args:
            now: Seconds since the start.
            expected: Seconds left, as it seems now; infinite: not known.
        """
        passed, self._now = now - self._now, now
        if not (math.isfinite(self._left) and math.isfinite(expected)):
            self._left = min(self._left, expected) if math.isinf(expected) else expected
            return self._left
        before = max(self._left - passed, 0.0)
        # Surprises are let in over a quarter of the time that is left.
        fraction = min(passed / max(before / 4, 1.0), 1.0)
        self._left = before + (expected - before) * fraction
        return self._left
