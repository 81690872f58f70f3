# SPDX-License-Identifier: Apache-2.0
"""Least squares from noisy renders: Gauss-Newton with a linear model averaged over iterations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.fit.attempts import AVERAGES_BEFORE_QUESTION, DOUBTFUL_ERROR, MIN_AVERAGES, Place
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.descent import MIN_RADIUS, Descent, is_still
from weft.fit.information import (
    Half,
    gather_information,
    normal_equations,
    residual_variance,
)
from weft.fit.linear_model import SIGNIFICANT_DEVIATIONS, Average, Seen, State, differ, empty_halves
from weft.fit.quadratic import CAUTION, safe_quadratic
from weft.fit.starts import find_left, group_losses, loss_of, other_start, products_left

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

LATEST_QUESTION_AVERAGES = 12  # averaged draws after which that is asked even if steps go on
LOST_ERROR = 0.25  # of the range: an error of what the residuals do not tell
BOUND_DISTANCE = 0.01  # of the range: at a bound
DRAWN_FRACTION = 0.2  # of a variance by noise of the draws: more of them would hardly change it
MOVED_DISTANCE = 0.1  # of the range: a number that is so far from its start has moved


@dataclass
class GaussNewton(Descent):
    """Fits a few parameters: descents from one or more starts, and averages where they end.

    Its arguments are those of Descent.
    """

    def step(self) -> State:
        """Make one draw and use it up."""
        self.model.draw(self.state.x)
        self.state.draws += 1
        if self._average is None:
            self._descend()
        else:
            self._add_to_average()
        return self.state

    def forget(self) -> None:
        """Walk on from here: the weights of the residuals have changed, and losses with them."""
        self._average, self._is_asked, self._is_mixed, self._seen = None, False, False, None
        self.attempts.forget(self.state.draws)
        self.state.is_averaging = self.state.is_done = False

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        state, average = self.state, self._average
        out: dict[str, NDArray[np.generic]] = {
            "x": state.x,
            "errors": state.errors,
            "numbers": np.array([state.loss, self._reach]),
            "counts": np.array([state.draws, state.is_done, self._is_asked, self._is_mixed]),
        } | prefixed("attempts", self.attempts.save())
        if self._seen is not None:
            seen = self._seen
            out |= {"seen.x": seen.x, "seen.loss": np.array([seen.loss, seen.deviation])}
        if average is not None:
            out |= {"origin": average.origin, "count": np.array(average.count)}
            for name, half in (("a", average.a), ("b", average.b)):
                out |= {f"{name}.residual": half.residual, f"{name}.jacobian": half.jacobian}
        return out

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called."""
        loss, self._reach = map(float, saved["numbers"])
        draws, is_done, is_asked, is_mixed = map(int, saved["counts"])
        self._is_asked, self._is_mixed = bool(is_asked), bool(is_mixed)
        self._seen = None
        if "seen.x" in saved:
            self._seen = Seen(saved["seen.x"], *map(float, saved["seen.loss"]))
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

    def _other_start(self, number: int) -> NDArray[np.float64]:
        """Return another place to start from."""
        place = other_start(number, self.low, self.high)
        return place if self.open_range is None else np.where(self.open_range, self.x, place)

    def _add_to_average(self) -> None:
        """Average the linear model and solve it."""
        state, average = self.state, self._average
        assert average is not None
        a, b = drawn = self.model.linearise(state.x)
        if self._is_astray(a, b):
            a, b = drawn = self._return()
            average = self._average = Average(state.x.copy(), *empty_halves(a, b))
        # A linear model serves a neighbourhood only: what was averaged elsewhere is forgotten.
        if average.count and differ(average.at(state.x), drawn):
            self._reach = max(self._reach / 2, MIN_RADIUS)
            average = self._average = Average(state.x.copy(), *empty_halves(a, b))
        elif self._has_left(average):
            average = self._average = Average(state.x.copy(), *empty_halves(a, b))
        average.add(state.x, a, b)
        a, b = average.at(state.x)
        normal = normal_equations(a, b, self.together)
        normal = self._with_prior(normal, state.x, residual_variance(a, b))
        # The noise of an average stays: it is no reason to wait for the next draw.
        quadratic = safe_quadratic(normal, CAUTION / average.count**2)
        x = self._step(quadratic, state.x)
        a, b = average.at(x)
        state.x, self.residuals = x, (a.residual, b.residual)
        state.loss = float(a.residual @ b.residual) / len(a.residual)
        self._learn(x)
        if self._is_mixed and average.count >= MIN_AVERAGES and self._leaves_mixture(a, b):
            return
        if not self._is_asked and self._is_due(average.count, is_still(quadratic)):
            self._is_asked = True
            if self._question(*drawn):
                return
        state.is_done = average.count >= 2 and self._is_asked and self._is_exact()

    def _leaves_mixture(self, a: Half, b: Half) -> bool:
        """Return from parameters of several places to the best of these, if it is for sure better.

        Groups that share residuals may explain them best with others than they were found with.

        Args:
            a: The averaged model here, of one sample set.
            b: Of the other.
        """
        self._is_mixed = False
        best, state = self.best, self.state
        assert best is not None
        loss, deviation = loss_of(a.residual, b.residual, self.together)
        if not Seen(best.x, best.loss, best.deviation).is_below(loss, deviation):
            return False
        state.x, state.errors, state.loss = best.x.copy(), best.errors, best.loss
        state.information = best.information
        self._average = Average(best.x.copy(), *empty_halves(a, b))
        return True

    def _has_left(self, average: Average) -> bool:
        """Return whether steps have led, by more than noise, to where the slopes may be others.

        Not where too few draws are left to average anew: numbers of a line that is a little bent
        are better than numbers that nothing tells.
        """
        if self._is_late:
            return False
        moved = np.abs(self.state.x - average.origin)
        far = np.maximum(
            MOVED_DISTANCE * (self.high - self.low), SIGNIFICANT_DEVIATIONS * self.state.errors
        )
        return bool((moved > far).any())

    def _is_due(self, averaged: int, is_still: bool) -> bool:
        """Return whether enough draws are averaged to ask whether this is the place."""
        if self.attempts.places:
            return self.attempts.is_over(self.state.draws, averaged, is_still)
        return averaged >= LATEST_QUESTION_AVERAGES or (
            averaged >= AVERAGES_BEFORE_QUESTION and is_still
        )

    def _is_exact(self) -> bool:
        """Return whether errors are as small as was asked for, or as the pictures allow."""
        state = self.state
        assert state.information is not None
        assert self._average is not None
        is_small = state.errors <= self.tolerance * (self.high - self.low)
        is_noise_of_pictures = state.information.drawn_share <= DRAWN_FRACTION
        return bool(is_small.all()) or (
            self._average.count > AVERAGES_BEFORE_QUESTION
            and bool((is_small | is_noise_of_pictures).all())
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
            self._average, self._seen = None, None
            state.is_averaging, self._is_asked, self._is_mixed = False, False, False
            self._reach = self.radius
            return True
        if np.array_equal(x, state.x):
            return False
        assert self._average is not None
        self._is_mixed = not any(np.array_equal(x, place.x) for place in attempts.places)
        state.x, self._seen = x, None
        self._average = Average(x.copy(), *empty_halves(self._average.a, self._average.b))
        return True

    def _here(self) -> Place:
        """Return where the fit is."""
        state = self.state
        assert self._average is not None
        assert state.information is not None
        a, b = self._average.at(state.x)
        losses = group_losses(a, b, self._slopes(), self.attempts.groups)
        _, deviation = loss_of(a.residual, b.residual, self.together)
        return Place(
            state.loss,
            losses,
            state.x.copy(),
            state.errors,
            state.information,
            self.attempts.moved,
            deviation,
        )

    @property
    def best(self) -> Place | None:
        """The place that explains the residuals best; ``None`` before draws were averaged."""
        return self.attempts.best

    @property
    def is_elsewhere(self) -> bool:
        """Whether another start is under way, of which less is known than of the best place."""
        return bool(self.attempts.places) and (self._is_mixed or not self._is_asked)

    @property
    def may_start_elsewhere(self) -> bool:
        """Whether another start may follow, or is under way."""
        return self.attempts.most > 1 and (self._is_mixed or not self._is_asked)

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
        moved = np.abs(x - self.x) > MOVED_DISTANCE * extent
        bounded = np.minimum(x - self.low, self.high - x) < BOUND_DISTANCE * extent
        doubtful: NDArray[np.bool_] = moved & (
            errors > np.where(bounded, DOUBTFUL_ERROR, LOST_ERROR) * extent
        )
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
