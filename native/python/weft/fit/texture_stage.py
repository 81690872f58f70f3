# SPDX-License-Identifier: Apache-2.0
"""Fits of textures alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import tied_schedule
from weft.fit.best_texels import BestTexels
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.loss import noise_floor_of
from weft.fit.noise import MEASURED_ITERATIONS, NoiseMeter
from weft.fit.phases import Phase, PhaseList, owner
from weft.fit.reweighting import MapReweighting
from weft.fit.texture_model import TextureModel
from weft.fit.texture_schedule import texture_schedule
from weft.fit.views import (
    CHANNELS,
    build_views,
    draw_views,
    materials_of,
    restore_views,
    save_views,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft._native import TiedSchedule
    from weft.fit.lighting import Lighting
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_parameters import FittedTexture, TextureParameter
    from weft.fit.texture_schedule import StepSchedule
    from weft.fit.validation import Stage
    from weft.fit.views import View
    from weft.render.renderer import Renderer
    from weft.scene.problem import Problem

TIED_AVERAGE_FRACTION = 0.75  # of the iterations: before, tied maps still find their prior


def build_texture_model(
    renderer: Renderer,
    views: Sequence[View],
    parameters: Sequence[TextureParameter],
    settings: FitSettings,
) -> TextureModel:
    """Return the model of the textures."""
    bounces, seed = settings.bounces, settings.seed
    return TextureModel(renderer, views, parameters, bounces=bounces, seed=seed)


def step_schedule(
    model: TextureModel, iteration: int, settings: FitSettings
) -> tuple[StepSchedule, TiedSchedule]:
    """Return the step schedule of an iteration, of maps and of tied maps.

    Tied maps need longer before iterates are averaged.
    """
    iterations = settings.texture_iterations
    schedule = texture_schedule(iteration, iterations, settings.samples)
    if model.tied:
        schedule = replace(schedule, average=iteration + 1 > TIED_AVERAGE_FRACTION * iterations)
    return schedule, tied_schedule(min(iteration, iterations - 1), iterations)


class TexturePhase(Phase):
    """Moves textures; scalar parameters stay as they are.

    Args:
        stage: Of the fit, for what weighs its pixels.
        model: Of the textures.
        weighing: When pixels of photos are weighed anew.
    """

    def __init__(self, stage: Stage, model: TextureModel, weighing: MapReweighting) -> None:
        """Begin with no iteration."""
        super().__init__("textures", "textures")
        self._stage, self._model, self._weighing = owner(stage), model, weighing
        self._best = BestTexels(model, stage.settings.texture_iterations)

    def begin(self) -> None:
        """Select the pixels that show the textures, and weigh them by the noise of renders."""
        model = self._model
        model.select_pixels()
        meter = NoiseMeter(model.views)
        for _ in range(MEASURED_ITERATIONS):
            model.draw(self._stage.settings.samples)
            meter.add_squares(model.differences())
        meter.apply()

    def step(self) -> None:
        """Take one step: coarse structure first, averages in the second half."""
        model, settings = self._model, self._stage.settings
        if self._weighing.is_due(min(self.iterations / settings.texture_iterations, 1.0)):
            self._weighing.go_on(self._stage)
            self._best.restart()
        schedule, tied = step_schedule(model, self.iterations, settings)
        model.draw(schedule.samples)
        model.step(schedule, tied)
        if not self._best.note() and schedule.average:
            model.average()

    @property
    def is_done(self) -> bool:
        """The iterations are used up."""
        return self.iterations >= self._stage.settings.texture_iterations

    @property
    def remaining(self) -> float:
        """Iterations left."""
        return max(self._stage.settings.texture_iterations - self.iterations, 0)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the best textures so far."""
        return self._best.state()

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        self._best.restore(saved)


class TextureStage:
    """Fits textures; numbers stay as they are.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        lighting: Of the targets.
        parameters: Textures that may change.
        settings: Iterations, samples, bounces and seed.
    """

    def __init__(
        self,
        renderer: Renderer,
        targets: Sequence[Target],
        lighting: Lighting,
        parameters: Sequence[TextureParameter],
        settings: FitSettings,
    ) -> None:
        """Load the kernels."""
        self.settings = settings
        materials = materials_of(renderer, [parameter.name for parameter in parameters])
        views = build_views(renderer, targets, materials, None, lighting.parts, with_texels=True)
        self.model = build_texture_model(renderer, views, parameters, settings)
        self.weighing = MapReweighting(views)
        phase = TexturePhase(self, self.model, self.weighing)
        self.phases = PhaseList([phase], renderer.interrupt)

    def begin(self) -> None:
        """Begin the phase."""
        self.phases.begin()

    def step(self) -> None:
        """Sample new paths and take one optimisation step."""
        self.phases.step()

    @property
    def seen(self) -> Sequence[View]:
        """The views."""
        return self.model.views

    def look(
        self, samples: int, draw: int, bounces: int | None = None
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Draw the views' pixels at what was found; see weft.fit.validation.Stage."""
        self.model.write_result()
        views, settings = self.model.views, self.settings
        bounces = bounces or settings.bounces
        draw_views(views, samples=samples, bounces=bounces, seed=settings.seed, draw=draw)
        halves: list[list[NDArray[np.floating]]] = [[], []]
        for view in views:
            view.replay({id(e.tables.values): e.tables.values for e in view.recorders})
            for half, rows in enumerate(halves):
                film = view.develop(half * samples, samples, with_tangents=False)[:, 0].sum(axis=0)
                rows.append(((film - view.image[view.pixels]) * view.weights[view.pixels]).ravel())
        return np.concatenate(halves[0]), np.concatenate(halves[1])

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later iterations depend on."""
        out = save_views(self.model.views) | {"weighing": np.array(self.weighing.rounds)}
        models = prefixed("textures", self.model.save())
        return out | models | prefixed("phases", self.phases.state())

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        restore_views(self.model.views, saved)
        self.weighing.rounds = int(saved["weighing"])
        self.model.restore(part_of(saved, "textures"))
        self.phases.restore(part_of(saved, "phases"))

    def end(self) -> None:
        """Leave the scene with what was found."""
        self.model.write_result()

    @property
    def is_done(self) -> bool:
        """The iterations are used up."""
        return self.phases.is_done

    @property
    def has_converged(self) -> bool:
        """The iterations are used up, and the loss has ceased to fall."""
        return self.is_done and self.model.is_settled

    @property
    def loss(self) -> float:
        """Mean product of the residuals of both sample sets; see weft.fit.loss."""
        return self.model.loss

    @property
    def noise_floor(self) -> float:
        """Standard deviation that the noise of renders gives the loss."""
        residuals = CHANNELS * sum(len(view.pixels) for view in self.model.views)
        return noise_floor_of(self.model.noise, residuals) if self.model.losses else float("inf")

    def values(self) -> Mapping[str, NDArray[np.float64]]:
        """Return no number."""
        return {}

    def errors(self) -> Mapping[str, NDArray[np.float64]]:
        """Return no error."""
        return {}

    def inflated_errors(self, ratio: float) -> tuple[Mapping[str, NDArray[np.float64]], float]:
        """Return no error, which a misfit makes no larger."""
        return {}, 1.0

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return the textures by the names of their parameters."""
        return {region.parameter.name: self.model.result(region) for region in self.model.regions}

    def problems(self) -> list[Problem]:
        """Return what did not count of the pictures and textures."""
        return self.model.problems()

    def undetermined(self) -> dict[str, str]:
        """Return tied maps that the pictures do not tell, and why; `known` says it by texel."""
        return self.model.undetermined()
