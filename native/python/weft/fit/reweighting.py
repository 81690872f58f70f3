# SPDX-License-Identifier: Apache-2.0
"""A redescending loss for photos: pixels that nothing explains lose their say.

Iteratively reweighted least squares with the biweight of Beaton and Tukey (1974). Its scale is that
of the noise, or of what most residuals are where the fit is not there yet: it shrinks from round to
round (graduated non-convexity, Blake and Zisserman 1987), so that a fit which starts far off loses
no pixel for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import box_blur
from weft.fit.misfit import deviations
from weft.fit.validation import draw_validations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.validation import Stage, Validation
    from weft.fit.views import View

PATHS = 1 << 18  # of a look between draws, all views
CUTOFF_SIGMAS = 6.0  # standard deviations: residuals from here on have no say
TYPICAL_RESIDUAL = 0.888  # median of the root mean square of three normal numbers
MIN_WEIGHT = 1e-6  # weight: what none has
MAX_RESIDUAL_RATIO = (
    4.0  # times what is usual: as far as a pixel counts for what is usual around it
)
RADIUS = 5  # pixels, of what is around
CHANGED = 0.005  # mean change of weights: below it they stand still
ROUNDS = 4  # of weighing, at most
SHARES = (0.25, 0.375, 0.5)  # of the draws of textures: their pixels are weighed then


def biweight(distance: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the weights of residuals, in (0, 1].

    Args:
        distance: Of residuals from 0, in standard deviations, any shape.
    """
    share = np.minimum(np.square(distance / CUTOFF_SIGMAS), 1)
    return np.asarray(np.maximum(np.square(1 - share), MIN_WEIGHT), np.float32)


def weigh(stage: Stage, *, with_detail: bool = False) -> float:
    """Give pixels of robust targets weights by what is left of them; return the mean change.

    Samples of the draw that tells the weights are used for nothing else: weights must not know the
    samples that they weigh.

    Args:
        stage: Of a fit; its views' weights change.
        with_detail: Where residuals around a pixel are large, too, they may be detail that textures
            do not show yet: only what stands out among them loses its say.

    Raises:
        Interrupted: The renderer's interrupt says so.
    """
    validations = draw_validations(stage, paths=PATHS)
    chosen = [number for number, view in enumerate(stage.seen) if view.target.robust]
    found = _distances([validations[number] for number in chosen], with_detail=with_detail)
    changes = []
    for number, distance in zip(chosen, found, strict=True):
        view, counts = stage.seen[number], validations[number].counts.ravel()
        trust = np.where(counts, biweight(distance).ravel(), view.trust).astype(np.float32)
        changes.append(np.abs(trust - view.trust)[counts])
        view.weights = view.weights * np.sqrt(trust / view.trust)[:, None]
        view.trust = trust
    return float(np.concatenate(changes).mean()) if changes else 0.0


def _distances(
    validations: Sequence[Validation], *, with_detail: bool
) -> list[NDArray[np.float64]]:
    """Return how far the residuals of each pixel are from 0, in what is usual.

    What is usual is the same for all views: one that disagrees with all others gets no scale of its
    own.
    """
    found = [deviations(fresh) for fresh in validations]
    together = np.concatenate(
        [far[fresh.counts] for far, fresh in zip(found, validations, strict=True)] or [np.ones(1)]
    )
    scale = max(float(np.median(together)) / TYPICAL_RESIDUAL, 1.0)
    found = [far / scale for far in found]
    if not with_detail:
        return found
    return [
        far / np.maximum(_around(far, fresh.counts), 1)
        for far, fresh in zip(found, validations, strict=True)
    ]


def _around(distance: NDArray[np.float64], counts: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return what is usual around each pixel: means in which a few that are far off count little.

    Args:
        distance: Of residuals from 0, shape ``(height, width)``.
        counts: Which pixels were drawn, of the same shape.
    """
    near = np.where(counts, np.minimum(distance, MAX_RESIDUAL_RATIO), 0)
    sums = box_blur(np.stack([near, counts], axis=2).astype(np.float32), RADIUS)
    means: NDArray[np.float64] = sums[..., 0] / np.maximum(sums[..., 1], 1e-6) / TYPICAL_RESIDUAL
    return means


class Reweighting:
    """When the pixels of a fit are weighed anew.

    Args:
        views: Of the fit.
    """

    def __init__(self, views: Sequence[View]) -> None:
        """Begin with all weights equal."""
        self.rounds = 0
        if not any(view.target.robust for view in views):
            self.rounds = ROUNDS

    def is_over(self) -> bool:
        """Whether weights stay as they are."""
        return self.rounds >= ROUNDS

    def go_on(self, stage: Stage) -> bool:
        """Weigh the pixels of a stage anew; return whether weights have changed."""
        self.rounds += 1
        has_changed = weigh(stage) > CHANGED
        if not has_changed:
            self.rounds = ROUNDS
        return has_changed


class MapReweighting:
    """When the pixels of a fit of textures are weighed anew: after shares of its draws.

    Textures explain more from draw to draw, so that what nothing explains is not known before:
    rounds come while they still move, and each begins anew.

    Args:
        views: Of the fit.
    """

    def __init__(self, views: Sequence[View]) -> None:
        """Begin with all weights equal."""
        self.rounds = 0 if any(view.target.robust for view in views) else len(SHARES)

    def is_due(self, done: float) -> bool:
        """Return whether pixels are to be weighed, after a share of the draws."""
        return self.rounds < len(SHARES) and done >= SHARES[self.rounds]

    def go_on(self, stage: Stage) -> None:
        """Weigh the pixels of a stage anew."""
        weigh(stage, with_detail=True)
        self.rounds += 1
