# SPDX-License-Identifier: Apache-2.0
"""New draws of what a fit has found, beside its pictures: samples that the fit has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from weft._native import Observation, PictureResiduals, counted_pixels, plan_validation
from weft.fit.views import restore_views, save_views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft._native import ValidationPlan
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.views import View

PATHS = 1 << 20  # of all views
FIRST_DRAW = 1 << 20  # its number: far from those of the fit


class Stage(Protocol):
    """What is looked at: the stage of a fit."""

    settings: FitSettings

    @property
    def seen(self) -> Sequence[View]:
        """Its views."""

    def look(
        self, samples: int, draw: int, bounces: int | None = None
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Draw the views' pixels at what was found; return the weighted residuals of both halves.

        Args:
            samples: Paths a pixel in each half.
            draw: Number of the draw.
            bounces: Surfaces that a path may leave; ``None``: those of the settings.
        """


@dataclass
class Validation:
    """A view as new draws show it.

    Args:
        target: Its picture.
        counts: Which pixels were drawn, shape ``(height, width)``.
        a: Residuals of one half, render minus picture in units of the light around, shape
            ``(height, width, 3)``; 0 where nothing was drawn.
        b: Of the other half.
        weights: What they were multiplied with.
        used: What a robust loss leaves of each pixel, in (0, 1], shape ``(height, width)``.
    """

    target: Target
    counts: NDArray[np.bool_]
    a: NDArray[np.float32]
    b: NDArray[np.float32]
    weights: NDArray[np.float32]
    used: NDArray[np.float32]

    @property
    def render(self) -> NDArray[np.float32]:
        """The mean of both halves, as light; 0 where nothing was drawn."""
        mean = (self.a + self.b) / 2 / np.maximum(self.weights, 1e-30) + self.target.image
        return np.where(self.counts[..., None], mean, 0).astype(np.float32)

    def residuals(self) -> PictureResiduals:
        """Return the residuals as the engine judges and weighs them."""
        target = self.target
        assert target.mask is not None
        picture = Observation(target.image, target.mask, target.rounding, target.grain)
        return PictureResiduals(picture, self.counts, self.a, self.b, self.weights, self.used)


def draw_validations(
    stage: Stage, *, bounces: int | None = None, paths: int = PATHS
) -> list[Validation]:
    """Draw what a stage has found again.

    Args:
        stage: Of the fit; it stays as it is.
        bounces: Surfaces that a path may leave; ``None``: those of the settings.
        paths: Of all views.

    Raises:
        Interrupted: The renderer's interrupt says so.
    """
    views = stage.seen
    before = save_views(views)
    validations = []
    for view in views:
        weights = view.target.noise_weights().reshape(-1, 3)
        shape = (view.camera.height, view.camera.width)
        a, b = (np.zeros((*shape, 3), np.float32) for _ in range(2))
        used = view.trust.reshape(shape)
        counts = np.zeros(shape, bool)
        validations.append(Validation(view.target, counts, a, b, weights.reshape(*shape, 3), used))
    plan = plan_validation(
        [counted_pixels(fresh.weights.reshape(-1, 3)) for fresh in validations],
        [view.camera.width for view in views],
        stage.settings.samples,
        paths,
    )
    try:
        for view, fresh in zip(views, validations, strict=True):
            view.weights = fresh.weights.reshape(-1, 3)
        _draw(stage, views, validations, plan, bounces)
    finally:
        restore_views(views, before)
    return validations


def _draw(
    stage: Stage,
    views: Sequence[View],
    validations: Sequence[Validation],
    plan: ValidationPlan,
    bounces: int | None,
) -> None:
    """Draw the chosen pixels, so many at once as there is room for."""
    for number in range(plan.rounds):
        for place, view in enumerate(views):
            view.pixels = plan.part(place, number)
        halves = stage.look(plan.samples, FIRST_DRAW + number, bounces)
        first = 0
        for view, fresh in zip(views, validations, strict=True):
            last = first + 3 * len(view.pixels)
            for grid, rows in zip((fresh.a, fresh.b), halves, strict=True):
                grid.reshape(-1, 3)[view.pixels] = rows[first:last].reshape(-1, 3)
            fresh.counts.reshape(-1)[view.pixels] = True
            first = last
