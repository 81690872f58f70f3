# SPDX-License-Identifier: Apache-2.0
"""Display transforms of targets: from scene light to the numbers of a picture, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft import _native
from weft._native import ArgumentError
from weft.fit.aliases import with_aliases

if TYPE_CHECKING:
    from numpy.typing import NDArray


@with_aliases({"tells": "is_invertible"})
@dataclass(eq=False)
class DisplayTransform:
    """What a display shows of scene light: a table with three axes.

    Between its entries the transform is linear in each of six tetrahedra of a cell (Kasson, Nin,
    Plouffe, Hafner 1995), so that greys stay exact. Along each axis coordinates are those of
    `axis()`: nearly linear below `toe`, logarithmic above.

    Args:
        table: Display values, shape ``(n, n, n, 3)``, axes red, green, blue; of light from 0 to
            `high`.
        high: Light at the last entry, linear; more shows the same.
        toe: Light where steps begin to grow, linear.

    Raises:
        ArgumentError: The table has another shape or is not finite, or a number is not positive.
    """

    table: NDArray[np.float32]
    high: float = 64.0
    toe: float = 1 / 256

    def __post_init__(self) -> None:
        """Check table and numbers."""
        table = np.ascontiguousarray(self.table, np.float32)
        if table.ndim != 4 or table.shape[3] != 3 or len(set(table.shape[:3])) != 1:
            raise ArgumentError(
                f"DisplayTransform: table must have shape (n, n, n, 3), got {table.shape}"
            )
        self.table = table
        self._transform = _native.DisplayTransform(table, self.high, self.toe)

    @staticmethod
    def axis(count: int, high: float = 64.0, toe: float = 1 / 256) -> NDArray[np.float64]:
        """Return the light at the entries of an axis, shape ``(count,)``, from 0 to `high`."""
        return _native.DisplayTransform.light_at(count, high, toe)

    @property
    def clip(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The smallest and the largest display value of each channel."""
        return self._transform.clip

    def apply(self, light: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return display values of linear light, shape ``(..., 3)``; light below 0 counts as 0."""
        values = self._transform.apply(_pixels(light))
        return values.reshape(np.shape(light)).astype(np.float32)

    def derivative(self, light: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return how display values change with light, shape ``(..., 3, 3)``.

        Row i, column j is the derivative of display channel i with respect to light channel j; of
        the tetrahedron that the light lies in, with the exact derivative of the axis.
        """
        derivatives = self._transform.derivative(_pixels(light))
        return derivatives.reshape(*np.shape(light), 3).astype(np.float32)

    def invert(
        self, picture: NDArray[np.floating]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the light that shows display values, by Newton's method.

        Args:
            picture: Display values, shape ``(..., 3)``.

        Returns:
            The light, the shape of `picture`, and which pixels some light shows to within 0.002;
            others are outside of what the display transform gives.
        """
        light, found = self._transform.invert(_pixels(picture))
        shape = np.shape(picture)
        return light.reshape(shape).astype(np.float32), found.reshape(shape[:-1])

    def is_invertible(self, picture: NDArray[np.floating]) -> NDArray[np.bool_]:
        """Return where a picture tells the light that it shows.

        Args:
            picture: Display values in [0, 1], shape ``(..., 3)``.

        Returns:
            One flag a pixel, shape ``(...)``: all three channels are farther than 2 % from the
            smallest and the largest value that the display shows.
        """
        return self._transform.is_invertible(_pixels(picture)).reshape(np.shape(picture)[:-1])


def _pixels(numbers: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return pixels as rows of three numbers."""
    return np.asarray(numbers, np.float64).reshape(-1, 3)
