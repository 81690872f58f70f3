# SPDX-License-Identifier: Apache-2.0
"""Least squares from noisy renders: Gauss-Newton with a linear model averaged over draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from weft.fit.attempts import DOUBTFUL, QUESTIONED, Attempts, Place
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.information import (
    Half,
    Information,
    Normal,
    gather_information,
    normal_equations,
    residual_variance,
)
from weft.fit.quadratic import CAUTION, safe_quadratic
from weft.fit.starts import find_left, group_losses, is_certain, other_start, products_left

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.fit.prior import Prior
    from weft.fit.quadratic import Quadratic


class Model(Protocol):
    """What the method fits."""

    def draw(self, x: NDArray[np.float64]) -> None:
        """Draw new samples at parameters `x`."""

    def linearise(self, x: NDArray[np.float64]) -> tuple[Half, Half]:
        """Return both halves of the last draw for parameters `x`."""

    def residuals(
        self, x: NDArray[np.float64]
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the residuals of linearise() only."""


@dataclass
class Average:
    """The linear model r(x) = offset + J (x - origin), averaged over draws."""

    origin: NDArray[np.float64]
    a: Half
    b: Half
    count: int = 0

    def add(self, x: NDArray[np.float64], a: Half, b: Half) -> None:
        """Add a linearisation at `x`."""
        self.count += 1
        for mean, new in ((self.a, a), (self.b, b)):
            offset = new.residual - new.jacobian @ (x - self.origin)
            mean.residual += (offset - mean.residual) / self.count
            mean.jacobian += (new.jacobian - mean.jacobian) / self.count

    def at(self, x: NDArray[np.float64]) -> tuple[Half, Half]:
        """Return the model's residuals and derivatives at `x`."""
        step = x - self.origin
        halves = [
            Half(half.residual + half.jacobian @ step, half.jacobian) for half in (self.a, self.b)
        ]
        return halves[0], halves[1]


def _differ(expected: tuple[Half, Half], found: tuple[Half, Half]) -> bool:
    """Return whether residuals differ from what a linear model expects by more than noise."""
    return is_certain(
        (found[0].residual - expected[0].residual) * (found[1].residual - expected[1].residual)
    )


def _is_still(quadratic: Quadratic) -> bool:
    """Return whether no slope is more than noise."""
    return bool((quadratic.ratios < SIGNIFICANT**2).all())


def _empty_halves(a: Half, b: Half) -> tuple[Half, Half]:
    """Return halves of the same shape, all zero."""
    return (
        Half(np.zeros_like(a.residual), np.zeros_like(a.jacobian)),
        Half(np.zeros_like(b.residual), np.zeros_like(b.jacobian)),
    )


@dataclass
class State:
    """Where a fit is.

    Args:
        x: Parameters.
        errors: Standard errors; infinite while there are none.
        loss: r_A' r_B over the number of residuals.
        draws: So far.
        is_averaging: The steps are over, the linear model is being averaged.
        is_done: The largest standard error is below the tolerance.
        information: What the averaged draws say; ``None`` before.
    """

    x: NDArray[np.float64]
    errors: NDArray[np.float64]
    loss: float = float("inf")
    draws: int = 0
    is_averaging: bool = False
    is_done: bool = False
    information: Information | None = None


SIGNIFICANT = 3.0  # multiple of what noise alone would do
SHORTEST = 0.005  # of the range: steps that are not shortened any more
LATEST = 12  # averaged draws after which that is asked even if steps go on
LOST = 0.25  # of the range: an error of what the residuals do not tell
NEAR = 0.01  # of the range: at a bound
DRAWN_SHARE = 0.2  # of a variance by noise of the draws: more of them would hardly change it
FAR = 0.1  # of the range: a number that is so far from its start has moved


