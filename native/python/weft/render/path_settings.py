# SPDX-License-Identifier: Apache-2.0
"""How paths are traced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from weft._native import check_path_settings
from weft.defaults import (
    BOUNCES,
    FILTER,
    FILTER_WIDTH,
    SAMPLES,
    TRANSPARENT_BOUNCES,
    FilterKind,
)

FILTERS: tuple[FilterKind, ...] = get_args(FilterKind)


@dataclass
class PathSettings:
    """How paths are traced.

    Args:
        samples: Paths a pixel.
        bounces: Surfaces that a path may leave; 0: only what cameras see shine, 1: direct light.
        seed: Equal seeds give equal pictures.
        first_sample: Number of the first sample: pictures of 0..n-1 and of n..2n-1 are independent
            and average to 0..2n-1.
        filter: Pixel filter: ``box``, ``tent`` or ``blackman_harris``.
        filter_width: Of the whole filter, pixels.
        period: Samples of different periods are independent; those of one are stratified together
            and therefore correlated. ``None``: one period.
        roulette_from: Bounce from which paths with little to bring may end; ``None``: never.
        transparent_bounces: Transparent surfaces that a path, or a light ray, may pass; further
            ones are opaque.
        shows_environment: Cameras see it where they look past everything; else black.
        exposure: Factor of the picture, 0 or greater; fits take none.
    """

    samples: int = SAMPLES
    bounces: int = BOUNCES
    seed: int = 0
    first_sample: int = 0
    filter: FilterKind = FILTER
    filter_width: float = FILTER_WIDTH
    roulette_from: int | None = 3
    period: int | None = None
    transparent_bounces: int = TRANSPARENT_BOUNCES
    shows_environment: bool = True
    exposure: float = 1.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_path_settings(self)
