# SPDX-License-Identifier: Apache-2.0
"""Settings of a fit: samples, iterations, tolerance, limits."""

from __future__ import annotations

from dataclasses import dataclass

from weft._native import ArgumentError
from weft.defaults import BOUNCES
from weft.fit.aliases import with_aliases
from weft.fit.checks import is_number, require_count, require_number

RENAMED_SETTINGS = {"max_draws": "max_iterations", "texture_draws": "texture_iterations"}
"""New names by those of the release before."""


@with_aliases(RENAMED_SETTINGS)
@dataclass
class FitSettings:
    """Settings of a fit: samples, iterations, tolerance, limits.

    Args:
        samples: Paths a pixel in each of the two independent sample sets of an iteration; half as
            many while coarse steps come first, if that is enough.
        bounces: Surfaces that a path may leave.
        seed: Equal seeds give equal fits.
        tolerance: Wanted standard error of each scalar parameter, as a fraction of its range.
        max_iterations: The fit of the scalar parameters ends after so many.
        texture_iterations: The fit of the textures takes so many; up to twice as many where scalar
            parameters that move with them are not at rest by then.
        time_limit: The fit ends after so many seconds, 0: after one iteration; ``None``: no limit.
        starts: Most places from which scalar parameters start: another one is tried for the
            materials in whose pixels more than noise is left where steps have ended, as long as
            iterations are left and not three of them have ended at one place.
        information: Fraction of the information about the scalar parameters that the selected
            pixels must hold, in (0, 1].
    """

    samples: int = 4
    bounces: int = BOUNCES
    seed: int = 0
    tolerance: float = 0.003
    max_iterations: int = 40
    texture_iterations: int = 60
    time_limit: float | None = None
    starts: int = 8
    information: float = 0.98

    def __post_init__(self) -> None:
        """Check kinds and ranges of all fields."""
        owner = "FitSettings"
        for name in ("samples", "bounces", "max_iterations", "texture_iterations", "starts"):
            require_count(owner, name, getattr(self, name))
        require_count(owner, "seed", self.seed, 0)
        require_number(owner, "tolerance", self.tolerance, 0.0, beyond=True)
        if self.time_limit is not None:
            require_number(owner, "time_limit", self.time_limit, 0.0)
        if not is_number(self.information) or not 0 < self.information <= 1:
            raise ArgumentError(
                f"{owner}: information must be above 0 and at most 1, got {self.information!r}"
            )
