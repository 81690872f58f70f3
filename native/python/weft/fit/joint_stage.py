# SPDX-License-Identifier: Apache-2.0
"""Fits of numbers together with textures.

Numbers that pixels without such textures tell are found there, and again after the textures have
changed: what a texture looks like matters little in them, and a draw of few pixels costs little.
All other numbers move together with the textures (see JointModel).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.fit.checkpoint import part_of, prefixed
from weft.fit.information import Information
from weft.fit.joint import JointModel
from weft.fit.noise import MEASURED_DRAWS, NoiseMeter
from weft.fit.number_stage import LEAST_PATHS, MOST_SAMPLES, StageOfNumbers
from weft.fit.robust import MapWeighing
from weft.fit.texture_parameters import LightTexture
from weft.fit.texture_stage import build_texture_model, paces_of
from weft.fit.views import find_shown, materials_of, restore_views, save_views
from weft.scene.parameter_ref import owner_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.exposure import Exposure
    from weft.fit.gauss_newton import GaussNewton
    from weft.fit.lighting import Lighting
    from weft.fit.parameters import Parameter
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_parameters import FittedTexture, TextureParameter
    from weft.render.renderer import Renderer
    from weft.scene.problem import Problem

RUNS = (0.0, 0.25, 0.5, 1.0)  # of numbers alone: after these shares of the draws of the textures
FIRST_TOLERANCE = 0.02  # of the range: numbers of runs before the last need no more
FIRST_DRAWS = 20  # that such a run takes at most
FIRST_AVERAGES = 6  # draws that are averaged for it at most
TRUSTED_ERROR = 0.1  # of the range: a number with a larger error moves with the textures
FIRST_SHARE, LAST_SHARE = 0.05, 0.2  # of the time, that the first and the last run usually take
STILL = 1e-3  # of the range: how far numbers that are not looked for may move

Look = dict[str, "NDArray[np.generic]"]


def _information_of(saved: Mapping[str, NDArray[Any]]) -> Information | None:
    """Return what a checkpoint holds of the last run of numbers alone; ``None``: nothing."""
    if not saved:
        return None
    return Information(**saved)


class JointStage(StageOfNumbers):
    """Fits numbers, colours and exposures together with textures.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        parameters: Numbers and colours that may change.
        exposures: Of the pictures.
        lighting: Of the targets, with the lights whose strength may change.
        textures: That may change.
        settings: How.
    """

    def __init__(
        self,
        renderer: Renderer,
        targets: Sequence[Target],
        parameters: Sequence[Parameter],
        exposures: Sequence[Exposure],
        lighting: Lighting,
        textures: Sequence[TextureParameter],
        settings: FitSettings,
    ) -> None:
        """Lay out the unknowns and load the kernels."""
        tolerance = max(settings.tolerance, FIRST_TOLERANCE)
        self.runs = 0  # of numbers alone, that have ended
        super().__init__(
            renderer, targets, parameters, exposures, lighting, settings, textures, tolerance
        )
        self.images = build_texture_model(renderer, self.views, textures, settings)
        unknowns = self.unknowns
        self.model = JointModel(
            self.numbers,
            self.images,
            unknowns.start,
            unknowns.low,
            unknowns.high,
            unknowns.prior,
        )
        self.weighing = MapWeighing(self.views)
        self._textured = materials_of(renderer, self.texture_names)
        self._is_alone = True  # numbers move, and textures do not
        self._draws = 0  # of textures
        self._looks: dict[str, Look] = {}  # pixels and weights of "numbers" and of "textures"
        self._found: Information | None = None  # by the last run of numbers alone

    @property
    def _held(self) -> NDArray[np.bool_]:
        """Which numbers are found alone."""
        return self.model.held

    @cached_property
    def _shown(self) -> list[NDArray[np.bool_]]:
        """Which pixels of each view show textures that change, or lie close to one that does."""
        renderer = self.numbers.renderer
        if any(isinstance(region.parameter, LightTexture) for region in self.images.regions):
            return [np.ones(len(view.image), bool) for view in self.views]
        return [find_shown(renderer, view, self._textured) for view in self.views]

    def begin(self) -> None:
        """Look for pixels that show the numbers alone."""
        start, share = self.unknowns.start, self.settings.information
        if self.numbers.select_pixels(start, share, self._shown):
            self._looks["numbers"] = save_views(self.views)
            self._set_samples()
        else:
            self.runs = 1
            self._begin_textures()

    def _set_samples(self) -> None:
        """Draw more samples of few pixels: noise may lead numbers to where none is a way back."""
        samples = self.settings.samples
        pixels = sum(len(view.pixels) for view in self.views)
        self.numbers.samples = min(
            max(LEAST_PATHS // max(pixels, 1), samples), MOST_SAMPLES * samples
        )

    def _begin_textures(self) -> None:
        """Go on with the textures, and the numbers that only they tell."""
        state = self._best_place or self.solver.state
        trusted = state.errors <= TRUSTED_ERROR * (self.unknowns.high - self.unknowns.low)
        is_open = (state.information is not None) & ~trusted
        x = np.where(is_open, self.unknowns.start, state.x)
        self.model.start_at(x, trusted & ~self._of_textured())
        self._is_alone = False
        self.model.select_pixels()
        if self._held.all():
            self._leave_out_numbers()
        self._weigh()
        self._looks["textures"] = save_views(self.views)

    def _of_textured(self) -> NDArray[np.bool_]:
        """Return the numbers of materials that have a texture that changes."""
        out = np.zeros(len(self.unknowns.start), bool)
        textured = {owner_of(name) for name in self.texture_names}
        for block in self.unknowns.blocks:
            if not block.is_factor and owner_of(block.name) in textured:
                out[block.part] = True
        return out

    def _leave_out_numbers(self) -> None:
        """Draw only pixels that show textures."""
        for view, shown in zip(self.views, self._shown, strict=True):
            kept = view.pixels[shown[view.pixels]]
            view.pixels = kept if len(kept) else view.pixels[:1]

    def _weigh(self) -> None:
        """Let pixels count by the noise that renders have there."""
        meter = NoiseMeter(self.views)
        for _ in range(MEASURED_DRAWS):
            self.numbers.draw(self.model.x, samples=self.settings.samples)
            meter.add(*self.numbers.residuals(self.model.x))
        meter.apply()

    def step(self) -> None:
        """Draw once, and use the draw up."""
        if self._is_alone:
            self._step_numbers()
            return
        if self.weighing.is_due(self._draws / self.settings.texture_draws):
            self._weigh_pixels()
        self.model.step(self._draws, *paces_of(self.images, self._draws, self.settings))
        self._draws += 1
        if self._numbers_are_due:
            self._begin_numbers()

    def _weigh_pixels(self) -> None:
        """Weigh the pixels of photos anew, also for the numbers that are looked for alone."""
        before = [view.trust for view in self.views]
        self.images.upload()
        self.weighing.go_on(self)
        self._looks["textures"] = save_views(self.views)
        look = self._looks.get("numbers", {})
        for number, (view, trust) in enumerate(zip(self.views, before, strict=True)):
            if look:
                factor = np.sqrt(view.trust / trust)[:, None]
                look |= {
                    f"weights.{number}": look[f"weights.{number}"] * factor,
                    f"trust.{number}": view.trust,
                }
        if look:
            self._looks["numbers"] = look

    @property
    def _is_last_run(self) -> bool:
        """The numbers are to become as exact as was asked for."""
        return self.runs == len(RUNS) - 1

    @property
    def _most_draws(self) -> int:
        """Draws that the run of numbers under way takes at most."""
        most = self.settings.max_draws
        return most if self._is_last_run else min(most, FIRST_DRAWS)

    @property
    def _numbers_are_due(self) -> bool:
        """The textures have changed enough for numbers to be looked for again."""
        if self.runs == len(RUNS) or not self._held.any():
            return False
        if self._is_last_run:
            return self._textures_are_done
        return self._draws >= RUNS[self.runs] * self.settings.texture_draws

    def _begin_numbers(self) -> None:
        """Look for the held numbers again, beside the textures as they are now."""
        if self._is_last_run:
            self.images.write_result()
        else:
            self.images.upload()
        restore_views(self.views, self._looks["numbers"])
        self._set_samples()
        self.solver = self._solver_of_run()
        self._is_alone = True

    def _solver_of_run(self) -> GaussNewton:
        """Return a solver that goes on from where the numbers are."""
        settings, unknowns = self.settings, self.unknowns
        deviation = STILL * (unknowns.high - unknowns.low)
        return self.create_solver(
            self.model.x,
            settings.tolerance if self._is_last_run else max(settings.tolerance, FIRST_TOLERANCE),
            self.model.prior.holding(~self._held, self.model.x, deviation),
            starts=1,
        )

    def _step_numbers(self) -> None:
        """Move the numbers alone."""
        state = self.solver.step()
        is_known = state.is_done
        if not self._is_last_run:
            is_known = is_known or self.solver.averaged >= FIRST_AVERAGES
        if is_known or state.draws >= self._most_draws:
            # The step has moved the numbers: it must come to its end.
            with self.numbers.renderer.interrupt.by(None):
                self._end_numbers()

    def _end_numbers(self) -> None:
        """Go on with the textures, from where the numbers are trusted."""
        self.runs += 1
        self._found = (self._best_place or self.solver.state).information
        if self.runs == 1:
            self._begin_textures()
            return
        self.model.move_held(self.solver.state.x)
        restore_views(self.views, self._looks["textures"])
        self._is_alone = False

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        counts = {
            "joint.counts": np.array([self._is_alone, self.runs, self._draws, self.weighing.rounds])
        }
        models = prefixed("textures", self.images.save()) | prefixed("model", self.model.save())
        out = super().state() | counts | models
        for name, look in self._looks.items():
            out |= prefixed(f"look.{name}", look)
        return out if self._found is None else out | prefixed("found", vars(self._found))

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        is_alone, self.runs, self._draws, rounds = map(int, saved["joint.counts"])
        self.weighing.rounds = rounds
        self._is_alone = bool(is_alone)
        self.images.restore(part_of(saved, "textures"))
        self.model.restore(part_of(saved, "model"))
        looks = {name: part_of(saved, f"look.{name}") for name in ("numbers", "textures")}
        self._looks = {name: look for name, look in looks.items() if look}
        self._found = _information_of(part_of(saved, "found"))
        if self._is_alone and self.runs > 0:
            self.solver = self._solver_of_run()
        super().restore(saved)
        if self._is_alone:
            self.images.upload()
            self._set_samples()

    def end(self) -> None:
        """Leave the scene with what was found."""
        self.numbers.write(self.x)
        self.images.write_result()

    @property
    def _textures_are_done(self) -> bool:
        """Enough draws were averaged, or twice the draws are used up."""
        return self._have_averaged or self._draws >= 2 * self.settings.texture_draws

    @property
    def _have_averaged(self) -> bool:
        """The draws are used up, and a quarter of them was averaged where the numbers stay."""
        draws = self.settings.texture_draws
        return self._draws >= draws and self.model.averaged >= draws // 4

    @property
    def is_done(self) -> bool:
        """The textures are done, and after them the numbers."""
        return not self._is_alone and self._textures_are_done and not self._numbers_are_due

    @property
    def share(self) -> float:
        """About how much is done, in [0, 1]."""
        draws = self.solver.state.draws
        if self.runs == 0:
            return FIRST_SHARE * min(draws / FIRST_DRAWS, 1.0)
        last = LAST_SHARE if self._held.any() else 0.0
        if self._is_alone and self._is_last_run:
            return 1 - last + last * min(draws / self.settings.max_draws, 1.0)
        done = min(self._draws / self.settings.texture_draws, 1.0)
        return 1.0 if self.is_done else FIRST_SHARE + (1 - FIRST_SHARE - last) * done

    @property
    def has_converged(self) -> bool:
        """Textures were averaged enough, where the numbers stay, and the loss does not fall."""
        return self.is_done and self._have_averaged and self.images.is_settled

    @property
    def _best(self) -> tuple[NDArray[np.float64], Information | None]:
        """Held numbers, by the run under way as soon as that knows more than the one before."""
        state = self.solver.state
        if self._is_alone and state.information is not None and self._found is not None:
            known, before = state.errors[self._held], self._found.errors[self._held]
            if (known <= before).all():
                return state.x, state.information
        return self.model.x, self._found

    @property
    def x(self) -> NDArray[np.float64]:
        """The unknowns."""
        if self.runs == 0:
            return super().x
        return np.where(self._held, self._best[0], self.model.x)

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """Of the unknowns; those of the first run would leave the textures out."""
        known = self.information
        return np.full(len(self.x), np.inf) if known is None else known.errors

    @property
    def information(self) -> Information | None:
        """What the draws say of the unknowns."""
        _, alone = self._best
        joint, held = self.model.information, self._held
        if self.runs < 2 or not held.any() or alone is None:
            return joint
        if held.all():
            return alone
        if joint is None:
            return None
        apart = np.outer(held, held)
        covariance = np.where(held | held[:, None], 0, joint.covariance)
        return Information(
            joint.matrix,
            np.where(apart, alone.covariance, covariance),
            np.where(held[:, None], 0, joint.lost),
        )

    @property
    def loss(self) -> float:
        """Mean product of the residuals of the two halves."""
        return self.solver.state.loss if self.runs == 0 else self.model.loss

    def problems(self) -> list[Problem]:
        """Return what did not count of the pictures and textures."""
        return self.images.problems()

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return the textures by the names of their parameters."""
        return {region.parameter.name: self.images.result(region) for region in self.images.regions}

    def undetermined(self) -> dict[str, str]:
        """Return the numbers and tied maps that the pictures do not determine, in words."""
        return super().undetermined() | self.images.undetermined()
