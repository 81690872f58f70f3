# SPDX-License-Identifier: Apache-2.0
"""Fits of textures alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.fit.checkpoint import part_of, prefixed
from weft.fit.noise import MEASURED_DRAWS, NoiseMeter
from weft.fit.robust import MapWeighing
from weft.fit.texture_model import TextureModel
from weft.fit.texture_pace import texture_pace
from weft.fit.tied_maps import tied_pace
from weft.fit.views import build_views, draw_views, materials_of, restore_views, save_views

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.lighting import Lighting
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_pace import Pace
    from weft.fit.texture_parameters import FittedTexture, TextureParameter
    from weft.fit.tied_maps import TiedPace
    from weft.fit.views import View
    from weft.render.renderer import Renderer
    from weft.scene.problem import Problem

LAST_SHARE = 0.75  # of the draws: before, tied maps still find their prior


def build_texture_model(
    renderer: Renderer,
    views: Sequence[View],
    parameters: Sequence[TextureParameter],
    settings: FitSettings,
) -> TextureModel:
    """Return the model of the textures."""
    bounces, seed = settings.bounces, settings.seed
    return TextureModel(renderer, views, parameters, bounces=bounces, seed=seed)


def paces_of(model: TextureModel, draw: int, settings: FitSettings) -> tuple[Pace, TiedPace]:
    """Return how a draw moves maps, and tied maps, which need longer before means are taken."""
    draws = settings.texture_draws
    pace = texture_pace(draw, draws, settings.samples)
    if model.tied:
        pace = replace(pace, average=draw + 1 > LAST_SHARE * draws)
    return pace, tied_pace(min(draw, draws - 1), draws)


class TextureStage:
    """Fits textures; numbers stay as they are.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        lighting: Of the targets.
        parameters: Textures that may change.
        settings: How.
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
        self.weighing = MapWeighing(views)
        self._draws = 0

    def begin(self) -> None:
        """Look for the pixels that matter."""
        self.model.select_pixels()
        meter = NoiseMeter(self.model.views)
        for _ in range(MEASURED_DRAWS):
            self.model.draw(self.settings.samples)
            meter.add_squares(self.model.differences())
        meter.apply()

    def step(self) -> None:
        """Draw once and make one step: coarse structure first, averages in the second half."""
        if self.weighing.is_due(self.share):
            self.weighing.go_on(self)
        pace, tied = paces_of(self.model, self._draws, self.settings)
        self.model.draw(pace.samples)
        self.model.step(pace, tied)
        self._draws += 1
        if pace.average:
            self.model.average()

    @property
    def seen(self) -> Sequence[View]:
        """The views."""
        return self.model.views

    def look(
        self, samples: int, draw: int, bounces: int | None = None
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Draw the views' pixels at what was found; see weft.fit.sights.Stage."""
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
        """Return all that later steps depend on."""
        counts = {"draws": np.array(self._draws), "weighing": np.array(self.weighing.rounds)}
        return save_views(self.model.views) | counts | prefixed("textures", self.model.save())

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        restore_views(self.model.views, saved)
        self._draws, self.weighing.rounds = int(saved["draws"]), int(saved["weighing"])
        self.model.restore(part_of(saved, "textures"))

    def end(self) -> None:
        """Leave the scene with what was found."""
        self.model.write_result()

    @property
    def is_done(self) -> bool:
        """The draws are used up."""
        return self._draws >= self.settings.texture_draws

    @property
    def share(self) -> float:
        """How much is done, in [0, 1]."""
        return min(self._draws / self.settings.texture_draws, 1.0)

    @property
    def has_converged(self) -> bool:
        """The draws are used up, and the loss has ceased to fall."""
        return self.is_done and self.model.is_settled

    @property
    def loss(self) -> float:
        """Mean product of the residuals of the two halves."""
        return self.model.loss

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
