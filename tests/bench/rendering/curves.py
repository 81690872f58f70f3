# SPDX-License-Identifier: Apache-2.0
"""What both systems of the comparison measure alike."""

from __future__ import annotations

import json
import resource
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

FORWARD_SAMPLES, PHOTO_SAMPLES = 64, 1024


class Spent(NamedTuple):
    """Time: on the clock, and of all threads of this process together."""

    seconds: float
    cpu_seconds: float

    @classmethod
    def now(cls) -> Spent:
        """Return the time since some moment in the past."""
        return cls(time.perf_counter(), time.process_time())

    def since(self, began: Spent) -> Spent:
        """Return the time from `began` to here."""
        return Spent(self.seconds - began.seconds, self.cpu_seconds - began.cpu_seconds)


Step = tuple[float, float, float]
"""Seconds and seconds of CPU from the start of a fit, and its error then."""


def stay_time(steps: list[Step], limit: float) -> Spent | None:
    """Return the time after which the error stays below a limit."""
    first = None
    for seconds, cpu_seconds, error in reversed(steps):
        if error > limit:
            break
        first = Spent(seconds, cpu_seconds)
    return first


def shortest(work: Callable[[int], object], rounds: int = 5) -> Spent:
    """Return the time of the fastest of some calls of work(number)."""
    times = []
    for number in range(rounds):
        began = Spent.now()
        work(number)
        times.append(Spent.now().since(began))
    return min(times)


def report(**figures: object) -> None:
    """Print what a case came to, and the peak of this process's memory, as one line."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(figures | {"mebibytes": round(peak)}), flush=True)
