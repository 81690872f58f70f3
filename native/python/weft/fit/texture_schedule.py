# SPDX-License-Identifier: Apache-2.0
"""How the iterations of a fit move textures: coarse structure first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

MOMENTUM = 0.5  # of steps while coarse structure comes first; later it would raise noise
COARSE_FRACTION = 0.4  # of the iterations: few samples, large steps
STILL_FALLING = 0.2  # of the loss, from one quarter of the iterations to the next
LEAST_FALL = 0.02  # of the noise of an iteration


@dataclass(frozen=True)
class StepSchedule:
    """How one of the iterations of a fit moves textures.

    Args:
        blur: Radius, texels, over which steps are averaged: coarse structure first.
        rate: Share of the full step, in (0, 1].
        momentum: Share of the step before that goes on (Polyak 1964).
        samples: Paths a pixel in each sample set.
        average: Results are averaged.
    """

    blur: int
    rate: float
    momentum: float
    samples: int
    average: bool


def texture_schedule(iteration: int, iterations: int, samples: int) -> StepSchedule:
    """Return how one of the iterations of a fit moves textures.

    Coarse structure comes first, from few samples: its errors are larger than the noise.

    Args:
        iteration: Its number.
        iterations: Of the fit.
        samples: Of the iterations that count most.
    """
    done = iteration / iterations
    blur = round(6 * max(1 - 2 * done, 0))
    if done < COARSE_FRACTION:
        return StepSchedule(blur, 0.7, MOMENTUM, max(samples // 2, 1), average=False)
    return StepSchedule(blur, 0.35, 0.0, samples, average=done >= 0.5)


def has_settled(losses: Sequence[float], noise: float) -> bool:
    """Return whether the loss of the last quarter of the draws is not below the quarter before.

    Differences that two standard errors explain, of less than a fifth, or small beside the noise of
    a draw, do not count.

    Args:
        losses: Of the draws.
        noise: Variance of the mean residual of a draw, by that draw.
    """
    quarter = len(losses) // 4
    if quarter < 2:
        return True
    last, before = np.array(losses[-quarter:]), np.array(losses[-2 * quarter : -quarter])
    fall = before.mean() - last.mean()
    error = np.hypot(before.std(ddof=1), last.std(ddof=1)) / np.sqrt(quarter)
    least = max(2 * error, STILL_FALLING * before.mean(), LEAST_FALL * noise)
    return not fall > least
