# SPDX-License-Identifier: Apache-2.0
"""Least squares from noisy renders: Gauss-Newton with a linear model averaged over draws.

A residual and a derivative from the same samples are correlated, and their product is biased.
Every draw therefore comes in two independent halves A and B, and products take one factor of each:
H = (J_A' J_B + J_B' J_A) / 2 and g = (J_A' r_B + J_B' r_A) / 2, both unbiased.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Eigenvalues of H with a unit diagonal below this are those of sums in float32.
ROUNDING = 1e-6


@dataclass
class Half:
    """Residuals and their derivatives from one half of the samples, weighted.

    Args:
        residual: Shape ``(n,)``: render minus target.
        jacobian: Shape ``(n, parameters)``.
    """

    residual: NDArray[np.floating]
    jacobian: NDArray[np.floating]


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
class Normal:
    """The normal equations of two halves.

    Args:
        matrix: H, shape ``(parameters, parameters)``.
        gradient: g, shape ``(parameters,)``.
        loss: r_A' r_B: unbiased, zero where the model explains the target.
    """

    matrix: NDArray[np.float64]
    gradient: NDArray[np.float64]
    loss: float


def normal_equations(a: Half, b: Half) -> Normal:
    """Return the normal equations of two independent halves."""
    cross = a.jacobian.T @ b.jacobian
    gradient = (a.jacobian.T @ b.residual + b.jacobian.T @ a.residual) / 2
    return Normal((cross + cross.T) / 2, gradient, float(a.residual @ b.residual))


def damped_step(normal: Normal, damping: float) -> NDArray[np.float64]:
    """Return the step of Levenberg and Marquardt.

    Directions that noise has given a negative curvature are not followed.
    """
    diagonal = np.diag(normal.matrix)
    largest = float(diagonal.max())
    if largest <= 0:
        return np.zeros(len(diagonal))
    scale = np.sqrt(np.maximum(diagonal, 1e-10 * largest))
    values, vectors = np.linalg.eigh(normal.matrix / np.outer(scale, scale))
    along = vectors.T @ (normal.gradient / scale)
    usable = values > ROUNDING
    inverse = np.where(usable, 1 / (np.where(usable, values, 1) + damping), 0)
    step: NDArray[np.float64] = -(vectors @ (inverse * along)) / scale
    return step


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


def _empty_halves(a: Half, b: Half) -> tuple[Half, Half]:
    """Return halves of the same shape, all zero."""
    return (
        Half(np.zeros_like(a.residual), np.zeros_like(a.jacobian)),
        Half(np.zeros_like(b.residual), np.zeros_like(b.jacobian)),
    )


@dataclass
class Information:
    """What draws say of the parameters.

    Args:
        matrix: H, shape ``(parameters, parameters)``.
        covariance: Of the parameters, the same shape; directions that are lost have a large, finite
            variance.
        lost: Directions along which the residuals do not change, shape
            ``(parameters, directions)``, unit vectors on a scale where H has a unit diagonal.
    """

    matrix: NDArray[np.float64]
    covariance: NDArray[np.float64]
    lost: NDArray[np.float64]

    @property
    def is_silent(self) -> NDArray[np.bool_]:
        """Which parameters the residuals do not depend on at all."""
        diagonal = np.diag(self.matrix)
        silent: NDArray[np.bool_] = diagonal <= 1e-9 * max(float(diagonal.max()), 1e-30)
        return silent

    @property
    def errors(self) -> NDArray[np.float64]:
        """One standard error a parameter, infinite where the residuals do not determine it."""
        is_lost = (self.lost**2).sum(axis=1) > 0.01
        diagonal = np.sqrt(np.maximum(np.diag(self.covariance), 0))
        return np.where(is_lost, np.inf, diagonal)


def gather_information(normal: Normal, a: Half, b: Half) -> Information:
    """Return what two halves say of the parameters.

    The residuals that remain are the noise, that of the target included: the sandwich estimator of
    White (1980).
    """
    residual = (a.residual + b.residual) / 2
    weighted = (a.jacobian + b.jacobian) / 2 * residual[:, None]
    diagonal = np.diag(normal.matrix).astype(np.float64)
    is_known = diagonal > 1e-9 * max(float(diagonal.max()), 1e-30)
    scale = np.sqrt(np.where(is_known, diagonal, 1.0))
    unit = np.where(np.outer(is_known, is_known), normal.matrix / np.outer(scale, scale), 0)
    values, vectors = np.linalg.eigh(unit)
    is_lost = values < ROUNDING
    inverse = (vectors / np.maximum(values, ROUNDING)) @ vectors.T / np.outer(scale, scale)
    covariance = inverse @ (weighted.T @ weighted) @ inverse
    return Information(normal.matrix, covariance, vectors[:, is_lost])


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
        reach: Averages start anew when the solution is farther than this from where they began, in
            units of the range.
        warm_draws: Draws after which the model is averaged even if steps are still large.
    """

    model: Model
    x: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    radius: float = 0.15
    tolerance: float = 0.003
    inner_steps: int = 3
    reach: float = 0.12
    warm_draws: int = 12
    state: State = field(init=False)
    _damping: float = 1e-2
    _average: Average | None = None

    def __post_init__(self) -> None:
        """Start at the start."""
        self.x = np.clip(np.asarray(self.x, np.float64), self.low, self.high)
        self.state = State(self.x.copy(), np.full(len(self.x), np.inf))

    def step(self) -> State:
        """Make one draw and use it up."""
        self.model.draw(self.state.x)
        self.state.draws += 1
        if self._average is None:
            self._walk()
        else:
            self._add_to_average()
        return self.state

    def _clip(
        self, x: NDArray[np.float64], step: NDArray[np.float64], radius: float
    ) -> NDArray[np.float64]:
        """Return `x` moved by `step`, shortened to the trust region and the bounds."""
        extent = self.high - self.low
        largest = float(np.max(np.abs(step) / extent))
        return np.clip(x + step * min(1.0, radius / max(largest, 1e-30)), self.low, self.high)

    def _walk(self) -> None:
        """Take Levenberg-Marquardt steps on one draw, as long as they pay."""
        state = self.state
        x = state.x
        moved = 0.0
        for _ in range(self.inner_steps):
            a, b = self.model.linearise(x)
            normal = normal_equations(a, b)
            candidate = self._clip(x, damped_step(normal, self._damping), self.radius)
            after_a, after_b = self.model.residuals(candidate)
            loss = float(after_a @ after_b)
            # What noise alone makes of the difference of the losses.
            change = after_a * after_b - a.residual * b.residual
            noise = float(np.std(change)) * np.sqrt(len(change))
            state.loss = normal.loss / len(change)
            if loss - normal.loss > noise:
                self._damping = min(self._damping * 10, 1e3)
                continue
            self._damping = max(self._damping / 5, 1e-4)
            step = float(np.max(np.abs(candidate - x) / (self.high - self.low)))
            moved = max(moved, step)
            x = candidate
            if step < 0.03:
                break
        state.x = x
        if (moved < 0.06 and self._damping < 1) or state.draws >= self.warm_draws:
            state.is_averaging = True
            self._average = Average(x.copy(), *_empty_halves(a, b))

    def _add_to_average(self) -> None:
        """Average the linear model and solve it."""
        state, average = self.state, self._average
        assert average is not None
        average.add(state.x, *self.model.linearise(state.x))
        x = average.origin
        for _ in range(2):
            a, b = average.at(x)
            normal = normal_equations(a, b)
            x = self._clip(x, damped_step(normal, 0.0), self.radius)
        a, b = average.at(x)
        # A linear model serves a neighbourhood only: what was averaged elsewhere is forgotten.
        if float(np.max(np.abs(x - average.origin) / (self.high - self.low))) > self.reach:
            state.x = x
            self._average = Average(x.copy(), *_empty_halves(a, b))
            state.loss = float(a.residual @ b.residual) / len(a.residual)
            return
        state.x = x
        state.loss = float(a.residual @ b.residual) / len(a.residual)
        state.information = gather_information(normal_equations(a, b), a, b)
        state.errors = state.information.errors
        state.is_done = average.count >= 2 and bool(
            np.all(state.errors <= self.tolerance * (self.high - self.low))
        )
