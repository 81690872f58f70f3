# SPDX-License-Identifier: Apache-2.0
"""NormalEquations equations of scalars, averaged over iterations whose textures were eliminated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft._native import exact_equations

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft._native import NormalEquations


@dataclass
class Equations:
    """Reduced normal equations M x = b, averaged over draws at different places.

    Args:
        matrix: M, shape ``(numbers, numbers)``.
        pull: b = M_k x_k - g_k of each draw, shape ``(numbers,)``.
        count: Of draws.
    """

    matrix: NDArray[np.float64]
    pull: NDArray[np.float64]
    count: int = 0

    @staticmethod
    def none(numbers: int) -> Equations:
        """Return equations that say nothing."""
        return Equations(np.zeros((numbers, numbers)), np.zeros(numbers))

    def add(
        self,
        x: NDArray[np.float64],
        matrix: NDArray[np.float64],
        gradient: NDArray[np.float64],
        most: int,
    ) -> None:
        """Add those of a draw at `x`, as one of at most `most` that count."""
        self.count = min(self.count + 1, most)
        share = 1 / self.count
        self.matrix += share * (matrix - self.matrix)
        self.pull += share * (matrix @ x - gradient - self.pull)

    def at(self, x: NDArray[np.float64]) -> NormalEquations:
        """Return them for steps from `x`."""
        return exact_equations(self.matrix, self.matrix @ x - self.pull, 0.0)
