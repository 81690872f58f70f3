# SPDX-License-Identifier: Apache-2.0
"""Least squares from noisy renders: Gauss-Newton with a linear model averaged over draws.

A residual and a derivative from the same samples are correlated, and their product is biased.
Every draw therefore comes in two independent halves A and B, and products take one factor of each:
H = (J_A' J_B + J_B' J_A) / 2 and g = (J_A' r_B + J_B' r_A) / 2, both unbiased.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.fit.prior import Prior


# Eigenvalues of H with a unit diagonal below this are those of sums in float32.
ROUNDING = 1e-6
# No residuals count as explained by the fit for more than this: leverages of noise have no bound.
MOST_LEVERAGE = 0.5


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


def residual_variance(a: Half, b: Half) -> float:
    """Return the variance of a residual whose noise is the mean of two halves'."""
    return float(np.mean(((a.residual + b.residual) / 2) ** 2))


def unexplained(
    a: Half, b: Half, inverse: NDArray[np.float64], together: int
) -> NDArray[np.float64]:
    """Return the residuals of each cluster as a fit of all the others would leave them.

    The jackknife of MacKinnon and White (1985), for clusters (Bell, McCaffrey 2002):
    (1 - J_g H^-1 J_g')^-1 r_g.

    Args:
        a: One half.
        b: The other.
        inverse: H^-1, shape ``(parameters, parameters)``.
        together: Residuals of a cluster, in a row.

    Returns:
        Shape ``(clusters, together)``.
    """
    residual = (a.residual + b.residual).reshape(-1, together).astype(np.float64) / 2
    halves = [half.jacobian.reshape(len(residual), together, -1) for half in (a, b)]
    # Products take one factor of each half, as those of H do.
    cross = np.einsum("gip,pq,gjq->gij", halves[0], inverse, halves[1], optimize=True)
    leverage = (cross + cross.transpose(0, 2, 1)) / 2
    size = np.linalg.norm(leverage, axis=(1, 2), keepdims=True)
    leverage *= np.minimum(1, MOST_LEVERAGE / np.maximum(size, MOST_LEVERAGE))
    others = np.eye(together) - leverage
    return np.linalg.solve(others, residual[:, :, None])[:, :, 0]


def gather_information(
    normal: Normal,
    a: Half,
    b: Half,
    known: NDArray[np.float64] | None = None,
    together: int = 1,
) -> Information:
    """Return what two halves say of the parameters.

    The residuals that remain are the noise, that of the target included: the sandwich estimator of
    White (1980), for clusters of residuals that share their noise (Liang, Zeger 1986). The fit has
    explained a part of the noise where few residuals tell a parameter; see unexplained().

    Args:
        normal: The normal equations, those of a prior included.
        a: One half.
        b: The other.
        known: What the prior has added to the diagonal of the matrix.
        together: So many residuals in a row share their noise: the channels of a pixel.
    """
    diagonal = np.diag(normal.matrix).astype(np.float64)
    is_known = diagonal > 1e-9 * max(float(diagonal.max()), 1e-30)
    scale = np.sqrt(np.where(is_known, diagonal, 1.0))
    unit = np.where(np.outer(is_known, is_known), normal.matrix / np.outer(scale, scale), 0)
    values, vectors = np.linalg.eigh(unit)
    is_lost = values < ROUNDING
    inverse = (vectors / np.maximum(values, ROUNDING)) @ vectors.T / np.outer(scale, scale)
    residual = unexplained(a, b, inverse, together)
    jacobian = (a.jacobian + b.jacobian).reshape(residual.shape[0], together, -1) / 2
    weighted = np.einsum("gip,gi->gp", jacobian, residual)
    noise = weighted.T @ weighted
    if known is not None:
        noise = noise + residual_variance(a, b) * np.diag(known)
    covariance = inverse @ noise @ inverse
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


CERTAIN = 6.0  # standard deviations of its noise: a larger loss is more than noise


def _radical_inverse(number: int, base: int) -> float:
    """Return the digits of a number mirrored at the point."""
    out, scale = 0.0, 1.0 / base
    while number:
        number, digit = divmod(number, base)
        out += digit * scale
        scale /= base
    return out


