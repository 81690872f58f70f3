# SPDX-License-Identifier: Apache-2.0
"""How many iterations a fit of scalar parameters still needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import AVERAGES_BEFORE_QUESTION, DRAWN_FRACTION

if TYPE_CHECKING:
    from weft.fit.gauss_newton import GaussNewton

USUAL_DESCENT_ITERATIONS = 6  # before the linear model is averaged
USUAL_AVERAGED_ITERATIONS = 8  # afterwards, where nothing better is known


def remaining_iterations(solver: GaussNewton, limit: int, averages: int | None = None) -> float:
    """Return how many iterations a solver is expected to need.

    Args:
        solver: That has made none or some.
        limit: Iterations at most, those that were made included.
        averages: Averaged iterations that are enough; ``None``: the tolerance alone counts.
    """
    state = solver.state
    if state.is_done:
        return 0.0
    if averages is None and solver.may_start_elsewhere:
        return float(limit - state.iterations)  # how many starts there will be is not known
    descent, averaged = 0.0, float(solver.averaged)
    wanted = float(AVERAGES_BEFORE_QUESTION + USUAL_AVERAGED_ITERATIONS)
    if not state.is_averaging:
        descent = max(USUAL_DESCENT_ITERATIONS - state.iterations, 1)
    elif averaged:
        wanted = _averages_needed(solver)
    if averages is not None:
        wanted = min(wanted, averages)
    left = descent + max(wanted - averaged, 1.0)
    return max(min(left, limit - state.iterations), 0.0)


def _averages_needed(solver: GaussNewton) -> float:
    """Return after how many averaged iterations all errors are as small as asked for.

    With n iterations the variance of a parameter is V (d m / n + 1 - d), V that after m and d the
    fraction of it by noise of the renders; enough is what GaussNewton takes for exact.
    """
    information = solver.state.information
    assert information is not None
    variance = np.square(solver.state.errors / (solver.high - solver.low))
    fraction = information.drawn_share
    if len(fraction) != len(variance) or not np.isfinite(variance).all():
        return float("inf")
    drawn, fixed = fraction * variance, (1 - fraction) * variance
    room = solver.tolerance**2 - fixed
    by_tolerance = np.where(room > 0, drawn / np.where(room > 0, room, 1), np.inf)
    ratio = (1 - DRAWN_FRACTION) / DRAWN_FRACTION
    by_pictures = np.where(fixed > 0, ratio * drawn / np.maximum(fixed, 1e-300), np.inf)
    wanted = solver.averaged * np.minimum(by_tolerance, by_pictures).max(initial=0.0)
    return max(float(wanted), float(AVERAGES_BEFORE_QUESTION))
