# SPDX-License-Identifier: Apache-2.0
"""The best textures that a fit has seen: it returns to them where later steps have raised the loss.

A step is as long as a diagonal preconditioner says, which is a bound only where derivatives have
one sign in a pixel: roughness and normal maps may overshoot. One iteration's loss is noise; windows
of several are compared, and texels are copied, on the device, once a window at most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Tensor
from weft.fit.image_kernels import copy_of
from weft.fit.loss import noise_floor_of
from weft.fit.views import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.fit.joint import JointModel
    from weft.fit.texture_model import TextureModel

WINDOWS = 8  # in the iterations of a fit
MIN_WINDOW = 3  # iterations
SIGNIFICANT_RISE = 5.0  # standard deviations of the difference of two windows
MIN_RISE = 0.2  # of the best window's loss: what is smaller is no harm


class BestTexels:
    """Keeps texels, and the scalars that move with them, of the window with the smallest loss.

    Args:
        model: Of the textures.
        iterations: Of the fit.
        joint: With the scalars that move with the textures; ``None``: none do.
    """

    def __init__(
        self, model: TextureModel, iterations: int, joint: JointModel | None = None
    ) -> None:
        """Know nothing."""
        self._model, self._joint = model, joint
        self._window = max(iterations // WINDOWS, MIN_WINDOW)
        self.restart()

    def restart(self) -> None:
        """Forget all: pixels count otherwise, or scalars have moved, and losses do not compare."""
        self._first = len(self._model.losses)
        self._best: tuple[float, float] | None = None  # mean loss of its window, its deviation
        self._texels: Tensor | None = None
        self._x = np.zeros(0)

    def note(self) -> bool:
        """Take note of an iteration that was made; return whether the best texels were put back.

        The loss of an iteration is that of the texels before its step: what is kept at the end of a
        window is what its last step has made of it.
        """
        made = len(self._model.losses) - self._first
        if made == 0 or made % self._window:
            return False
        loss, deviation = self._measured()
        if self._best is not None and self._is_worse(loss, deviation):
            self._return()
            return True
        if self._best is None or loss < self._best[0]:
            self._best = loss, deviation
            self._texels = copy_of(self._model.texels)
            self._x = np.zeros(0) if self._joint is None else self._joint.x.copy()
        return False

    def _measured(self) -> tuple[float, float]:
        """Return the mean loss of the last window and its standard deviation."""
        losses = np.array(self._model.losses[-self._window :])
        residuals = CHANNELS * sum(len(view.pixels) for view in self._model.views)
        floor = noise_floor_of(self._model.noise, residuals)
        deviation = max(float(losses.std(ddof=1)), floor) / float(np.sqrt(len(losses)))
        return float(losses.mean()), deviation

    def _is_worse(self, loss: float, deviation: float) -> bool:
        """Return whether a window's loss is above the best one's by more than noise."""
        assert self._best is not None
        best, before = self._best
        rise = loss - best
        return rise > max(SIGNIFICANT_RISE * float(np.hypot(deviation, before)), MIN_RISE * best)

    def _return(self) -> None:
        """Put the best texels back, at rest; averages begin anew there."""
        model, joint = self._model, self._joint
        assert self._texels is not None
        model.return_to(self._texels)
        if joint is not None:
            joint.return_to(self._x)
        self._first = len(model.losses)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later iterations depend on."""
        best = self._best or (np.inf, np.inf)
        return {
            "best": np.array([self._first, *best]),
            "texels": np.zeros(0) if self._texels is None else self._texels.to_numpy(),
            "x": self._x,
        }

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        first, loss, deviation = map(float, saved["best"])
        self._first = int(first)
        self._best = (loss, deviation) if np.isfinite(loss) else None
        device, texels = self._model.renderer.device, saved["texels"]
        self._texels = Tensor.from_numpy(device, texels) if len(texels) else None
        self._x = saved["x"]
