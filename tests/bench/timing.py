# SPDX-License-Identifier: Apache-2.0
"""How one number is taken."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MIN_SAMPLES = 3
MAX_SAMPLES = 1000


def nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Subject:
    """A call that can be timed.

    Attributes:
        run: Enqueues one call.
        finish: Belongs to the timed part, once a batch; waits for the device as a rule.
        settle: Brings the device to rest between two samples, untimed.
    """

    run: Callable[[], object]
    finish: Callable[[], object] = nothing
    settle: Callable[[], object] = nothing


def sample(subject: Subject, batch: int) -> float:
    """Return the seconds a call took, averaged over a batch of calls with one finish."""
    run = subject.run
    start = time.perf_counter()
    for _ in repeat(None, batch):
        run()
    subject.finish()
    elapsed = time.perf_counter() - start
    subject.settle()
    return elapsed / batch


def measure(subject: Subject, batch: int, budget: float) -> tuple[float, int]:
    """Sample for `budget` seconds; return the median, in seconds a call, and the sample count."""
    samples: list[float] = []
    end = time.perf_counter() + budget
    while len(samples) < MIN_SAMPLES or (time.perf_counter() < end and len(samples) < MAX_SAMPLES):
        samples.append(sample(subject, batch))
    return statistics.median(samples), len(samples)
