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

from weft import _native
from weft.fit.noise import NoiseMeter
from weft.fit.views import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.views import View


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
        self._own = _native.LossMeter([view.weights for view in views])

    @property
    def is_open(self) -> bool:
        """Nothing was recorded: the pixels of the first record count."""
        return self._own.is_open

    def begin(self, a: NDArray[np.floating], b: NDArray[np.floating]) -> None:
        """Count the pixels that are selected now, by the noise that their residuals show.

        Args:
            a: Weighted residuals of one sample set, all views one after the other.
            b: Of the other.
        """
        meter = NoiseMeter(self._views)
        meter.add(a, b)
        self._own.set_noise(meter.relative_noise())
        self.record(a, b)

    def keep(self, pixels: Sequence[NDArray[np.uint32]]) -> None:
        """Count no pixels but these, one array a view: no later phase draws the others."""
        self._own.keep(pixels)

    def record(self, a: NDArray[np.floating], b: NDArray[np.floating]) -> None:
        """Keep the residuals of the pixels that are selected now; others keep theirs.

        Args:
            a: Weighted residuals of one sample set, all views one after the other.
            b: Of the other.
        """
        views = self._views
        self._own.record([view.pixels for view in views], [view.weights for view in views], a, b)

    @property
    def loss(self) -> float:
        """Mean product of the residuals of both sample sets, a pixel and channel; inf before any.

        Relative to the light around, squared. Noise makes it negative at times.
        """
        return self._own.loss(*self._counted())

    @property
    def noise_floor(self) -> float:
        """Standard deviation of `loss` by noise of renders where nothing else is left; inf before.

        The product of two residuals of variance s^2 has the deviation s^2; s^2 is told by their
        difference, whose fourth moment is 3 (2 s^2)^2.
        """
        return self._own.noise_floor(*self._counted())

    def _counted(self) -> tuple[list[NDArray[np.float32]], list[NDArray[np.bool_]]]:
        return [view.trust for view in self._views], [view.lost for view in self._views]

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later losses depend on."""
        return {name: np.asarray(value) for name, value in self._own.state().items()}

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        self._own.restore(bool(saved["is_open"]), dict(saved))
