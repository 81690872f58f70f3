# SPDX-License-Identifier: Apache-2.0
"""How the draws of a fit move textures: coarse structure first."""

from __future__ import annotations

from dataclasses import dataclass

MOMENTUM = 0.5  # of steps while coarse structure comes first; later it would raise noise
COARSE_SHARE = 0.4  # of the draws: few samples, large steps


@dataclass(frozen=True)
class Pace:
    """How one of the draws of a fit moves textures.

    Args:
        blur: Radius, texels, over which steps are averaged: coarse structure first.
        rate: Share of the full step, in (0, 1].
        momentum: Share of the step before that goes on (Polyak 1964).
        samples: Paths a pixel in each half.
        average: Results are averaged.
    """

    blur: int
    rate: float
    momentum: float
    samples: int
    average: bool


def texture_pace(draw: int, draws: int, samples: int) -> Pace:
    """Return how one of the draws of a fit moves textures.

    Coarse structure comes first, from few samples: its errors are larger than the noise.

    Args:
        draw: Its number.
        draws: Of the fit.
        samples: Of the draws that count most.
    """
    done = draw / draws
    blur = round(6 * max(1 - 2 * done, 0))
    if done < COARSE_SHARE:
        return Pace(blur, 0.7, MOMENTUM, max(samples // 2, 1), average=False)
    return Pace(blur, 0.35, 0.0, samples, average=done >= 0.5)
