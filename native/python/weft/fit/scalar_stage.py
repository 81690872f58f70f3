# SPDX-License-Identifier: Apache-2.0
"""Fits of scalar parameters, colours, exposures and lights; textures stay as they are."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Reweighting, inflation, iteration_samples
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.forecast import remaining_iterations
from weft.fit.phases import Phase, owner
from weft.fit.scalar_stage_base import ScalarStageBase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.texture_parameters import FittedTexture

MIN_AVERAGES_TO_WEIGH = 2  # averaged iterations: pixels of photos are weighed then


class ScalarPhase(Phase):
    """Moves scalar parameters to the tolerance of the settings; textures stay as they are.

    Args:
        stage: With the scalars, their model and their solver.
        weighing: When pixels of photos are weighed anew.
    """

    def __init__(self, stage: ScalarStageBase, weighing: Reweighting) -> None:
        """Begin with no iteration."""
        super().__init__("scalars", "scalars")
        self._stage, self._weighing = owner(stage), weighing

    def begin(self) -> None:
        """Select the pixels that hold the information about the scalars."""
        stage = self._stage
        stage.scalars.select_pixels(stage.x, stage.settings.information)

    def step(self) -> None:
        """Sample new paths and take one optimisation step."""
        stage = self._stage
        if self._is_weighing_due and self._weighing.go_on(
            stage.scalars, stage.x, stage.settings.samples
        ):
            stage.solver.forget()
        stage.scalars.set_samples(self._samples())
        stage.solver.step()
        stage.meter.record(*stage.solver.residuals)

    @property
    def _is_weighing_due(self) -> bool:
        """The scalars stand nearly still: residuals tell which pixels nothing explains."""
        averaged = self._stage.solver.averaged
        return not self._weighing.is_over() and averaged >= MIN_AVERAGES_TO_WEIGH

    def _samples(self) -> int:
        """Return the paths a pixel of the next iteration: more where pixels are few.

        Steps far from the end outweigh noise: half as many do, if that is enough.
        """
        stage = self._stage
        wanted = stage.settings.samples
        least = wanted if stage.solver.state.is_averaging else (wanted + 1) // 2
        pixels = sum(len(view.pixels) for view in stage.views)
        return iteration_samples(pixels, len(stage.x), wanted, least)

    @property
    def is_done(self) -> bool:
        """The standard errors are small enough, or the iterations are used up."""
        stage = self._stage
        is_found = stage.solver.state.is_done and self._weighing.is_over()
        return is_found or stage.solver.state.iterations >= stage.settings.max_iterations

    @property
    def remaining(self) -> float:
        """Iterations expected until the standard errors are small enough."""
        stage = self._stage
        limit = stage.settings.max_iterations
        return 0.0 if self.is_done else max(remaining_iterations(stage.solver, limit), 1.0)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the solver and the rounds of weighing."""
        solver = prefixed("solver", self._stage.solver.save())
        return solver | {"weighing": np.array(self._weighing.rounds)}

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        self._stage.solver.restore(part_of(saved, "solver"))
        self._weighing.rounds = int(saved["weighing"])


class ScalarStage(ScalarStageBase):
    """Fits scalar parameters, colours and exposures; textures stay as they are."""

    @cached_property
    def weighing(self) -> Reweighting:
        """When pixels of photos are weighed anew."""
        return Reweighting(self.views.native)

    def _build_phases(self) -> Sequence[Phase]:
        """Return the one phase."""
        return [ScalarPhase(self, self.weighing)]

    def inflation(self) -> NDArray[np.float64] | None:
        """Return the factors by which shared residuals make errors larger; ``None``: unknown."""
        halves, information = self.solver.averaged_model, self.information
        if halves is None or information is None or self.solver.is_elsewhere:
            return None
        a, b = halves
        return inflation(
            ((a.residual, a.jacobian), (b.residual, b.jacobian)),
            [view.pixels for view in self.views],
            [view.camera.width for view in self.views],
            information.matrix,
        )

    def end(self) -> None:
        """Leave the scene on the device with what was found."""
        self.scalars.write(self.x)

    @property
    def has_converged(self) -> bool:
        """The standard errors are small enough."""
        return self.solver.state.is_done

    @property
    def is_settled(self) -> bool:
        """There is no texture whose loss may fall."""
        return True

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return no texture."""
        return {}
