# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a fit will go on."""

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
        share = min(passed / max(before / 4, 1.0), 1.0)
        self._left = before + (expected - before) * share
        return self._left


def seconds_left(draws: int, seconds: float, share: float, time_limit: float | None) -> float:
    """Return how long a fit may go on: fits of numbers end earlier where they converge.

    Args:
        draws: Done so far.
        seconds: That they took.
        share: Of the fit, that they are.
        time_limit: Of the fit, seconds; ``None``: none.
    """
    if draws < 2 or share <= 0:
        return float("inf")
    left = seconds * (1 - share) / share
    return left if time_limit is None else min(left, time_limit - seconds)
