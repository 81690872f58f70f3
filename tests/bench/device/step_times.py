# SPDX-License-Identifier: Apache-2.0
"""Times of steps on a GPU, for scripts of this folder."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def best_seconds(
    step: Callable[[], Any], wait: Callable[[], Any], rounds: int = 4, limit: float = 0.04
) -> float:
    """Return the best mean time of a step: rounds of 2 to 20 steps, about `limit` seconds each."""
    step()
    wait()
    times = []
    repeats = 1
    for _ in range(rounds + 1):
        start = time.perf_counter()
        for _ in range(repeats):
            step()
        wait()
        times.append((time.perf_counter() - start) / repeats)
        repeats = min(max(int(limit / times[0]), 2), 20)
    return min(times[1:])
