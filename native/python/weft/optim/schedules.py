# SPDX-License-Identifier: Apache-2.0
"""Learning rates that change with the step.

A schedule is any callable that takes the number of the step, 0 for the first, and returns the rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from weft._native import ArgumentError
from weft.optim.parameters import read_number

__all__ = ["Schedule", "constant_rate", "cosine_rate", "exponential_rate", "step_rate"]

Schedule: TypeAlias = "Callable[[int], float]"


def constant_rate(rate: float) -> Schedule:
    """Return a schedule that gives `rate`, greater than 0, at every step."""
    rate = _read(constant_rate, "rate", rate)
    return lambda step: rate


def step_rate(rate: float, every: int, factor: float = 0.1) -> Schedule:
    """Return a schedule that multiplies the rate by `factor` after each `every` steps.

    Args:
        rate: Of the first step; 0 or greater.
        every: Steps between two changes; 1 or greater.
        factor: Usually in (0, 1).

    Raises:
        ArgumentError: A number is out of its range.
    """
    rate, factor = _read(step_rate, "rate", rate), _read(step_rate, "factor", factor)
    every = _count(step_rate, "every", every, 1)
    return lambda step: rate * factor ** (step // every)


def exponential_rate(rate: float, factor: float) -> Schedule:
    """Return a schedule that multiplies the rate by `factor` after each step.

    Args:
        rate: Of the first step; 0 or greater.
        factor: Usually a little below 1.

    Raises:
        ArgumentError: A number is negative.
    """
    rate = _read(exponential_rate, "rate", rate)
    factor = _read(exponential_rate, "factor", factor)
    return lambda step: rate * factor**step


def cosine_rate(rate: float, steps: int, *, warm_up: int = 0, final: float = 0.0) -> Schedule:
    """Return a schedule that grows linearly, then falls along half a cosine.

    Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", ICLR 2017,
    equation 5, without restarts.

    Args:
        rate: The highest rate; 0 or greater. It is reached after the warm-up.
        steps: Steps until `final` is reached, warm-up included; it stays from there.
        warm_up: Steps of linear growth: rate/warm_up, 2 rate/warm_up, ..., rate.
        final: The last rate; 0 or greater.

    Raises:
        ArgumentError: A number is out of its range, or `steps` is not greater than `warm_up`.
    """
    rate, final = _read(cosine_rate, "rate", rate), _read(cosine_rate, "final", final)
    warm_up = _count(cosine_rate, "warm_up", warm_up, 0)
    steps = _count(cosine_rate, "steps", steps, 1)
    if steps <= warm_up:
        raise ArgumentError(
            f"cosine_rate: steps must be greater than warm_up, got {steps} and {warm_up}; "
            "steps counts the warm-up too"
        )

    def schedule(step: int) -> float:
        if step < warm_up:
            return rate * (step + 1) / warm_up
        done = min((step - warm_up) / (steps - warm_up), 1.0)
        return final + (rate - final) * 0.5 * (1.0 + math.cos(math.pi * done))

    return schedule


def _read(function: Callable[..., Schedule], what: str, value: float) -> float:
    return read_number(function.__name__, what, value, 0.0, "pass for example 0.01")


def _count(function: Callable[..., Schedule], what: str, value: int, lowest: int) -> int:
    number = read_number(function.__name__, what, value, lowest, "pass a whole number")
    if number != int(value):
        raise ArgumentError(
            f"{function.__name__}: {what} must be a whole number of steps, got {number:g}"
        )
    return int(value)
