# SPDX-License-Identifier: Apache-2.0
"""The descent of Gauss-Newton: steps on one iteration's samples each, from a start to a valley."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from weft.fit.attempts import AVERAGES_BEFORE_QUESTION, Attempts
from weft.fit.information import normal_equations, residual_variance
from weft.fit.linear_model import SIGNIFICANT_DEVIATIONS, Average, Seen, State, empty_halves
from weft.fit.quadratic import safe_quadratic
from weft.fit.starts import is_significant, loss_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.information import Half, Normal
    from weft.fit.linear_model import Model
    from weft.fit.prior import Prior
    from weft.fit.quadratic import Quadratic

MIN_RADIUS = 0.005  # of the range: steps that are not shortened any more
SHORT_STEP = 0.03  # of the range: the last one on the samples of an iteration


def is_still(quadratic: Quadratic) -> bool:
    """Return whether no derivative is more than noise."""
    return bool((quadratic.ratios < SIGNIFICANT_DEVIATIONS**2).all())


@dataclass
class Descent:
    """Steps of Gauss-Newton, and what they share with what follows.

    Args:
        model: What.
        x: Start.
        low: Lower bounds.
        high: Upper bounds.
        radius: Largest change of a parameter in one step, in units of its range.
        tolerance: Wanted standard error, in units of the range.
        inner_steps: Most steps on one draw.
        warm_draws: Draws after which the model is averaged even if steps are still large.
        prior: What is known of the parameters; ``None``: nothing.
        hold: Where parameters stay that residuals tell nothing of; counts for steps only.
        starts: Most places to start from: another one is tried where the steps have ended and more
            than noise is left of the residuals. The best of them counts.
        open_range: Unknowns that other starts leave where they are.
        groups: Number of the group of each parameter: other starts move those groups whose
            residuals are not noise. ``None``: all are one.
        together: So many residuals in a row share their noise: the channels of a pixel.
        most_draws: All there will be: no other start is tried that could not come to its end.
    """

    model: Model
    x: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    radius: float = 0.2
    tolerance: float = 0.003
    inner_steps: int = 3
    warm_draws: int = 12
    prior: Prior | None = None
    hold: Prior | None = None
    starts: int = 1
    open_range: NDArray[np.bool_] | None = None
    groups: NDArray[np.int64] | None = None
    together: int = 1
    most_draws: int | None = None
    state: State = field(init=False)
    _reach: float = field(init=False)
    _average: Average | None = None
    _is_asked: bool = False
    _is_mixed: bool = False  # groups were put together from several places: nothing was seen there
    _seen: Seen | None = None  # the best place on this descent
    attempts: Attempts = field(init=False)

    def __post_init__(self) -> None:
        """Start at the start."""
        self.x = np.clip(np.asarray(self.x, np.float64), self.low, self.high)
        self.state = State(self.x.copy(), np.full(len(self.x), np.inf))
        self._reach = self.radius
        empty = np.zeros(0)
        self.residuals: tuple[NDArray[np.floating], NDArray[np.floating]] = (empty, empty)
        groups = np.zeros(len(self.x), np.int64) if self.groups is None else self.groups
        self.attempts = Attempts(groups, self.high - self.low, self.starts, self.most_draws)

    @property
    def averaged(self) -> int:
        """Draws that the averaged model holds."""
        return 0 if self._average is None else self._average.count

    @property
    def averaged_model(self) -> tuple[Half, Half] | None:
        """The averaged linear model where the parameters are; ``None``: nothing is averaged."""
        average = self._average
        return None if average is None or not average.count else average.at(self.state.x)

    def _step(self, quadratic: Quadratic, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where the loss is smallest within the bounds and not too far from `x`."""
        most = self._reach * (self.high - self.low)
        low, high = np.maximum(self.low - x, -most), np.minimum(self.high - x, most)
        moved = x + quadratic.step(np.minimum(low, 0), np.maximum(high, 0))
        return np.clip(moved, self.low, self.high)

    def _descend(self) -> None:
        """Take Gauss-Newton steps on one draw, as long as they pay."""
        state = self.state
        a, b = self.model.linearise(state.x)
        if self._is_astray(a, b):
            a, b = self._return()
        x = state.x
        is_noise = False
        for number in range(self.inner_steps):
            if number > 0:
                a, b = self.model.linearise(x)
            variance = residual_variance(a, b)
            normal = self._with_prior(normal_equations(a, b, self.together), x, variance)
            state.loss = float(a.residual @ b.residual) / len(a.residual)
            quadratic = safe_quadratic(normal)
            is_noise = is_still(quadratic)
            candidate = self._shortened(quadratic, x, a, b)
            if candidate is None:
                break
            step = float(np.max(np.abs(candidate - x) / (self.high - self.low)))
            x = candidate
            if step < SHORT_STEP or is_noise:
                break
        state.x, self.residuals = x, (a.residual, b.residual)
        is_long = state.draws - self.attempts.began >= self.warm_draws
        # Without averaged draws there are no errors.
        if is_noise or is_long or self._is_late:
            self._end_descent(a, b)

    @property
    def _is_late(self) -> bool:
        """Whether hardly more draws are left than an average needs."""
        most = self.most_draws
        return most is not None and self.state.draws >= most - AVERAGES_BEFORE_QUESTION

    def _is_astray(self, a: Half, b: Half) -> bool:
        """Return whether the best place on the descent is better than this one for sure.

        Steps are chosen by the samples of one iteration, whose noise may lead astray; those of the
        next one tell. Both places are compared in its samples, too, before a step is taken back.

        Args:
            a: Residuals and derivatives here, of one sample set of a new iteration.
            b: Of the other.
        """
        seen, x = self._seen, self.state.x
        loss, deviation = loss_of(a.residual, b.residual, self.together)
        if seen is None or loss < seen.loss:
            self._seen = Seen(x.copy(), loss, deviation)
            return False
        if not seen.is_below(loss, deviation):
            return False
        best_a, best_b = self.model.residuals(seen.x)
        change = (a.residual * b.residual - best_a * best_b).reshape(-1, self.together)
        return is_significant(change.sum(axis=1), SIGNIFICANT_DEVIATIONS)

    def _return(self) -> tuple[Half, Half]:
        """Go back to the best place on the descent; return the linearisation there."""
        assert self._seen is not None
        self.state.x = self._seen.x.copy()
        self._reach = max(self._reach / 2, MIN_RADIUS)
        return self.model.linearise(self.state.x)

    def _shortened(
        self, quadratic: Quadratic, x: NDArray[np.float64], a: Half, b: Half
    ) -> NDArray[np.float64] | None:
        """Return a step that does not raise the loss of this draw; None: no step is that short."""
        variance = residual_variance(a, b)
        while True:
            candidate = self._step(quadratic, x)
            after_a, after_b = self.model.residuals(candidate)
            # What noise alone makes of the difference of the losses.
            change = after_a * after_b - a.residual * b.residual
            noise = float(np.std(change)) * np.sqrt(len(change))
            rise = float(change.sum()) + sum(
                entry.loss(candidate, variance) - entry.loss(x, variance)
                for entry in (self.prior, self.hold)
                if entry is not None
            )
            if rise <= noise:
                self._reach = min(self._reach * 1.5, self.radius)
                return candidate
            self._reach /= 3
            if self._reach < MIN_RADIUS:
                self._reach = MIN_RADIUS
                return None

    def _with_prior(self, normal: Normal, x: NDArray[np.float64], variance: float) -> Normal:
        for entry in (self.prior, self.hold):
            normal = normal if entry is None else entry.add_to(normal, x, variance)
        return normal

    def _end_descent(self, a: Half, b: Half) -> None:
        """Average from here."""
        state = self.state
        state.is_averaging = True
        self._average = Average(state.x.copy(), *empty_halves(a, b))
