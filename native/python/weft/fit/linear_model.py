# SPDX-License-Identifier: Apache-2.0
"""What Gauss-Newton works on: a model with noise, its linearisation averaged, and places seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from weft.fit.information import Half, Information
from weft.fit.starts import is_certain

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIGNIFICANT_DEVIATIONS = 3.0  # multiple of what noise alone would do


class Model(Protocol):
    """What the method fits."""

    def draw(self, x: NDArray[np.float64]) -> None:
        """Draw new samples at parameters `x`."""

    def linearise(self, x: NDArray[np.float64]) -> tuple[Half, Half]:
        """Return both halves of the last draw for parameters `x`."""

    def residuals(
        self, x: NDArray[np.float64]
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the residuals of linearise() only."""


@dataclass
class Average:
    """The linear model r(x) = offset + J (x - origin), averaged over draws."""

    origin: NDArray[np.float64]
    a: Half
    b: Half
    count: int = 0

    def add(self, x: NDArray[np.float64], a: Half, b: Half) -> None:
        """Add a linearisation at `x`."""
        self.count += 1
        for mean, new in ((self.a, a), (self.b, b)):
            offset = new.residual - new.jacobian @ (x - self.origin)
            mean.residual += (offset - mean.residual) / self.count
            mean.jacobian += (new.jacobian - mean.jacobian) / self.count

    def at(self, x: NDArray[np.float64]) -> tuple[Half, Half]:
        """Return the model's residuals and derivatives at `x`."""
        step = x - self.origin
        halves = [
            Half(half.residual + half.jacobian @ step, half.jacobian) for half in (self.a, self.b)
        ]
        return halves[0], halves[1]


def differ(expected: tuple[Half, Half], found: tuple[Half, Half]) -> bool:
    """Return whether residuals differ from what a linear model expects by more than noise."""
    return is_certain(
        (found[0].residual - expected[0].residual) * (found[1].residual - expected[1].residual)
    )


def empty_halves(a: Half, b: Half) -> tuple[Half, Half]:
    """Return halves of the same shape, all zero."""
    return (
        Half(np.zeros_like(a.residual), np.zeros_like(a.jacobian)),
        Half(np.zeros_like(b.residual), np.zeros_like(b.jacobian)),
    )


@dataclass(frozen=True)
class Seen:
    """A place on the descent, and its loss as one iteration has shown it.

    Args:
        x: Parameters.
        loss: r_A' r_B over the number of residuals.
        deviation: Standard deviation of the loss by noise.
    """

    x: NDArray[np.float64]
    loss: float
    deviation: float

    def is_below(self, loss: float, deviation: float) -> bool:
        """Return whether another loss is larger than this one by more than noise."""
        return loss - self.loss > SIGNIFICANT_DEVIATIONS * float(
            np.hypot(deviation, self.deviation)
        )


@dataclass
class State:
    """Where a fit is.

    Args:
        x: Parameters.
        errors: Standard errors; infinite while there are none.
        loss: r_A' r_B over the number of residuals.
        draws: So far.
        is_averaging: The steps are over, the linear model is being averaged.
        is_done: The largest standard error is below the tolerance.
        information: What the averaged draws say; ``None`` before.
    """

    x: NDArray[np.float64]
    errors: NDArray[np.float64]
    loss: float = float("inf")
    draws: int = 0
    is_averaging: bool = False
    is_done: bool = False
    information: Information | None = None
