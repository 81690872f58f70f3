# SPDX-License-Identifier: Apache-2.0
"""The passes of a joint fit that move scalar parameters alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Prior, counted_pixels, iteration_samples
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.forecast import remaining_iterations
from weft.fit.joint_state import PASS_FRACTIONS
from weft.fit.phases import Phase, owner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.fit.gauss_newton import GaussNewton
    from weft.fit.joint_state import JointState
    from weft.fit.scalar_stage_base import ScalarStageBase

EARLY_TOLERANCE = 0.02  # of the range: standard error that passes before the polish aim at
EARLY_ITERATIONS = 20  # that such a pass takes at most
EARLY_AVERAGES = 6  # averaged iterations that are enough for it
POLISH_FACTOR = 1.5  # of the iterations of an early pass, that the polish takes
LOSS_ITERATION = (1 << 20) - 1  # the number that seeds the draw of the first loss: none of the fit
FROZEN_DEVIATION = 1e-3  # of the range: how far scalars may move that a pass leaves alone


def set_samples(stage: ScalarStageBase) -> None:
    """Take more paths of few pixels: noise may lead scalars to where there is no way back from."""
    samples = stage.settings.samples
    pixels = sum(len(view.pixels) for view in stage.views)
    stage.scalars.set_samples(iteration_samples(pixels, 0, samples, samples))


class ScalarPass(Phase):
    """Moves scalar parameters, and no texture, in pixels that show no texture that changes.

    Args:
        stage: With the scalars, their model and their solver.
        joint: What the phases share.
        number: Of the pass, from 0; the last one polishes to the tolerance of the settings.
    """

    def __init__(self, stage: ScalarStageBase, joint: JointState, number: int) -> None:
        """Begin with no iteration."""
        self.is_polish = number == len(PASS_FRACTIONS) - 1
        names = {0: "scalars", len(PASS_FRACTIONS) - 1: "polish"}
        super().__init__(names.get(number, f"scalars {number + 1}"), "scalars")
        self._stage, self._joint, self.number = owner(stage), joint, number
        self._has_pixels = True
        self._solver: GaussNewton | None = None  # since the pass has begun

    @property
    def limit(self) -> int:
        """Iterations that the pass takes at most."""
        limit = self._stage.settings.max_iterations
        return limit if self.is_polish else min(limit, EARLY_ITERATIONS)

    @property
    def is_needed(self) -> bool:
        """Whether any scalar is fixed while textures move; not known before the first pass."""
        return self._joint.passes == 0 or bool(self._joint.model.fixed.any())

    @property
    def is_done(self) -> bool:
        """Errors are as small as this pass needs, or its iterations are used up."""
        if not self._has_pixels:
            return True
        solver = self._stage.solver
        is_known = solver.state.is_done
        if not self.is_polish:
            is_known = is_known or solver.averaged >= EARLY_AVERAGES
        return is_known or solver.state.iterations >= self.limit

    @property
    def remaining(self) -> float:
        """Iterations expected: before it begins, as many as the pass under way or before took."""
        averages = None if self.is_polish else EARLY_AVERAGES
        if self._solver is not None:
            return 0.0 if self.is_done else remaining_iterations(self._solver, self.limit, averages)
        before = self._stage.solver.state.iterations or EARLY_ITERATIONS
        return min(POLISH_FACTOR * before if self.is_polish else before, self.limit)

    def begin(self) -> None:
        """Select the pixels; later passes go on beside the textures as they are now."""
        stage, joint = self._stage, self._joint
        if self.number == 0:
            self._select_pixels()
            return
        if self.is_polish:
            joint.images.write_result()
        else:
            joint.images.upload()
        stage.views.restore(joint.selections["scalars"])
        set_samples(stage)
        self._solver = stage.solver = self._new_solver()

    def _select_pixels(self) -> None:
        """Look for pixels that show the scalars alone."""
        stage, joint = self._stage, self._joint
        start, fraction = stage.unknowns.start, stage.settings.information
        self._has_pixels = stage.scalars.select_pixels(start, fraction, joint.shown)
        if self._has_pixels:
            self._solver = stage.solver
            joint.selections["scalars"] = stage.views.save()
            self._measure_loss()
            set_samples(stage)

    def _measure_loss(self) -> None:
        """Draw once the pixels of all phases, at the start, for the loss alone."""
        stage = self._stage
        selected = [view.pixels for view in stage.views]
        for view, pixels, shown in zip(stage.views, selected, self._joint.shown, strict=True):
            textured = counted_pixels(view.weights * shown[:, None])
            view.pixels = np.union1d(pixels, textured).astype(np.uint32)
        try:
            samples = stage.settings.samples
            stage.meter.begin(*stage.scalars.look(stage.x, samples, LOSS_ITERATION))
        finally:
            for view, pixels in zip(stage.views, selected, strict=True):
                view.pixels = pixels

    def _new_solver(self) -> GaussNewton:
        """Return a solver that goes on from where the scalars are."""
        stage, model = self._stage, self._joint.model
        tolerance = stage.settings.tolerance
        deviation = FROZEN_DEVIATION * (stage.unknowns.high - stage.unknowns.low)
        prior = stage.unknowns.prior or Prior.none(len(deviation))
        return stage.create_solver(
            model.x,
            tolerance if self.is_polish else max(tolerance, EARLY_TOLERANCE),
            prior.holding(~model.fixed, model.x, deviation),
            starts=1,
            max_iterations=self.limit,
        )

    def step(self) -> None:
        """Sample new paths and move the scalars."""
        self._stage.solver.step()
        self._stage.meter.record(*self._stage.solver.residuals)

    def end(self) -> None:
        """Hand the scalars on to the textures."""
        joint, solver = self._joint, self._stage.solver
        joint.passes = self.number + 1
        if not self._has_pixels:
            return
        joint.found = (self._stage.best_candidate or solver.state).information
        if self.number > 0:
            joint.model.move_fixed(solver.state.x)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the solver."""
        return prefixed("solver", self._stage.solver.save())

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go on with the solver, beside the textures as they are."""
        stage, images = self._stage, self._joint.images
        if self.number > 0:
            stage.solver = self._new_solver()
        self._solver = stage.solver
        stage.solver.restore(part_of(saved, "solver"))
        if self.is_polish:
            images.write_result()
        else:
            images.upload()
        set_samples(stage)
