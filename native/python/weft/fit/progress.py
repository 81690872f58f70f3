# SPDX-License-Identifier: Apache-2.0
"""Where a fit is after an iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.fit.aliases import with_aliases
from weft.scene.parameter_ref import NamedValues

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


@with_aliases({"draws": "iterations", "share": "fraction"})
@dataclass
class Progress:
    """Where a fit is after an iteration.

    Args:
        iterations: So far.
        seconds: So far.
        loss: Mean over pixels and channels of r_A r_B, the product of the residuals of two
            independent sample sets in units of the light around: an unbiased estimate of the
            squared residual, without the noise of renders. The same quantity in all phases of a
            fit, see native/fit/loss_meter.hpp. Noise makes it negative at times.
        values: Of the scalar parameters, by name.
        errors: Their standard errors, infinite while they are not known.
        fraction: About how much of the fit's work is done, in [0, 1]: it never falls, and is 1 only
            at the end. A fit that converges before that was foreseen jumps to 1.
        noise_floor: Standard deviation that the noise of renders gives `loss` where nothing else
            is left: losses below it are not told from zero. Infinite while it is not known.
        seconds_left: As it seems now, within the time limit; infinite while it is not known.
        phase: Name of the phase that made the iteration: ``scalars``, ``textures``, ``polish``.
    """

    iterations: int
    seconds: float
    loss: float
    values: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, NDArray[np.float64]]
    fraction: float = 0.0
    noise_floor: float = float("inf")
    seconds_left: float = float("inf")
    phase: str = ""

    def __post_init__(self) -> None:
        """Let names be written without their quotes."""
        self.values, self.errors = NamedValues(self.values), NamedValues(self.errors)
