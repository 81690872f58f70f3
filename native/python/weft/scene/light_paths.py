# SPDX-License-Identifier: Apache-2.0
"""What ends paths early, dulls what they meet and holds their light down."""

from __future__ import annotations

import math
from dataclasses import dataclass

from weft._native import ArgumentError

MAX_BOUNCES = 63
"""Paths count no further in one kind of bounce."""


@dataclass(frozen=True)
class LightPaths:
    """Limits of paths beside their number of bounces, those of Cycles' light paths.

    They make pictures cheaper and darker than the light that they stand for. Fits honour them, but
    for the clamps, which have no derivative.

    Args:
        diffuse_bounces: Surfaces that a path may leave in a diffuse reflection, 0 to 62: Blender's
            setting and 1. ``None``: as many as it may leave at all.
        glossy_bounces: The same, reflected by facets or a mirror.
        transmission_bounces: The same, through the surface.
        volume_bounces: The same, scattered in a medium.
        clamp_direct: Most that one light may add to a sample where it is seen or lights what the
            camera sees, as a mean of the channels; 0: all of it.
        clamp_indirect: The same after a bounce.
        filter_glossy: Facets are rougher for paths that were drawn with a density below this one,
            1/sr; 0: never.
        reflective_caustics: Facets reflect light towards diffuse surfaces.
        refractive_caustics: Facets refract light towards diffuse surfaces.
    """

    diffuse_bounces: int | None = None
    glossy_bounces: int | None = None
    transmission_bounces: int | None = None
    volume_bounces: int | None = None
    clamp_direct: float = 0.0
    clamp_indirect: float = 0.0
    filter_glossy: float = 0.0
    reflective_caustics: bool = True
    refractive_caustics: bool = True

    def __post_init__(self) -> None:
        """Check the numbers."""
        for kind in ("diffuse", "glossy", "transmission", "volume"):
            name = f"{kind}_bounces"
            count = getattr(self, name)
            if count is not None and not (isinstance(count, int) and 0 <= count < MAX_BOUNCES):
                raise ArgumentError(
                    f"LightPaths: {name} must be a whole number from 0 to {MAX_BOUNCES - 1} or "
                    f"None, got {count!r}"
                )
        for name in ("clamp_direct", "clamp_indirect", "filter_glossy"):
            value = getattr(self, name)
            if not 0 <= value < math.inf:
                raise ArgumentError(f"LightPaths: {name} must be a number from 0, got {value!r}")

    @property
    def has_effect(self) -> bool:
        """Whether pictures may differ from those without limits."""
        return self != LightPaths()