@dataclass
class GaussNewton:
    """Fits a few parameters.

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
    attempts: Attempts = field(init=False)

    def __post_init__(self) -> None:
        """Start at the start."""
        self.x = np.clip(np.asarray(self.x, np.float64), self.low, self.high)
        self.state = State(self.x.copy(), np.full(len(self.x), np.inf))
        self._reach = self.radius
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

    def step(self) -> State:
        """Make one draw and use it up."""
        self.model.draw(self.state.x)
        self.state.draws += 1
        if self._average is None:
            self._walk()
        else:
            self._add_to_average()
        return self.state

    def forget(self) -> None:
        """Walk on from here: the weights of the residuals have changed, and losses with them."""
        self._average, self._is_asked = None, False
        self.attempts.forget(self.state.draws)
        self.state.is_averaging = self.state.is_done = False

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        state, average = self.state, self._average
        out: dict[str, NDArray[np.generic]] = {
            "x": state.x,
            "errors": state.errors,
            "numbers": np.array([state.loss, self._reach]),
            "counts": np.array([state.draws, state.is_done, self._is_asked]),
        } | prefixed("attempts", self.attempts.save())
        if average is not None:
            out |= {"origin": average.origin, "count": np.array(average.count)}
            for name, half in (("a", average.a), ("b", average.b)):
                out |= {f"{name}.residual": half.residual, f"{name}.jacobian": half.jacobian}
        return out

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called."""
        loss, self._reach = map(float, saved["numbers"])
        draws, is_done, is_asked = map(int, saved["counts"])
        self._is_asked = bool(is_asked)
        self.attempts.restore(part_of(saved, "attempts"))
        self.state = State(saved["x"], saved["errors"], loss, draws, False, bool(is_done))
        self._average = None
        if "origin" not in saved:
            return
        halves = [Half(saved[f"{n}.residual"], saved[f"{n}.jacobian"]) for n in ("a", "b")]
        self._average = Average(saved["origin"], halves[0], halves[1], int(saved["count"]))
        self.state.is_averaging = True
        if self._average.count:
            self._learn(self.state.x)

    def _step(self, quadratic: Quadratic, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where the loss is smallest within the bounds and not too far from `x`."""
        most = self._reach * (self.high - self.low)
        low, high = np.maximum(self.low - x, -most), np.minimum(self.high - x, most)
        moved = x + quadratic.step(np.minimum(low, 0), np.maximum(high, 0))
        return np.clip(moved, self.low, self.high)

    def _walk(self) -> None:
        """Take Gauss-Newton steps on one draw, as long as they pay."""
        state = self.state
        x = state.x
        is_noise = False
        for _ in range(self.inner_steps):
            a, b = self.model.linearise(x)
            variance = residual_variance(a, b)
            normal = self._with_prior(normal_equations(a, b, self.together), x, variance)
            state.loss = float(a.residual @ b.residual) / len(a.residual)
            quadratic = safe_quadratic(normal)
            is_noise = _is_still(quadratic)
            candidate = self._shortened(quadratic, x, a, b)
            if candidate is None:
                break
            step = float(np.max(np.abs(candidate - x) / (self.high - self.low)))
            x = candidate
            if step < 0.03 or is_noise:
                break
        state.x = x
        is_late = state.draws - self.attempts.began >= self.warm_draws
        if self.most_draws is not None:
            # Without averaged draws there are no errors.
            is_late |= state.draws >= self.most_draws - QUESTIONED
        if is_noise or is_late:
            self._end_walk(a, b)

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
            if self._reach < SHORTEST:
                self._reach = SHORTEST
                return None

    def _with_prior(self, normal: Normal, x: NDArray[np.float64], variance: float) -> Normal:
        for entry in (self.prior, self.hold):
            normal = normal if entry is None else entry.add_to(normal, x, variance)
        return normal

    def _end_walk(self, a: Half, b: Half) -> None:
        """Average from here."""
        state = self.state
        state.is_averaging = True
        self._average = Average(state.x.copy(), *_empty_halves(a, b))

    def _other_start(self, number: int) -> NDArray[np.float64]:
        """Return another place to start from."""
        place = other_start(number, self.low, self.high)
        return place if self.open_range is None else np.where(self.open_range, self.x, place)

    def _add_to_average(self) -> None:
        """Average the linear model and solve it."""
        state, average = self.state, self._average
        assert average is not None
        a, b = drawn = self.model.linearise(state.x)
        # A linear model serves a neighbourhood only: what was averaged elsewhere is forgotten.
        if average.count and _differ(average.at(state.x), drawn):
            self._reach = max(self._reach / 2, SHORTEST)
            average = self._average = Average(state.x.copy(), *_empty_halves(a, b))
        elif self._has_left(average):
            average = self._average = Average(state.x.copy(), *_empty_halves(a, b))
        average.add(state.x, a, b)
        a, b = average.at(state.x)
        normal = normal_equations(a, b, self.together)
        normal = self._with_prior(normal, state.x, residual_variance(a, b))
        # The noise of an average stays: it is no reason to wait for the next draw.
        quadratic = safe_quadratic(normal, CAUTION / average.count**2)
        x = self._step(quadratic, state.x)
        a, b = average.at(x)
        state.x = x
        state.loss = float(a.residual @ b.residual) / len(a.residual)
        self._learn(x)
        if not self._is_asked and self._is_due(average.count, _is_still(quadratic)):
            self._is_asked = True
            if self._question(*drawn):
                return
        state.is_done = average.count >= 2 and self._is_asked and self._is_exact()

    def _has_left(self, average: Average) -> bool:
        """Return whether steps have led, by more than noise, to where the slopes may be others."""
        moved = np.abs(self.state.x - average.origin)
        far = np.maximum(FAR * (self.high - self.low), SIGNIFICANT * self.state.errors)
        return bool((moved > far).any())

    def _is_due(self, averaged: int, is_still: bool) -> bool:
        """Return whether enough draws are averaged to ask whether this is the place."""
        if self.attempts.places:
            return self.attempts.is_over(self.state.draws, averaged, is_still)
        return averaged >= LATEST or (averaged >= QUESTIONED and is_still)

    def _is_exact(self) -> bool:
        """Return whether errors are as small as was asked for, or as the pictures allow."""
        state = self.state
        assert state.information is not None
        assert self._average is not None
        is_small = state.errors <= self.tolerance * (self.high - self.low)
        is_noise_of_pictures = state.information.drawn_share <= DRAWN_SHARE
        return bool(is_small.all()) or (
            self._average.count > QUESTIONED and bool((is_small | is_noise_of_pictures).all())
        )

    def _question(self, a: Half, b: Half) -> bool:
        """Ask whether this is the place; return whether to go on elsewhere.

        Steps may end in another valley, where more than noise is left of the residuals, or take
        numbers to where nothing tells them, such as a bound where derivatives vanish: nothing there
        leads back. Other starts are tried then, and the best place counts.

        Args:
            a: One half of the last draw.
            b: The other.
        """
        state, attempts = self.state, self.attempts
        attempts.places.append(self._here())
        left, doubtful = self._left(a, b) & ~attempts.returned(), self._doubtful()
        x, number = attempts.gathered(), len(attempts.places)
        if attempts.may_go_on(state.draws) and (left | doubtful).any():
            kept = np.where(doubtful, self._elsewhere(number), x)
            state.x = np.where(left, self._other_start(number), kept)
            attempts.begin(left | doubtful, state.draws)
            self._average, state.is_averaging, self._is_asked = None, False, False
            self._reach = self.radius
            return True
        if np.array_equal(x, state.x):
            return False
        assert self._average is not None
        state.x = x
        self._average = Average(x.copy(), *_empty_halves(self._average.a, self._average.b))
        return True

    def _here(self) -> Place:
        """Return where the fit is."""
        state = self.state
        assert self._average is not None
        assert state.information is not None
        a, b = self._average.at(state.x)
        losses = group_losses(a, b, self._slopes(), self.attempts.groups)
        moved = self.attempts.moved
        return Place(state.loss, losses, state.x.copy(), state.errors, state.information, moved)

    @property
    def best(self) -> Place | None:
        """The place that explains the residuals best; ``None`` before draws were averaged."""
        return self.attempts.best

    @property
    def is_elsewhere(self) -> bool:
        """Whether another start is under way, of which less is known than of the best place."""
        return bool(self.attempts.places) and not self._is_asked

    def _left(self, a: Half, b: Half) -> NDArray[np.bool_]:
        """Return which parameters are of groups that leave more than noise of the residuals.

        Args:
            a: One half of the last draw.
            b: The other.
        """
        assert self._average is not None
        products = products_left(a, b, self.together)
        return find_left(products, self._slopes(), self.attempts.groups, self.together)

    def _slopes(self) -> NDArray[np.floating]:
        """Return the derivatives of the averaged model by parameters in units of their ranges."""
        assert self._average is not None
        mean = self._average.a.jacobian + self._average.b.jacobian
        return mean * ((self.high - self.low) / 2)

    def _doubtful(self) -> NDArray[np.bool_]:
        """Return which parameters have moved to where residuals tell nothing of them."""
        x, errors, extent = self.state.x, self.state.errors, self.high - self.low
        moved = np.abs(x - self.x) > FAR * extent
        bounded = np.minimum(x - self.low, self.high - x) < NEAR * extent
        doubtful: NDArray[np.bool_] = moved & (errors > np.where(bounded, DOUBTFUL, LOST) * extent)
        return doubtful

    def _elsewhere(self, number: int) -> NDArray[np.float64]:
        """Return where parameters that were lost are looked for next."""
        return self.x if number == 1 else (self.low + self.high) / 2

    def _learn(self, x: NDArray[np.float64]) -> None:
        """Find what the averaged model says at `x`."""
        assert self._average is not None
        a, b = self._average.at(x)
        known = None
        normal = normal_equations(a, b, self.together)
        if self.prior is not None:
            variance = residual_variance(a, b)
            normal = self.prior.add_to(normal, x, variance)
            known = variance * self.prior.precision
        self.state.information = gather_information(
            normal, a, b, known, self.together, self.high - self.low
        )
        self.state.errors = self.state.information.errors
