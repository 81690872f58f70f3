# SPDX-License-Identifier: Apache-2.0
"""How a fit works."""

from __future__ import annotations

from dataclasses import dataclass

from weft._native import ArgumentError
from weft.defaults import BOUNCES
from weft.fit.checks import is_number, require_count, require_number


@dataclass
class FitSettings:
    """How a fit works.

    Args:
        samples: Paths a pixel in each of the two halves of a draw; half as many while coarse steps
            come first, if that is enough.
        bounces: Surfaces that a path may leave.
        seed: Equal seeds give equal fits.
        tolerance: Wanted standard error of each number, in units of its range.
        max_draws: The fit of the numbers ends after so many draws.
        texture_draws: The fit of the textures takes so many.
        time_limit: The fit ends after so many seconds, 0: after one draw; ``None``: no limit.
        starts: Most places from which numbers start: another one is tried for the materials in
            whose pixels more than noise is left where steps have ended, as long as draws are left
            and not three of them have ended at one place.
        information: Share of the information about the numbers that pixels must hold to be drawn.
    """

    samples: int = 4
    bounces: int = BOUNCES
    seed: int = 0
    tolerance: float = 0.003
    max_draws: int = 40
    texture_draws: int = 60
    time_limit: float | None = None
    starts: int = 8
    information: float = 0.98

    def __post_init__(self) -> None:
        """Check the numbers."""
        owner = "FitSettings"
        for name in ("samples", "bounces", "max_draws", "texture_draws", "starts"):
            require_count(owner, name, getattr(self, name))
        require_count(owner, "seed", self.seed, 0)
        require_number(owner, "tolerance", self.tolerance, 0.0, beyond=True)
        if self.time_limit is not None:
            require_number(owner, "time_limit", self.time_limit, 0.0)
        if not is_number(self.information) or not 0 < self.information <= 1:
            raise ArgumentError(
                f"{owner}: information must be above 0 and at most 1, got {self.information!r}"
            )
