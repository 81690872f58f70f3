# SPDX-License-Identifier: Apache-2.0
"""Display transforms of targets: from scene light to the numbers of a picture, and back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.fit.aliases import with_aliases

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEWTON_STEPS = 30
LONGEST_STEP = 0.1
"""Of Newton's method, in units of the table's extent."""

CLOSE = 2e-3
"""Display values that differ by less are the same: half a step of 8 bits."""

CLIP_MARGIN = 0.02
"""Display values this near to the smallest or largest that there are say nothing."""

CHUNK = 1 << 18  # pixels that are inverted at once


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
        if len(table) < 2 or not np.isfinite(table).all():
            raise ArgumentError(
                "DisplayTransform: table must have 2 entries an axis or more, all finite"
            )
        if not 0 < self.toe < self.high < np.inf:
            raise ArgumentError(
                f"DisplayTransform: 0 < toe < high must hold, got toe {self.toe} and high "
                f"{self.high}"
            )
        self.table = table

    @staticmethod
    def axis(count: int, high: float = 64.0, toe: float = 1 / 256) -> NDArray[np.float64]:
        """Return the light at the entries of an axis, shape ``(count,)``, from 0 to `high`."""
        return np.asarray(toe * np.expm1(np.linspace(0, 1, count) * np.log1p(high / toe)))

    @cached_property
    def clip(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The smallest and the largest display value of each channel."""
        rows = self.table.reshape(-1, 3)
        return rows.min(axis=0), rows.max(axis=0)

    def apply(self, light: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return display values of linear light, shape ``(..., 3)``; light below 0 counts as 0."""
        rows = np.asarray(light, np.float64).reshape(-1, 3)
        return self._look_up(self._place(rows))[0].reshape(np.shape(light)).astype(np.float32)

    def derivative(self, light: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return how display values change with light, shape ``(..., 3, 3)``.

        Row i, column j is the derivative of display channel i with respect to light channel j; of
        the tetrahedron that the light lies in, with the exact derivative of the axis.
        """
        rows = np.asarray(light, np.float64).reshape(-1, 3)
        derivatives = self._look_up(self._place(rows))[1] * self._axis_derivative(rows)[:, None, :]
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
        rows = np.asarray(picture, np.float64).reshape(-1, 3)
        parts = [self._invert(rows[k : k + CHUNK]) for k in range(0, len(rows), CHUNK)]
        light = np.concatenate([part[0] for part in parts])
        found = np.concatenate([part[1] for part in parts])
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
        low, high = self.clip
        inside = (picture > low + CLIP_MARGIN) & (picture < high - CLIP_MARGIN)
        return np.asarray(inside.all(axis=-1))

    def _place(self, light: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coordinates of light, in [0, 1]."""
        steps = np.log1p(np.clip(light, 0, self.high) / self.toe)
        return np.asarray(steps / np.log1p(self.high / self.toe))

    def _light(self, place: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the light at coordinates."""
        return np.asarray(self.toe * np.expm1(place * np.log1p(self.high / self.toe)))

    def _axis_derivative(self, light: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how coordinates change with light: 0 outside of the table."""
        inside = (light >= 0) & (light <= self.high)
        derivative = 1 / (
            (np.clip(light, 0, self.high) + self.toe) * np.log1p(self.high / self.toe)
        )
        return np.where(inside, derivative, 0)

    def _look_up(
        self, place: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return display values and their derivatives with respect to coordinates."""
        cells = len(self.table) - 1
        scaled = place * cells
        corner = np.minimum(scaled.astype(np.int64), cells - 1)
        rest = scaled - corner
        order = np.argsort(-rest, axis=1)
        rows = np.arange(len(place))
        value = self._entry(corner)
        total = value.copy()
        derivatives = np.empty((len(place), 3, 3))
        for step in range(3):
            axis = order[:, step]
            corner[rows, axis] += 1
            following = self._entry(corner)
            change = following - value
            total += change * rest[rows, axis][:, None]
            derivatives[rows, :, axis] = change * cells
            value = following
        return total, derivatives

    def _entry(self, corner: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.table[corner[:, 0], corner[:, 1], corner[:, 2]].astype(np.float64)

    def _invert(
        self, picture: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the light of one chunk of pixels, and which were found."""
        place = self._first_guess(picture)
        best, least = place.copy(), np.full(len(place), np.inf)
        active = np.arange(len(place))
        for _ in range(NEWTON_STEPS):
            value, derivatives = self._look_up(place[active])
            missing = picture[active] - value
            error = np.abs(missing).max(axis=1)
            better = error < least[active]
            best[active[better]], least[active[better]] = place[active[better]], error[better]
            going = error > 0.01 * CLOSE
            active, missing, derivatives = active[going], missing[going], derivatives[going]
            if not len(active):
                break
            # A little damping carries the steps across cells that are flat along one direction.
            normal = np.einsum("nij,nik->njk", derivatives, derivatives) + 1e-6 * np.eye(3)
            along = np.einsum("nij,ni->nj", derivatives, missing)
            step = np.linalg.solve(normal, along[..., None])[..., 0]
            length = np.abs(step).max(axis=1, keepdims=True)
            step *= np.minimum(1, LONGEST_STEP / np.maximum(length, 1e-30))
            place[active] = np.clip(place[active] + step, 0, 1)
        return self._light(best), least <= CLOSE

    def _first_guess(self, picture: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return coordinates of greys that show the values, channel by channel."""
        steps = np.arange(len(self.table))
        greys = np.maximum.accumulate(self.table[steps, steps, steps].astype(np.float64), axis=0)
        places = steps / steps[-1]
        columns = [np.interp(picture[:, c], greys[:, c], places) for c in range(3)]
        return np.stack(columns, axis=1)
