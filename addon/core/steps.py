# SPDX-License-Identifier: GPL-3.0-or-later
"""Work in Blender's main thread that is cut into steps, so that windows go on being drawn."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Generic, TypeVar

Value = TypeVar("Value")
Steps = Generator[None, None, Value]
"""A generator that yields between steps and returns a value."""


def last_value(steps: Steps[Value]) -> Value:
    """Take all steps at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]  # StopIteration is not generic


class Stepper(Generic[Value]):
    """Takes steps for a while at a time.

    Args:
        steps: Which.
    """

    def __init__(self, steps: Steps[Value]) -> None:
        """Begin before the first step."""
        self._steps = steps
        self.is_done = False
        self.value: Value | None = None

    def advance(self, seconds: float) -> bool:
        """Take steps until so many seconds are over; return whether there is none left.

        Raises:
            Exception: What a step raised; no further one is taken then.
        """
        end = time.perf_counter() + seconds
        while not self.is_done:
            try:
                next(self._steps)
            except StopIteration as last:
                self.is_done, self.value = True, last.value
            if time.perf_counter() >= end:
                break
        return self.is_done

    def close(self) -> None:
        """Take no further step."""
        self._steps.close()
        self.is_done = True
