# SPDX-License-Identifier: Apache-2.0
"""L-BFGS: few evaluations of a smooth, deterministic loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from weft._native import ArgumentError, ArgumentTypeError, Tensor
from weft.optim.flat import FlatSpace
from weft.optim.gradients import check_gradients, find_gradients
from weft.optim.line_search import Point, search_backtracking, search_strong_wolfe
from weft.optim.parameters import Tensors, read_number, read_parameters
from weft.optim.states import owner_of_state

Closure: TypeAlias = "Callable[[], float | Tensor | tuple[float | Tensor, Tensors]]"
"""Evaluates the loss of the parameters as they are: returns it, and the gradients unless the
parameters hold them in ``grad``. It must set gradients that it accumulates to zero itself."""

SEARCHES = {"strong_wolfe": search_strong_wolfe, "backtracking": search_backtracking}


@dataclass(frozen=True)
class Minimum:
    """Where a minimisation ended.

    Attributes:
        loss: The loss there.
        gradient_norm: The Euclidean norm of the gradient there.
        iterations: Directions followed.
        evaluations: Calls of the closure.
        reason: "gradient" (it is small enough), "change" (the loss no longer changes), "line
            search" (no way down was found) or "iterations" (there are no more).
    """

    loss: float
    gradient_norm: float
    iterations: int
    evaluations: int
    reason: Literal["gradient", "change", "line search", "iterations"]

    @property
    def is_converged(self) -> bool:
        """Whether `reason` is ``gradient`` or ``change``: one is as small as asked for."""
        return self.reason in ("gradient", "change")


class LBFGS:
    """Limited-memory BFGS.

    Nocedal and Wright, "Numerical optimization", second edition, 2006, algorithms 7.4 and 7.5. All
    vectors are float, or double if a parameter is double.

    Args:
        parameters: Tensors of half, float, double or of vectors of these.
        history: Pairs of vectors kept, each as large as all parameters; 1 or greater.
        line_search: "strong_wolfe" or "backtracking", which evaluates less and needs gradients only
            where it ends.
        max_evaluations: Evaluations of one line search; 1 or greater.
        tolerance_gradient: A gradient of at most this times max(1, norm of the parameters) ends
            minimise().
        tolerance_change: A relative change of the loss of at most this ends minimise().

    Raises:
        ArgumentError: A number is out of its range.

    Example:
        >>> optimizer = weft.optim.LBFGS([x])
        >>> optimizer.minimise(lambda: (loss(), [gradient()])).is_converged
        True
    """

    def __init__(
        self,
        parameters: Tensors,
        *,
        history: int = 10,
        line_search: Literal["strong_wolfe", "backtracking"] = "strong_wolfe",
        max_evaluations: int = 25,
        tolerance_gradient: float = 1e-5,
        tolerance_change: float = 1e-9,
    ) -> None:
        self._parameters = read_parameters("LBFGS", parameters)
        if line_search not in SEARCHES:
            raise ArgumentError(
                f"LBFGS: line_search must be {' or '.join(SEARCHES)}, got {line_search!r}"
            )
        self._search = SEARCHES[line_search]
        for what, count in (("history", history), ("max_evaluations", max_evaluations)):
            read_number("LBFGS", what, count, 1, "pass for example 10")
        for what, value in (
            ("tolerance_gradient", tolerance_gradient),
            ("tolerance_change", tolerance_change),
        ):
            read_number("LBFGS", what, value, 0.0, "0 is none")
        self._budget = int(max_evaluations)
        self._tolerance_gradient, self._tolerance_change = tolerance_gradient, tolerance_change
        self._space = space = FlatSpace(self._parameters)
        self._x, self._start, self._gradient = space.create(), space.create(), space.create()
        self._direction, self._trial_gradient = space.create(), space.create()
        shape = (int(history), space.size)
        self._s = Tensor.zeros(space.device, shape, space.number)
        self._y = Tensor.zeros(space.device, shape, space.number)
        self._order: list[int] = []
        self._evaluations = 0
        self._evaluated = 0.0
        self._step_count = 0

    @property
    def step_count(self) -> int:
        """Directions followed so far, from 0."""
        return self._step_count

    def step(self, closure: Closure) -> float:
        """Follow one direction.

        Args:
            closure: See Closure. Called at the parameters as they are, then along the direction.

        Returns:
            The loss at the new parameters. They stay where they are if the gradient is zero or no
            way down is found.

        Raises:
            ArgumentError: The closure returned no loss, a NaN, or gradients that do not fit.
        """
        loss = self._begin("LBFGS.step", closure)
        return self._iterate(closure, loss)[0]

    def minimise(self, closure: Closure, max_iterations: int = 100) -> Minimum:
        """Follow directions until the loss is least.

        Args:
            closure: See Closure. It must give the same loss for the same parameters.
            max_iterations: 1 or greater.

        Raises:
            ArgumentError: As of step().
        """
        read_number("LBFGS.minimise", "max_iterations", max_iterations, 1, "pass for example 100")
        before = self._evaluations
        loss = self._begin("LBFGS.minimise", closure)
        reason: Literal["gradient", "change", "line search", "iterations"] = "iterations"
        iterations = 0
        while True:
            if self._gradient_norm() <= self._tolerance_gradient * max(1.0, self._norm(self._x)):
                reason = "gradient"
                break
            if iterations >= max_iterations:
                break
            previous = loss
            loss, moved = self._iterate(closure, loss)
            iterations += 1
            if not moved:
                reason = "line search"
                break
            if abs(previous - loss) <= self._tolerance_change * max(abs(previous), abs(loss)):
                reason = "change"
                break
        evaluations = self._evaluations - before
        return Minimum(loss, self._gradient_norm(), iterations, evaluations, reason)

    def zero_grad(self) -> None:
        """Set the gradients that the parameters hold to zero; those without one are left alone."""
        for parameter in self._parameters:
            gradient = getattr(parameter.tensor, "grad", None)
            if gradient is not None:
                gradient.clear()

    def state_dict(self) -> dict[str, Any]:
        """Return the history as numpy arrays, in the parameters' precision; for restoring."""
        return {
            "optimizer": "LBFGS",
            "step": self._step_count,
            "order": np.array(self._order, np.int64),
            "s": self._s.to_numpy(),
            "y": self._y.to_numpy(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of state_dict(); step() then continues bit for bit.

        Raises:
            ArgumentError: It is of another optimizer, other parameters or another history.
        """
        owner = owner_of_state(state)
        if owner != "LBFGS":
            raise ArgumentError(
                f"LBFGS.load_state_dict: the state is of {owner}; make that "
                "optimizer, or pass a state of this one"
            )
        arrays = {name: np.asarray(state[name]) for name in ("s", "y")}
        for name, tensor in (("s", self._s), ("y", self._y)):
            expected = np.dtype(tensor.dtype.numpy_name)
            if arrays[name].shape != tensor.shape or arrays[name].dtype != expected:
                raise ArgumentError(
                    f"LBFGS.load_state_dict: '{name}' must have shape {tensor.shape} and dtype "
                    f"{expected}, got {arrays[name].shape} and {arrays[name].dtype}; make it with "
                    "the same parameters and history"
                )
        self._s.copy_from_numpy(arrays["s"])
        self._y.copy_from_numpy(arrays["y"])
        self._order = [int(index) for index in state["order"]]
        self._step_count = int(state["step"])

    def _begin(self, function: str, closure: Closure) -> float:
        self._space.gather(self._x)
        loss = self._evaluate(function, closure, self._gradient)
        if not math.isfinite(loss):
            raise ArgumentError(
                f"{function}: the loss of the parameters is {loss}; begin where it is finite"
            )
        return loss

    def _evaluate(self, function: str, closure: Closure, gradient: Tensor) -> float:
        """Evaluate at the parameters as they are."""
        self._evaluations += 1
        result = closure()
        loss, given = result if isinstance(result, tuple) else (result, None)
        number = loss.item() if isinstance(loss, Tensor) else loss
        if isinstance(number, bool) or not hasattr(number, "__float__"):
            raise ArgumentTypeError(
                f"{function}: closure must return the loss, or (loss, gradients), got "
                f"{type(loss).__name__}"
            )
        found = find_gradients(function, self._parameters, given)
        self._space.gather(gradient, check_gradients(function, self._parameters, found))
        return float(number)

    def _iterate(self, closure: Closure, loss: float) -> tuple[float, bool]:
        """Follow one direction from the state that _begin() or the last iteration left."""
        space = self._space
        slope = self._set_direction()
        if slope == 0:
            return loss, False
        space.copy(self._start, self._x)

        def evaluate(distance: float) -> Point:
            space.copy(self._x, self._start)
            space.add_scaled(self._x, self._direction, distance)
            space.scatter(self._x)
            value = self._evaluate("LBFGS", closure, self._trial_gradient)
            self._evaluated = distance
            return Point(distance, value, space.dot(self._trial_gradient, self._direction))

        first = 1.0 if self._order else min(1.0, 1.0 / self._gradient_norm())
        point = self._search(evaluate, Point(0.0, loss, slope), first, self._budget)
        self._step_count += 1
        if point is None:
            space.copy(self._x, self._start)
            space.scatter(self._x)
            self._order.clear()
            return loss, False
        if self._evaluated != point.distance:
            evaluate(point.distance)
        self._remember()
        return point.value, True

    def _set_direction(self) -> float:
        """Store the direction and return the slope along it: the two-loop recursion."""
        space, q = self._space, self._direction
        space.copy(q, self._gradient)
        steps: list[tuple[int, float, float]] = []
        for index in reversed(self._order):
            curvature = space.dot(self._s[index], self._y[index])
            alpha = space.dot(self._s[index], q) / curvature
            space.add_scaled(q, self._y[index], -alpha)
            steps.append((index, alpha, curvature))
        if steps:
            newest = self._y[self._order[-1]]
            space.scale(q, steps[0][2] / space.dot(newest, newest))
        for index, alpha, curvature in reversed(steps):
            beta = space.dot(self._y[index], q) / curvature
            space.add_scaled(q, self._s[index], alpha - beta)
        space.scale(q, -1.0)
        slope = space.dot(self._gradient, q)
        if slope >= 0 and self._order:
            # Rounding has spoilt the history: begin anew along the gradient.
            self._order.clear()
            return self._set_direction()
        return slope

    def _remember(self) -> None:
        """Keep the last move and the change of the gradient, and take over the new gradient."""
        space = self._space
        free = (slot for slot in range(len(self._s)) if slot not in self._order)
        index = next(free, self._order[0] if self._order else 0)
        s, y = self._s[index], self._y[index]
        kept = [other for other in self._order if other != index]
        space.copy(s, self._x)
        space.add_scaled(s, self._start, -1.0)
        space.copy(y, self._trial_gradient)
        space.add_scaled(y, self._gradient, -1.0)
        space.copy(self._gradient, self._trial_gradient)
        curvature = space.dot(s, y)
        epsilon = float(np.finfo(np.float64 if space.number == "double" else np.float32).eps)
        # Without positive curvature the pair would make the next direction climb.
        is_convex = curvature > epsilon * space.dot(y, y)
        self._order = [*kept, index] if is_convex else kept

    def _gradient_norm(self) -> float:
        return self._norm(self._gradient)

    def _norm(self, vector: Tensor) -> float:
        return math.sqrt(self._space.dot(vector, vector))
