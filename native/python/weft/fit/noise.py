# SPDX-License-Identifier: Apache-2.0
"""Weights of pixels by the noise that renders have there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import relative_noise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.views import View

MEASURED_ITERATIONS = 2  # before the fit moves


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
        shapes = [(view.camera.height, view.camera.width) for view in self.views]
        squares, counts = (
            [rows.reshape(shape) for rows, shape in zip(own, shapes, strict=True)]
            for own in (self._squares, self._counts)
        )
        return relative_noise(squares, counts)

    def apply(self) -> None:
        """Let the views' pixels count by the noise that was measured."""
        for view, noise in zip(self.views, self.relative_noise(), strict=True):
            view.weights = view.weights / noise[:, None]
