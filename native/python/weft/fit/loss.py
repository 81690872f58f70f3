# SPDX-License-Identifier: Apache-2.0
"""The loss of a fit: one quantity over all its phases, and the noise it has.

Phases draw different pixels and weigh them differently. The loss is the mean over the pixels that
any phase draws, each with its latest residuals:

    L = sum_p t_p sum_c r_A(p, c) r_B(p, c) / (3 N)

r_A and r_B are the residuals (render minus target) of two independent sample sets in units of the
light around, with weights that stay the same over the fit: those of the target, smaller where
renders are noisy if textures are fitted. t_p is what a robust loss leaves of a pixel, N the number
of pixels. The expectation of L is the mean squared residual: noise of renders has no part in it,
noise of the pictures has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft.fit.noise import NoiseMeter
from weft.fit.views import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.views import View

NORMAL_FOURTH_MOMENT = 3.0  # of a standard normal number


def noise_floor_of(noise: float, residuals: int) -> float:
    """Return the standard deviation of a loss by noise alone, of residuals that are all as noisy.

    Args:
        noise: Variance of the mean residual of both sample sets.
        residuals: Their number.
    """
    return 2 * noise / float(np.sqrt(max(residuals, 1) / CHANNELS))


class LossMeter:
    """Keeps the latest products of residuals of each pixel.

    Args:
        views: Of the fit; their weights as they are now are those of the loss.
    """

    def __init__(self, views: Sequence[View]) -> None:
        """Know no pixel."""
        self._views = views
        self._weights = [view.weights.copy() for view in views]
        self._noise = [np.ones(len(view.image), np.float32) for view in views]
        self._is_counted = [np.zeros(len(view.image), bool) for view in views]
        self._products = [np.zeros(len(view.image)) for view in views]
        self._variances = [np.zeros(len(view.image)) for view in views]
        self.is_open = True  # nothing was recorded: the pixels of the first record count

    def begin(self, a: NDArray[np.floating], b: NDArray[np.floating]) -> None:
        """Count the pixels that are selected now, by the noise that their residuals show.

        Args:
            a: Weighted residuals of one sample set, all views one after the other.
            b: Of the other.
        """
        meter = NoiseMeter(self._views)
        meter.add(a, b)
        self._noise = meter.relative_noise()
        self.record(a, b)

    def keep(self, pixels: Sequence[NDArray[np.uint32]]) -> None:
        """Count no pixels but these, one array a view: no later phase draws the others."""
        for counted, kept in zip(self._is_counted, pixels, strict=True):
            is_kept = np.zeros(len(counted), bool)
            is_kept[kept] = True
            counted &= is_kept

    def record(self, a: NDArray[np.floating], b: NDArray[np.floating]) -> None:
        """Keep the residuals of the pixels that are selected now; others keep theirs.

        Args:
            a: Weighted residuals of one sample set, all views one after the other.
            b: Of the other.
        """
        first = 0
        for number, view in enumerate(self._views):
            last = first + CHANNELS * len(view.pixels)
            self._record_view(number, a[first:last], b[first:last])
            first = last
        self.is_open = False

    def _record_view(self, number: int, a: NDArray[np.floating], b: NDArray[np.floating]) -> None:
        view = self._views[number]
        pixels = view.pixels
        own, wanted = view.weights[pixels], self._weights[number][pixels]
        scale = np.square(np.where(own > 0, wanted / np.where(own > 0, own, 1), 0), dtype=float)
        rows = (a.reshape(-1, CHANNELS), b.reshape(-1, CHANNELS))
        if self.is_open:
            self._is_counted[number][pixels] = True
        self._products[number][pixels] = (rows[0] * rows[1] * scale).sum(axis=1)
        self._variances[number][pixels] = (np.square(rows[0] - rows[1]) / 2 * scale).sum(axis=1)

    def _sum(self, rows: Sequence[NDArray[np.float64]], power: int) -> tuple[float, int]:
        """Return the sum of powers of weighted rows of the pixels that count, and their number."""
        total, count = 0.0, 0
        for number, view in enumerate(self._views):
            counted = self._is_counted[number] & ~view.lost
            factor = view.trust[counted] / np.square(self._noise[number][counted])
            total += float(((factor * rows[number][counted]) ** power).sum())
            count += int(counted.sum())
        return total, count

    @property
    def loss(self) -> float:
        """Mean product of the residuals of both sample sets, a pixel and channel; inf before any.

        Relative to the light around, squared. Noise makes it negative at times.
        """
        total, count = self._sum(self._products, 1)
        return float("inf") if self.is_open else total / max(CHANNELS * count, 1)

    @property
    def noise_floor(self) -> float:
        """Standard deviation of `loss` by noise of renders where nothing else is left; inf before.

        The product of two residuals of variance s^2 has the deviation s^2; s^2 is told by their
        difference, whose fourth moment is 3 (2 s^2)^2.
        """
        total, count = self._sum(self._variances, 2)
        floor = float(np.sqrt(total / NORMAL_FOURTH_MOMENT)) / max(CHANNELS * count, 1)
        return float("inf") if self.is_open else floor

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later losses depend on."""
        out: dict[str, NDArray[np.generic]] = {"is_open": np.array(self.is_open)}
        for number in range(len(self._views)):
            out |= {
                f"noise.{number}": self._noise[number],
                f"counted.{number}": self._is_counted[number],
                f"products.{number}": self._products[number],
                f"variances.{number}": self._variances[number],
            }
        return {name: value.copy() for name, value in out.items()}

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        self.is_open = bool(saved["is_open"])
        for number in range(len(self._views)):
            self._noise[number] = saved[f"noise.{number}"]
            self._is_counted[number] = saved[f"counted.{number}"]
            self._products[number] = saved[f"products.{number}"]
            self._variances[number] = saved[f"variances.{number}"]
