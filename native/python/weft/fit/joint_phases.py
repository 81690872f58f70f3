# SPDX-License-Identifier: Apache-2.0
"""The phases of a fit of scalar parameters together with textures.

Scalar parameters that untextured pixels determine well are optimised on those pixels only, and
re-optimised after 25 % and 50 % of the texture iterations and at the end: what a texture looks like
matters little in such pixels, and an iteration of few pixels costs little. All other scalar
parameters move together with the textures (see JointModel).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.fit.best_texels import BestTexels
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.forecast import remaining_iterations
from weft.fit.noise import MEASURED_ITERATIONS, NoiseMeter
from weft.fit.number_stage import MAX_SAMPLES_FACTOR, MIN_PATHS
from weft.fit.phases import Phase
from weft.fit.texture_parameters import LightTexture
from weft.fit.texture_stage import step_schedule
from weft.fit.views import counted_pixels, find_shown, restore_views, save_views

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.fit.gauss_newton import GaussNewton
    from weft.fit.information import Information
    from weft.fit.joint import JointModel
    from weft.fit.number_stage import StageOfNumbers
    from weft.fit.robust import MapWeighing
    from weft.fit.texture_model import TextureModel

PASS_FRACTIONS = (0.0, 0.25, 0.5, 1.0)  # of the texture iterations: scalar passes come after them
EARLY_TOLERANCE = 0.02  # of the range: standard error that passes before the polish aim at
EARLY_ITERATIONS = 20  # that such a pass takes at most
EARLY_AVERAGES = 6  # averaged iterations that are enough for it
TRUSTED_ERROR = 0.1  # of the range: a scalar with a larger error moves with the textures
LOSS_ITERATION = (1 << 20) - 1  # the number that seeds the draw of the first loss: none of the fit
FROZEN_DEVIATION = 1e-3  # of the range: how far scalars may move that a pass leaves alone

MOVING_FACTOR = 1.25  # of the iterations, that textures take where scalars move with them
RESTARTED_FACTOR = 1.5  # the same, where averages have begun anew

Selection = dict[str, "NDArray[np.generic]"]
"""Pixels and weights of all views, as save_views() returns them."""


@dataclass
class JointState:
    """What the phases of a joint fit share.

    Args:
        images: Model of the textures.
        model: Of the scalars and textures together.
        weighing: When the pixels of photos are weighed anew.
        textured: Numbers of the materials whose textures change.
        selections: Pixel selections and weights, of ``"numbers"`` and of ``"textures"``.
        iterations: Of the textures so far.
        passes: Scalar passes that have ended.
        found: What the last of these says of the scalars; ``None``: nothing.
    """

    images: TextureModel
    model: JointModel
    weighing: MapWeighing
    textured: list[int]
    selections: dict[str, Selection] = field(default_factory=dict)
    iterations: int = 0
    passes: int = 0
    found: Information | None = None

    @cached_property
    def shown(self) -> list[NDArray[np.bool_]]:
        """Which pixels of each view show textures that change, or lie close to one that does."""
        views, renderer = self.images.views, self.images.renderer
        if any(isinstance(region.parameter, LightTexture) for region in self.images.regions):
            return [np.ones(len(view.image), bool) for view in views]
        return [find_shown(renderer, view, self.textured) for view in views]


def set_samples(stage: StageOfNumbers) -> None:
    """Take more paths of few pixels: noise may lead scalars to where there is no way back from."""
    samples = stage.settings.samples
    pixels = sum(len(view.pixels) for view in stage.views)
    stage.numbers.samples = min(
        max(MIN_PATHS // max(pixels, 1), samples), MAX_SAMPLES_FACTOR * samples
    )


class ScalarPass(Phase):
    """Moves scalar parameters, and no texture, in pixels that show no texture that changes.

    Args:
        stage: With the scalars, their model and their solver.
        joint: What the phases share.
        number: Of the pass, from 0; the last one polishes to the tolerance of the settings.
    """

    def __init__(self, stage: StageOfNumbers, joint: JointState, number: int) -> None:
        """Begin with no iteration."""
        self.is_polish = number == len(PASS_FRACTIONS) - 1
        names = {0: "scalars", len(PASS_FRACTIONS) - 1: "polish"}
        super().__init__(names.get(number, f"scalars {number + 1}"), "scalars")
        self._stage, self._joint, self.number = stage, joint, number
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
        return is_known or solver.state.draws >= self.limit

    @property
    def remaining(self) -> float:
        """Iterations expected: before it begins, as many as the pass under way or before took."""
        averages = None if self.is_polish else EARLY_AVERAGES
        if self._solver is not None:
            return 0.0 if self.is_done else remaining_iterations(self._solver, self.limit, averages)
        return min(self._stage.solver.state.draws or EARLY_ITERATIONS, self.limit)

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
        restore_views(stage.views, joint.selections["numbers"])
        set_samples(stage)
        self._solver = stage.solver = self._new_solver()

    def _select_pixels(self) -> None:
        """Look for pixels that show the scalars alone."""
        stage, joint = self._stage, self._joint
        start, fraction = stage.unknowns.start, stage.settings.information
        self._has_pixels = stage.numbers.select_pixels(start, fraction, joint.shown)
        if self._has_pixels:
            self._solver = stage.solver
            joint.selections["numbers"] = save_views(stage.views)
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
            residuals = stage.look(stage.settings.samples, LOSS_ITERATION)
            stage.meter.begin(*residuals)
        finally:
            for view, pixels in zip(stage.views, selected, strict=True):
                view.pixels = pixels

    def _new_solver(self) -> GaussNewton:
        """Return a solver that goes on from where the scalars are."""
        stage, model = self._stage, self._joint.model
        tolerance = stage.settings.tolerance
        deviation = FROZEN_DEVIATION * (stage.unknowns.high - stage.unknowns.low)
        return stage.create_solver(
            model.x,
            tolerance if self.is_polish else max(tolerance, EARLY_TOLERANCE),
            model.prior.holding(~model.fixed, model.x, deviation),
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
        joint.found = (self._stage.best_place or solver.state).information
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


class TexturePass(Phase):
    """Moves textures, and the scalars that only textured pixels determine.

    Args:
        stage: With the views and the settings.
        joint: What the phases share.
        number: Of the pass, from 0: it ends where the scalar pass after it begins.
    """

    def __init__(self, stage: StageOfNumbers, joint: JointState, number: int) -> None:
        """Begin with no iteration."""
        super().__init__("textures" if number == 0 else f"textures {number + 1}", "textures")
        self._stage, self._joint, self.number = stage, joint, number
        self.is_last = number == len(PASS_FRACTIONS) - 2
        wanted = stage.settings.texture_iterations
        self._best = BestTexels(joint.images, wanted, joint.model)

    @property
    def _is_whole(self) -> bool:
        """The pass goes on to the end: no scalar is fixed that would be looked for between."""
        return self.is_last or (self._joint.passes > 0 and not self._joint.model.fixed.any())

    @property
    def is_needed(self) -> bool:
        """Whether an earlier pass has not gone on to the end; not known before the first one."""
        joint = self._joint
        return self.number == 0 or joint.passes == 0 or bool(joint.model.fixed.any())

    @property
    def have_averaged(self) -> bool:
        """The iterations are used up, and a quarter was averaged where the scalars stay."""
        wanted = self._stage.settings.texture_iterations
        return self._joint.iterations >= wanted and self._joint.model.averaged >= wanted // 4

    @property
    def is_done(self) -> bool:
        """The next scalar pass is due, or enough iterations were averaged, or twice were made."""
        wanted, made = self._stage.settings.texture_iterations, self._joint.iterations
        if not self.iterations:
            return False
        if self._is_whole:
            return self.have_averaged or made >= 2 * wanted
        return made >= PASS_FRACTIONS[self.number + 1] * wanted

    @property
    def remaining(self) -> float:
        """Iterations to the end of the pass; more where scalars still move at its end."""
        wanted, made = self._stage.settings.texture_iterations, self._joint.iterations
        if not self._is_whole:
            before = math.ceil(PASS_FRACTIONS[self.number] * wanted)
            end = math.ceil(PASS_FRACTIONS[self.number + 1] * wanted)
            return max(end - max(made, before), 0)
        if self.number > 0:
            made = max(made, math.ceil(PASS_FRACTIONS[self.number] * wanted))
        return 0 if self.iterations and self.is_done else max(self._whole() - made, 1)

    def _whole(self) -> float:
        """Return after how many iterations enough are expected to be averaged."""
        wanted, model = self._stage.settings.texture_iterations, self._joint.model
        made, averaged = self._joint.iterations, model.averaged
        if self._joint.passes == 0 or model.fixed.all():
            return max(wanted, made + 1)
        if made < wanted / 2:
            return MOVING_FACTOR * wanted
        if averaged < (made - wanted / 2) / 2:
            return max(RESTARTED_FACTOR * wanted, made + wanted // 4 - averaged)
        return max(wanted, made + wanted // 4 - averaged)

    def begin(self) -> None:
        """Select the pixels and weigh them by noise; later passes take those of the first one."""
        self._best.restart()
        if self.number > 0:
            restore_views(self._stage.views, self._joint.selections["textures"])
            return
        stage, joint, unknowns = self._stage, self._joint, self._stage.unknowns
        state = stage.best_place or stage.solver.state
        trusted = state.errors <= TRUSTED_ERROR * (unknowns.high - unknowns.low)
        is_open = (state.information is not None) & ~trusted
        x = np.where(is_open, unknowns.start, state.x)
        joint.model.start_at(x, trusted & ~self._of_textured())
        joint.model.select_pixels()
        if joint.model.fixed.all():
            self._leave_out_scalars()
        self._weigh_by_noise()
        joint.selections["textures"] = save_views(stage.views)
        self._keep_selected()

    def _keep_selected(self) -> None:
        """Let the loss count the pixels that the phases have selected."""
        numbers = self._joint.selections.get("numbers", {})
        stage = self._stage
        stage.meter.keep(
            [
                np.union1d(view.pixels, numbers.get(f"pixels.{number}", [])).astype(np.uint32)
                for number, view in enumerate(stage.views)
            ]
        )

    def _of_textured(self) -> NDArray[np.bool_]:
        """Return the scalars of materials that have a texture that changes."""
        out = np.zeros(len(self._stage.unknowns.start), bool)
        textured = {name.split(".")[0] for name in self._stage.texture_names}
        for block in self._stage.unknowns.blocks:
            if not block.is_factor and block.name.split(".")[0] in textured:
                out[block.part] = True
        return out

    def _leave_out_scalars(self) -> None:
        """Select only pixels that show textures."""
        for view, shown in zip(self._stage.views, self._joint.shown, strict=True):
            kept = view.pixels[shown[view.pixels]]
            view.pixels = kept if len(kept) else view.pixels[:1]

    def _weigh_by_noise(self) -> None:
        """Let pixels count by the noise that renders have there."""
        numbers, x = self._stage.numbers, self._joint.model.x
        meter = NoiseMeter(self._stage.views)
        for _ in range(MEASURED_ITERATIONS):
            numbers.draw(x, samples=self._stage.settings.samples)
            residuals = numbers.residuals(x)
            meter.add(*residuals)
        if self._stage.meter.is_open:
            self._stage.meter.begin(*residuals)
        meter.apply()

    def step(self) -> None:
        """Sample new paths and take one step of all that moves."""
        joint, settings = self._joint, self._stage.settings
        if joint.weighing.is_due(joint.iterations / settings.texture_iterations):
            self._weigh_photos()
            self._best.restart()
        schedule = step_schedule(joint.images, joint.iterations, settings)
        joint.model.step(joint.iterations, *schedule)
        self._stage.meter.record(*joint.model.residuals)
        self._best.note()
        joint.iterations += 1

    def _weigh_photos(self) -> None:
        """Weigh the pixels of photos anew, also for the scalars that are looked for alone."""
        joint, views = self._joint, self._stage.views
        before = [view.trust for view in views]
        joint.images.upload()
        joint.weighing.go_on(self._stage)
        joint.selections["textures"] = save_views(views)
        selection = joint.selections.get("numbers", {})
        if not selection:
            return
        for number, (view, trust) in enumerate(zip(views, before, strict=True)):
            factor = np.sqrt(view.trust / trust)[:, None]
            selection[f"weights.{number}"] = selection[f"weights.{number}"] * factor
            selection[f"trust.{number}"] = view.trust

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the best textures of the pass so far."""
        return self._best.state()

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        self._best.restore(saved)
