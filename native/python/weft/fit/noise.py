# SPDX-License-Identifier: Apache-2.0
"""Weights of pixels by the noise that renders have there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import box_blur

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.views import View

MEASURED_ITERATIONS = 2  # before the fit moves
RADIUS = 4  # of the squares that tell the noise of a pixel: a few samples of one say little
MIN_NOISE_RATIO, MAX_NOISE_RATIO = (
    2.0,
    64.0,
)  # noise, of the median: below it is not told apart, above it is the same


class NoiseMeter:
    """Sums up how much the two halves of draws differ.

    Weights must not know the samples that they weigh: a pixel whose samples happen to be bright
    would count less, and the mean would be too dark. So what this measures serves later draws.

    Args:
        views: Of the fit; their weights are those of noise that grows with the radiance.
    """

    def __init__(self, views: Sequence[View]) -> None:
        """Know nothing yet."""
        self.views = views
        self._squares = [np.zeros(len(view.image), np.float64) for view in views]
        self._counts = [np.zeros(len(view.image), np.float64) for view in views]

    def add(self, a: NDArray[np.floating], b: NDArray[np.floating]) -> None:
        """Add a draw of the views' pixels: the weighted residuals of its halves."""
        squares = ((a - b).reshape(-1, 3).astype(np.float64) ** 2).mean(axis=1)
        ends = np.cumsum([len(view.pixels) for view in self.views])
        self.add_squares(np.split(squares, ends[:-1]))

    def add_squares(self, squares: Sequence[NDArray[np.floating]]) -> None:
        """Add a draw by the mean squared difference of its halves in each view's pixels."""
        known = zip(self.views, squares, self._squares, self._counts, strict=True)
        for view, own, sums, counts in known:
            sums[view.pixels] += own
            counts[view.pixels] += 1

    def relative_noise(self) -> list[NDArray[np.float32]]:
        """Return the noise of weighted residuals, of what is usual, for each pixel of each view.

        1 where it is usual or was not measured.
        """
        found = [
            self._pooled(*entry)
            for entry in zip(self.views, self._squares, self._counts, strict=True)
        ]
        measured = np.concatenate([noise[noise > 0] for noise in found])
        if not len(measured):
            return [np.ones(len(view.image), np.float32) for view in self.views]
        typical = float(np.median(measured))
        return [
            (np.clip(noise / typical, MIN_NOISE_RATIO, MAX_NOISE_RATIO) / MIN_NOISE_RATIO).astype(
                np.float32
            )
            for noise in found
        ]

    def _pooled(
        self, view: View, squares: NDArray[np.float64], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        shape = (view.camera.height, view.camera.width, 1)
        sums, total = (
            box_blur(entry.astype(np.float32).reshape(shape), RADIUS).ravel()
            for entry in (squares, counts)
        )
        pooled: NDArray[np.float64] = np.sqrt(np.maximum(sums, 0) / np.maximum(total, 1e-12))
        return np.where(total > 1e-6, pooled, 0)

    def apply(self) -> None:
        """Let the views' pixels count by the noise that was measured."""
        for view, noise in zip(self.views, self.relative_noise(), strict=True):
            view.weights = view.weights / noise[:, None]
