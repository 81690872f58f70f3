# SPDX-License-Identifier: Apache-2.0
"""New draws of what a fit has found, beside its pictures: samples that the fit has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from weft._native import PictureResiduals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.views import Views

    ValidationArrays = tuple[
        NDArray[np.bool_],
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.float32],
        NDArray[np.float32],
    ]


class Stage(Protocol):
    """What is looked at: the stage of a fit."""

    settings: FitSettings

    @property
    def is_settled(self) -> bool:
        """Textures have come to rest: their loss does not fall; there may be none."""

    @property
    def views(self) -> Views:
        """Its views."""

    def validate(self, bounces: int | None = None) -> list[ValidationArrays]:
        """Draw the views' pixels at what was found; the stage stays as it is.

        Args:
            bounces: Surfaces that a path may leave; ``None``: those of the settings.

        Returns:
            `counts`, `a`, `b`, `weights` and `used` of a Validation of each view.
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
        picture = self.target.picture()
        return PictureResiduals(picture, self.counts, self.a, self.b, self.weights, self.used)


def draw_validations(stage: Stage, *, bounces: int | None = None) -> list[Validation]:
    """Draw what a stage has found again.

    Args:
        stage: Of the fit; it stays as it is.
        bounces: Surfaces that a path may leave; ``None``: those of the settings.

    Raises:
        Interrupted: The renderer's interrupt says so.
    """
    found = zip(stage.views, stage.validate(bounces), strict=True)
    return [Validation(view.target, *arrays) for view, arrays in found]