def _primes(count: int) -> list[int]:
    """Return the first primes."""
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return found


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
        prior: What is known of the parameters; ``None``: nothing.
        starts: Most places to start from: another one is tried where the steps have ended and more
            than noise is left of the residuals. The best of them counts.
        open_range: Unknowns that other starts leave where they are.
        together: So many residuals in a row share their noise: the channels of a pixel.
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
    prior: Prior | None = None
    starts: int = 1
    open_range: NDArray[np.bool_] | None = None
    together: int = 1
    state: State = field(init=False)
    _damping: float = 1e-2
    _average: Average | None = None
    _ends: list[tuple[float, NDArray[np.float64]]] = field(default_factory=list)
    _began: int = 0  # draws at the start under way

    def __post_init__(self) -> None:
        """Start at the start."""
        self.x = np.clip(np.asarray(self.x, np.float64), self.low, self.high)
        self.state = State(self.x.copy(), np.full(len(self.x), np.inf))

    @property
    def averaged(self) -> int:
        """Draws that the averaged model holds."""
        return 0 if self._average is None else self._average.count

    def step(self) -> State:
        """Make one draw and use it up."""
        self.model.draw(self.state.x)
        self.state.draws += 1
        if self._average is None:
            self._walk()
        else:
            self._add_to_average()
        return self.state

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        state, average = self.state, self._average
        out: dict[str, NDArray[np.generic]] = {
            "x": state.x,
            "errors": state.errors,
            "numbers": np.array([state.loss, self._damping]),
            "counts": np.array([state.draws, state.is_done, self._began]),
            "losses": np.array([loss for loss, _ in self._ends]),
            "ends": np.array([x for _, x in self._ends]).reshape(-1, len(state.x)),
        }
        if average is not None:
            out |= {"origin": average.origin, "count": np.array(average.count)}
            for name, half in (("a", average.a), ("b", average.b)):
                out |= {f"{name}.residual": half.residual, f"{name}.jacobian": half.jacobian}
        return out

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called."""
        loss, self._damping = map(float, saved["numbers"])
        draws, is_done, self._began = map(int, saved["counts"])
        self._ends = list(zip(map(float, saved["losses"]), saved["ends"], strict=True))
        self.state = State(saved["x"], saved["errors"], loss, draws, False, bool(is_done))
        self._average = None
        if "origin" not in saved:
            return
        halves = [Half(saved[f"{n}.residual"], saved[f"{n}.jacobian"]) for n in ("a", "b")]
        self._average = Average(saved["origin"], halves[0], halves[1], int(saved["count"]))
        self.state.is_averaging = True
        if self._average.count:
            self._learn(self.state.x)

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
            variance = residual_variance(a, b)
            normal = self._with_prior(normal_equations(a, b), x, variance)
            candidate = self._clip(x, damped_step(normal, self._damping), self.radius)
            after_a, after_b = self.model.residuals(candidate)
            loss = float(after_a @ after_b)
            if self.prior is not None:
                loss += self.prior.loss(candidate, variance)
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
        draws = state.draws - self._began
        if (moved < 0.06 and self._damping < 1) or draws >= self.warm_draws:
            self._end_walk(a, b)

    def _with_prior(self, normal: Normal, x: NDArray[np.float64], variance: float) -> Normal:
        return normal if self.prior is None else self.prior.add_to(normal, x, variance)

    def _end_walk(self, a: Half, b: Half) -> None:
        """Average from here, or start elsewhere if what is left is more than noise."""
        state = self.state
        after_a, after_b = self.model.residuals(state.x)
        products = after_a * after_b
        noise = float(np.std(products)) * np.sqrt(len(products))
        loss = float(products.sum())
        self._ends.append((loss, state.x.copy()))
        if loss > CERTAIN * noise and len(self._ends) < self.starts:
            state.x = self._other_start(len(self._ends))
            self._began, self._damping = state.draws, 1e-2
            return
        _, state.x = min(self._ends, key=lambda end: end[0])
        state.is_averaging = True
        self._average = Average(state.x.copy(), *_empty_halves(a, b))

    def _other_start(self, number: int) -> NDArray[np.float64]:
        """Return another place to start from, far from those before (Halton 1960)."""
        shares = np.array([_radical_inverse(number, base) for base in _primes(len(self.x))])
        place = self.low + (0.1 + 0.8 * shares) * (self.high - self.low)
        return place if self.open_range is None else np.where(self.open_range, self.x, place)

    def _add_to_average(self) -> None:
        """Average the linear model and solve it."""
        state, average = self.state, self._average
        assert average is not None
        average.add(state.x, *self.model.linearise(state.x))
        x = average.origin
        for _ in range(2):
            a, b = average.at(x)
            variance = residual_variance(a, b)
            normal = self._with_prior(normal_equations(a, b), x, variance)
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
        self._learn(x)
        state.is_done = average.count >= 2 and bool(
            np.all(state.errors <= self.tolerance * (self.high - self.low))
        )

    def _learn(self, x: NDArray[np.float64]) -> None:
        """Find what the averaged model says at `x`."""
        assert self._average is not None
        a, b = self._average.at(x)
        known = None
        normal = normal_equations(a, b)
        if self.prior is not None:
            variance = residual_variance(a, b)
            normal = self.prior.add_to(normal, x, variance)
            known = variance * self.prior.precision
        self.state.information = gather_information(normal, a, b, known, self.together)
        self.state.errors = self.state.information.errors
