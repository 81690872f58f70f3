# SPDX-License-Identifier: Apache-2.0
"""Least squares from noisy renders: the solver of native/fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from weft import _native
from weft.fit.information import Information, LinearizedResiduals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft._native import Prior


class Model(Protocol):
    """What the solver fits."""

    def draw(self, x: NDArray[np.float64]) -> None:
        """Draw new samples at parameters `x`."""

    def linearise(self, x: NDArray[np.float64]) -> tuple[LinearizedResiduals, LinearizedResiduals]:
        """Return residuals and derivatives of both sample sets of the last draw."""

    def residuals(
        self, x: NDArray[np.float64]
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the residuals of linearise() only."""


@dataclass(frozen=True)
class State:
    """Where a fit is.

    Args:
        x: Parameters.
        errors: Standard errors; infinite while there are none.
        loss: r_A' r_B over the number of residuals.
        iterations: So far.
        is_averaging: The steps are over, the linear model is being averaged.
        is_done: Every error is as small as asked for, or as the pictures allow.
        information: What the averaged iterations say; ``None`` before.
    """

    x: NDArray[np.float64]
    errors: NDArray[np.float64]
    loss: float
    iterations: int
    is_averaging: bool
    is_done: bool
    information: Information | None


@dataclass(frozen=True)
class Candidate:
    """Where iterations were averaged, and what they said: losses of the averaged model.

    Args:
        loss: Of all residuals.
        losses: Of the residuals of each group.
        x: Parameters.
        errors: Standard errors.
        information: What the averaged iterations say.
        moved: Which parameters began anew to get here.
        deviation: Of `loss`, by noise.
    """

    loss: float
    losses: NDArray[np.float64]
    x: NDArray[np.float64]
    errors: NDArray[np.float64]
    information: Information
    moved: NDArray[np.bool_]
    deviation: float

    @staticmethod
    def of(candidate: _native.Candidate) -> Candidate:
        """Return what the engine says of a candidate."""
        return Candidate(
            candidate.loss,
            candidate.losses,
            candidate.x,
            candidate.errors,
            Information(*candidate.information),
            candidate.moved,
            candidate.deviation,
        )


class GaussNewton:
    """Fits a few parameters: descents from one or more starts, and averages where they end.

    A step that fails, or is cancelled, leaves the solver as it was. Other threads may read it while
    a step is under way; they see how things were before it.

    Args:
        model: What.
        x: Start, shape ``(parameters,)``.
        low: Lower bounds.
        high: Upper bounds.
        radius: Largest change of a parameter in one step, in units of its range.
        tolerance: Wanted standard error, in units of the range.
        inner_steps: Most steps on the samples of one iteration.
        warm_iterations: Iterations after which the model is averaged even if steps are still large.
        prior: What is known of the parameters; ``None``: nothing.
        hold: Where parameters stay that residuals tell nothing of; counts for steps only.
        starts: Most places to start from: another one is tried where the steps have ended and more
            than noise is left of the residuals. The best of them counts.
        open_range: Unknowns that other starts leave where they are.
        groups: Number of the group of each parameter, from 0: other starts move those groups whose
            residuals are not noise. ``None``: all are one.
        together: So many residuals in a row share their noise: the channels of a pixel.
        max_iterations: Iterations at most: no other start is tried that could not come to its end.

    Raises:
        ArgumentError: Sizes do not fit, or bounds are in the wrong order.
    """

    def __init__(
        self,
        model: Model,
        x: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        *,
        radius: float = 0.2,
        tolerance: float = 0.003,
        inner_steps: int = 3,
        warm_iterations: int = 12,
        prior: Prior | None = None,
        hold: Prior | None = None,
        starts: int = 1,
        open_range: NDArray[np.bool_] | None = None,
        groups: NDArray[np.int64] | None = None,
        together: int = 1,
        max_iterations: int | None = None,
    ) -> None:
        """Start at the start."""
        self.model, self.low, self.high, self.tolerance = model, low, high, tolerance
        settings = {
            "low": low,
            "high": high,
            "radius": radius,
            "tolerance": tolerance,
            "inner_steps": inner_steps,
            "warm_iterations": warm_iterations,
            "prior": prior,
            "hold": hold,
            "starts": starts,
            "open_range": open_range,
            "groups": groups,
            "cluster_size": together,
            "max_iterations": max_iterations,
        }
        self._solver = _native.GaussNewton(model, x, settings)

    def step(self) -> State:
        """Sample new paths and take one step."""
        self._solver.step()
        return self.state

    @property
    def x(self) -> NDArray[np.float64]:
        """Where the first descent began."""
        return self._solver.start

    @property
    def state(self) -> State:
        """Where the fit is."""
        solver = self._solver
        return State(
            solver.x,
            solver.errors,
            solver.loss,
            solver.iterations,
            solver.is_averaging,
            solver.is_done,
            Information.of(solver.information),
        )

    @property
    def residuals(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Residuals of both sample sets of the last iteration, where the parameters are."""
        return self._solver.residuals

    @property
    def averaged(self) -> int:
        """Iterations that the averaged model holds."""
        return self._solver.averaged

    @property
    def averaged_model(self) -> tuple[LinearizedResiduals, LinearizedResiduals] | None:
        """The averaged linear model where the parameters are; ``None``: nothing is averaged."""
        arrays = self._solver.averaged_model()
        if arrays is None:
            return None
        return LinearizedResiduals(*arrays[:2]), LinearizedResiduals(*arrays[2:])

    @property
    def candidates(self) -> list[Candidate]:
        """Where descents have ended, in their order."""
        return [Candidate.of(candidate) for candidate in self._solver.candidates()]

    @property
    def best(self) -> Candidate | None:
        """The candidate that explains residuals best; ``None`` before iterations were averaged."""
        best = self._solver.best
        return None if best is None else Candidate.of(best)

    @property
    def is_elsewhere(self) -> bool:
        """Whether another start is under way, of which less is known than of the best place."""
        return self._solver.is_elsewhere

    @property
    def may_start_elsewhere(self) -> bool:
        """Whether another start may follow, or is under way."""
        return self._solver.may_start_elsewhere

    def may_go_on(self, iterations: int) -> bool:
        """Return whether one more start is allowed after so many iterations, and could end."""
        return self._solver.may_go_on(iterations)

    def gathered(self) -> NDArray[np.float64]:
        """Return the parameters of each group where they explain its residuals best."""
        return self._solver.gathered()

    def forget(self) -> None:
        """Go on from here: the weights of the residuals have changed, and losses with them."""
        self._solver.forget()

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        return self._solver.save()

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called.

        Raises:
            ArgumentError: Arrays are missing or of other sizes; the solver stays as it was.
        """
        self._solver.restore(dict(saved))
