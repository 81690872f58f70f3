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

from weft._native import WEIGHING_ROUNDS, weigh_residuals
from weft.fit.validation import draw_validations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fit.validation import Stage
    from weft.fit.views import View

PATHS = 1 << 18  # of a look between draws, all views
SHARES = (0.25, 0.375, 0.5)  # of the draws of textures: their pixels are weighed then


def weigh(stage: Stage, *, with_detail: bool = False) -> bool:
    """Give pixels of robust targets weights by what is left of them; return whether they changed.

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
    residuals = [validations[number].residuals() for number in chosen]
    found, has_changed = weigh_residuals(residuals, with_detail)
    for number, trust in zip(chosen, found, strict=True):
        view = stage.seen[number]
        view.weights = view.weights * np.sqrt(trust / view.trust)[:, None]
        view.trust = trust
    return has_changed


class Reweighting:
    """When the pixels of a fit are weighed anew.

    Args:
        views: Of the fit.
    """

    def __init__(self, views: Sequence[View]) -> None:
        """Begin with all weights equal."""
        self.rounds = 0
        if not any(view.target.robust for view in views):
            self.rounds = WEIGHING_ROUNDS

    def is_over(self) -> bool:
        """Whether weights stay as they are."""
        return self.rounds >= WEIGHING_ROUNDS

    def go_on(self, stage: Stage) -> bool:
        """Weigh the pixels of a stage anew; return whether weights have changed."""
        self.rounds += 1
        has_changed = weigh(stage)
        if not has_changed:
            self.rounds = WEIGHING_ROUNDS
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
