# SPDX-License-Identifier: Apache-2.0
"""What both systems of the comparison measure alike."""

from __future__ import annotations

import json
import resource
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

FORWARD_SAMPLES, PHOTO_SAMPLES = 64, 1024


def stay_time(steps: list[tuple[float, float]], limit: float) -> float | None:
    """Return the time after which the error stays below a limit; steps are (seconds, error)."""
    first = None
    for seconds, error in reversed(steps):
        if error > limit:
            break
        first = seconds
    return first


def shortest(work: Callable[[int], object], rounds: int = 5) -> float:
    """Return the seconds of the fastest of some calls of work(number)."""
    times = []
    for number in range(rounds):
        began = time.perf_counter()
        work(number)
        times.append(time.perf_counter() - began)
    return min(times)


def report(**figures: object) -> None:
    """Print what a case came to, and the peak of this process's memory, as one line."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(figures | {"mebibytes": round(peak)}), flush=True)
