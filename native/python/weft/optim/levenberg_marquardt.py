# SPDX-License-Identifier: Apache-2.0
"""Nonlinear least squares for few parameters, with error bars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from weft._native import ArgumentError, ArgumentTypeError, Tensor, solve_damped
from weft.optim.parameters import read_number

Vector: TypeAlias = "npt.NDArray[np.float64]"
Result: TypeAlias = "npt.ArrayLike | Tensor"
Reason: TypeAlias = Literal["gradient", "step", "damping", "iterations"]


@dataclass(frozen=True)
class LeastSquares:
    """Where a fit ended.

    Attributes:
        parameters: Shape ``(n,)``.
        residuals: The residuals there, shape ``(m,)``.
        cost: Half of the sum of their squares.
        covariance: Of the parameters, shape ``(n, n)``, from the curvature of the cost; infinite
            for parameters that the residuals do not determine, NaN for those held at a bound, and
            for all if the noise is to be estimated from no more residuals than parameters.
        iterations: Linear systems solved.
        evaluations: Calls of `residuals`, those for differences included.
        reason: "gradient" or "step" (it is small enough, or its gain drowns in rounding), "damping"
            (no step reduces the cost, however short), or "iterations" (there are no more).
    """

    parameters: Vector
    residuals: Vector
    cost: float
    covariance: Vector
    iterations: int
    evaluations: int
    reason: Reason

    @property
    def is_converged(self) -> bool:
        """Whether `reason` is ``gradient`` or ``step``: one is as small as asked for."""
        return self.reason in ("gradient", "step")

    @property
    def standard_errors(self) -> Vector:
        """One standard deviation of each parameter, shape ``(n,)``."""
        errors: Vector = np.sqrt(np.diag(self.covariance))
        return errors


class LevenbergMarquardt:
    """Minimises half of the sum of squared residuals over some tens of parameters.

    Levenberg-Marquardt in the form of Madsen, Nielsen and Tingleff, "Methods for non-linear least
    squares problems", 2004, algorithm 3.16, with Nielsen's damping by the gain ratio and
    Marquardt's scaling by the diagonal, which makes the units of the parameters irrelevant. Normal
    equations are solved in float64 on the host.

    Args:
        residuals: Takes the parameters as a float64 array ``(n,)`` and returns the residuals, an
            array or a tensor of any shape with m elements.
        jacobian: Takes the same and returns the derivatives, ``(m, n)``; None takes central
            differences.
        bounds: (lower, upper), numbers or arrays ``(n,)``, None for an open side. Steps are
            projected.
        initial_damping: Relative to the curvature; 0 begins with Gauss-Newton steps.
        tolerance_gradient: The fit ends when no column of the Jacobian has a larger cosine with the
            residuals.
        tolerance_step: The fit ends when each parameter moves by at most this part of its size.
        noise: Standard deviation of the residuals; None estimates it from their scatter.

    Raises:
        ArgumentError: A number is out of its range.

    Example:
        >>> fit = weft.optim.LevenbergMarquardt(lambda x: model(x) - measured).fit([1.0, 0.5])
        >>> fit.parameters, fit.standard_errors
    """

    def __init__(
        self,
        residuals: Callable[[Vector], Result],
        jacobian: Callable[[Vector], Result] | None = None,
        *,
        bounds: tuple[npt.ArrayLike | None, npt.ArrayLike | None] = (None, None),
        initial_damping: float = 1e-3,
        tolerance_gradient: float = 1e-8,
        tolerance_step: float = 1e-8,
        noise: float | None = None,
    ) -> None:
        for what, function in (("residuals", residuals), ("jacobian", jacobian)):
            if function is not None and not callable(function):
                raise ArgumentTypeError(
                    f"LevenbergMarquardt: {what} must be callable, got {type(function).__name__}"
                )
        for what, value in (
            ("initial_damping", initial_damping),
            ("tolerance_gradient", tolerance_gradient),
            ("tolerance_step", tolerance_step),
            ("noise", 0.0 if noise is None else noise),
        ):
            read_number("LevenbergMarquardt", what, value, 0.0, "pass for example 1e-3")
        self._residuals, self._jacobian = residuals, jacobian
        self._bounds = bounds
        self._initial_damping = initial_damping
        self._tolerance_gradient, self._tolerance_step = tolerance_gradient, tolerance_step
        self._noise = noise

    def fit(self, start: npt.ArrayLike, max_iterations: int = 100) -> LeastSquares:
        """Fit, from `start`, which is projected into the bounds.

        Args:
            start: Shape ``(n,)``.
            max_iterations: 1 or greater.

        Raises:
            ArgumentError: Shapes do not fit, or the residuals of `start` are not finite.
        """
        read_number("fit", "max_iterations", max_iterations, 1, "pass for example 100")
        x = np.array(start, dtype=np.float64)
        if x.ndim != 1 or x.size == 0:
            raise ArgumentError(f"fit: start must have shape (n,), got {x.shape}")
        problem = _Problem(self._residuals, self._jacobian, *self._read_bounds(x.size))
        x = problem.project(x)
        r = problem.residuals(x)
        if not np.all(np.isfinite(r)):
            raise ArgumentError(
                "fit: residuals of start are not all finite; start where they are, or check bounds"
            )
        return self._iterate(problem, x, r, max_iterations)

    def _read_bounds(self, count: int) -> tuple[Vector, Vector]:
        if not isinstance(self._bounds, tuple) or len(self._bounds) != 2:
            raise ArgumentTypeError(
                "fit: bounds must be a tuple (lower, upper), got "
                f"{type(self._bounds).__name__}; None leaves a side open"
            )
        sides = []
        for side, open_side in zip(self._bounds, (-np.inf, np.inf), strict=True):
            array = np.asarray(open_side if side is None else side, dtype=np.float64)
            if array.shape not in ((), (count,)):
                raise ArgumentError(
                    f"fit: bounds must be numbers or have shape ({count},), got {array.shape}"
                )
            sides.append(np.broadcast_to(array, (count,)))
        if not np.all(sides[0] <= sides[1]):
            raise ArgumentError(
                "fit: bounds has a lower bound that is not below its upper one; swap them"
            )
        return sides[0], sides[1]

    def _iterate(
        self, problem: _Problem, x: Vector, r: Vector, max_iterations: int
    ) -> LeastSquares:
        damping, growth = self._initial_damping, 2.0
        scales = np.zeros(x.size)
        jacobian = problem.jacobian(x, r)
        reason: Reason = "iterations"
        iterations = 0
        while iterations < max_iterations:
            gradient = jacobian.T @ r
            free = problem.free(x, gradient)
            norms = np.linalg.norm(jacobian, axis=0)
            # The cosine between residuals and columns has no unit.
            limits = self._tolerance_gradient * norms * np.linalg.norm(r)
            if np.all(np.abs(gradient[free]) <= limits[free]):
                reason = "gradient"
                break
            scales = np.maximum(scales, norms)
            step = problem.solve(jacobian, gradient, free, damping * scales**2)
            iterations += 1
            trial = problem.project(x + step)
            step = trial - x
            predicted = -float(gradient @ step + 0.5 * np.sum((jacobian @ step) ** 2))
            is_small = np.abs(step) <= self._tolerance_step * (np.abs(x) + self._tolerance_step)
            if np.all(is_small) or 0 <= predicted <= 0.5 * problem.precision * float(r @ r):
                reason = "step"
                break
            trial_r = problem.residuals(trial)
            actual = 0.5 * float(r @ r - trial_r @ trial_r)
            if actual > 0 and predicted > 0:
                x, r = trial, trial_r
                jacobian = problem.jacobian(x, r)
                damping *= max(1 / 3, 1 - (2 * actual / predicted - 1) ** 3)
                growth = 2.0
            else:
                # NaN comes here too.
                damping = max(damping * growth, 1e-3)
                growth *= 2
                if damping > 1e12:
                    reason = "damping"
                    break
        free = problem.free(x, jacobian.T @ r)
        covariance = _covariance(jacobian, r, free, self._noise)
        cost = 0.5 * float(r @ r)
        return LeastSquares(x, r, cost, covariance, iterations, problem.evaluations, reason)


class _Problem:
    """The user's functions, checked and counted, and the bounds."""

    def __init__(
        self,
        residuals: Callable[[Vector], Result],
        jacobian: Callable[[Vector], Result] | None,
        lower: Vector,
        upper: Vector,
    ) -> None:
        self._residuals, self._jacobian = residuals, jacobian
        self._lower, self._upper = lower, upper
        self.precision = 0.0
        self._count: int | None = None
        self.evaluations = 0

    def project(self, x: Vector) -> Vector:
        return np.clip(x, self._lower, self._upper)

    def free(self, x: Vector, gradient: Vector) -> npt.NDArray[np.bool_]:
        """Where the way down does not lead out of the bounds."""
        held = ((x <= self._lower) & (gradient > 0)) | ((x >= self._upper) & (gradient < 0))
        loose: npt.NDArray[np.bool_] = ~(held | (self._lower == self._upper))
        return loose

    def residuals(self, x: Vector) -> Vector:
        self.evaluations += 1
        array = _to_array(self._residuals(x.copy()))
        if array.dtype.kind != "f":
            array = array.astype(np.float64)
        self.precision = float(np.finfo(array.dtype).eps)
        flat: Vector = array.reshape(-1).astype(np.float64)
        if self._count is None:
            self._count = flat.size
        if flat.size == 0 or flat.size != self._count:
            raise ArgumentError(
                f"fit: residuals must return the same number of values each time, at least 1, got "
                f"{flat.size} after {self._count}"
            )
        return flat

    def jacobian(self, x: Vector, r: Vector) -> Vector:
        if self._jacobian is None:
            return self._differences(x)
        array = _to_array(self._jacobian(x.copy()))
        if array.shape != (r.size, x.size):
            raise ArgumentError(
                f"fit: jacobian must return shape ({r.size}, {x.size}), residuals by parameters, "
                f"got {array.shape}"
            )
        return array.astype(np.float64)

    def _differences(self, x: Vector) -> Vector:
        """Central differences, one-sided at a bound; steps that suit the residuals' precision."""
        columns = []
        for index in range(x.size):
            h = float(np.cbrt(self.precision)) * max(abs(x[index]), 1e-2)
            ends = np.stack([x, x])
            ends[0, index], ends[1, index] = x[index] + h, x[index] - h
            ends = np.clip(ends, self._lower, self._upper)
            width = ends[0, index] - ends[1, index]
            difference = self.residuals(ends[0]) - self.residuals(ends[1]) if width else 0 * x[:1]
            columns.append(np.broadcast_to(difference / (width or 1.0), (self._count or 1,)))
        return np.stack(columns, axis=-1)

    def solve(
        self, jacobian: Vector, gradient: Vector, free: npt.NDArray[np.bool_], damping: Vector
    ) -> Vector:
        """Solve (J'J + damping) step = -J'r for the free parameters, scaled to a unit diagonal."""
        j = jacobian[:, free]
        cutoff = j.shape[1] * np.finfo(np.float64).eps
        step = np.zeros(free.size)
        step[free] = solve_damped(j.T @ j, gradient[free], damping[free], cutoff)
        return step


def _to_array(value: Result) -> npt.NDArray[Any]:
    return value.to_numpy() if isinstance(value, Tensor) else np.asarray(value)


def _covariance(
    jacobian: Vector, r: Vector, free: npt.NDArray[np.bool_], noise: float | None
) -> Vector:
    """Return noise^2 (J'J)^-1 over the free parameters."""
    covariance = np.full((free.size, free.size), np.nan)
    count = int(np.count_nonzero(free))
    if count == 0 or (noise is None and r.size <= count):
        return covariance
    variance = float(r @ r) / (r.size - count) if noise is None else noise**2
    j = jacobian[:, free]
    norms = np.linalg.norm(j, axis=0)
    scale = np.where(norms > 0, norms, 1.0)
    values, vectors = np.linalg.eigh((j / scale).T @ (j / scale))
    lost = values <= count * np.finfo(np.float64).eps * max(values.max(), 1.0)
    inverse = (vectors[:, ~lost] / values[~lost]) @ vectors[:, ~lost].T
    unknown = np.any(np.abs(vectors[:, lost]) > 1e-6, axis=1)
    inverse *= variance / np.outer(scale, scale)
    inverse[unknown, unknown] = np.inf
    covariance[np.ix_(free, free)] = inverse
    return covariance
