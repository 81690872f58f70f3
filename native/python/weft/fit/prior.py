# SPDX-License-Identifier: Apache-2.0
"""What is known of parameters before a picture is looked at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.information import Normal


@dataclass(frozen=True)
class Prior:
    """Independent normal distributions of parameters.

    Args:
        expected: Means, shape ``(parameters,)``.
        precision: One over the variance of each; 0: nothing is known.
    """

    expected: NDArray[np.float64]
    precision: NDArray[np.float64]

    @staticmethod
    def none(count: int) -> Prior:
        """Return the prior of parameters of which nothing is known."""
        return Prior(np.zeros(count), np.zeros(count))

    def holding(
        self, held: NDArray[np.bool_], x: NDArray[np.float64], deviation: NDArray[np.float64]
    ) -> Prior:
        """Return the prior that keeps some of the parameters close to a place.

        Args:
            held: Which.
            x: The place.
            deviation: Standard deviation from it.
        """
        return Prior(
            np.where(held, x, self.expected), np.where(held, deviation**-2.0, self.precision)
        )

    def loss(self, x: NDArray[np.float64], variance: float) -> float:
        """Return what it adds to a sum of squared residuals.

        Args:
            x: Parameters.
            variance: Of a residual: what makes residuals and parameters comparable.
        """
        return variance * float(np.sum(self.precision * (x - self.expected) ** 2))

    def add_to(self, normal: Normal, x: NDArray[np.float64], variance: float) -> Normal:
        """Return normal equations that count the prior as further residuals."""
        if not self.precision.any():
            return normal
        return replace(
            normal,
            matrix=normal.matrix + variance * np.diag(self.precision),
            gradient=normal.gradient + variance * self.precision * (x - self.expected),
            loss=normal.loss + self.loss(x, variance),
            spread=normal.spread + variance * self.precision,
        )
