# SPDX-License-Identifier: Apache-2.0
"""Fits of textures alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import BestTexels, MapReweighting
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.phases import Phase, PhaseList, owner
from weft.fit.texture_model import TextureModel
from weft.fit.views import build_views, materials_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.lighting import Lighting
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_parameters import FittedTexture, TextureParameter
    from weft.fit.validation import Stage, ValidationArrays
    from weft.render.renderer import Renderer
    from weft.scene.problem import Problem


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
        self._stage, self._model, self._weighing = owner(stage), model.native, weighing
        self._best = BestTexels(self._model, stage.settings.texture_iterations)

    def begin(self) -> None:
        """Select the pixels that show the textures, and weigh them by the noise of renders."""
        self._model.select_pixels()
        self._model.weigh_by_noise(self._stage.settings.samples)

    def step(self) -> None:
        """Take one step: coarse structure first, averages in the second half."""
        model, settings = self._model, self._stage.settings
        iterations = settings.texture_iterations
        if self._weighing.is_due(min(self.iterations / iterations, 1.0)):
            self._weighing.go_on(model, settings.samples)
            self._best.restart()
        is_averaging = model.step(self.iterations, iterations, settings.samples)
        if not self._best.note() and is_averaging:
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
        return self._best.save()

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        self._best.restore(dict(saved))


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
        alone = [0] * len(targets)
        self.views = build_views([lighting], targets, alone, materials, None, with_texels=True)
        self.model = TextureModel(renderer, self.views, parameters, settings)
        self.weighing = MapReweighting(self.views.native)
        phase = TexturePhase(self, self.model, self.weighing)
        self.phases = PhaseList([phase], renderer.interrupt)

    def begin(self) -> None:
        """Begin the phase."""
        self.phases.begin()

    def step(self) -> None:
        """Sample new paths and take one optimisation step."""
        self.phases.step()

    def validate(self, bounces: int | None = None) -> list[ValidationArrays]:
        """Draw the views' pixels at what was found; see weft.fit.validation.Stage."""
        return self.model.native.validate(self.settings.samples, bounces)

    def differences(
        self, pixels: Sequence[NDArray[np.uint32]], samples: int, draw: int
    ) -> list[NDArray[np.float32]]:
        """Render some pixels of each view at what was found; return render minus picture."""
        return self.model.native.differences(pixels, samples, draw)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later iterations depend on."""
        out = self.views.save() | {"weighing": np.array(self.weighing.rounds)}
        models = prefixed("textures", self.model.native.save())
        return out | models | prefixed("phases", self.phases.state())

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        self.views.restore(saved)
        self.weighing.rounds = int(saved["weighing"])
        self.model.native.restore(part_of(saved, "textures"))
        self.phases.restore(part_of(saved, "phases"))

    def end(self) -> None:
        """Leave the scene with what was found."""
        self.model.native.write_result()

    @property
    def is_done(self) -> bool:
        """The iterations are used up."""
        return self.phases.is_done

    @property
    def has_converged(self) -> bool:
        """The iterations are used up, and the loss has ceased to fall."""
        return self.is_done and self.is_settled

    @property
    def is_settled(self) -> bool:
        """The loss has ceased to fall."""
        return self.model.native.is_settled

    @property
    def loss(self) -> float:
        """Mean product of the residuals of both sample sets."""
        return self.model.native.loss

    @property
    def noise_floor(self) -> float:
        """Standard deviation that the noise of renders gives the loss."""
        return self.model.native.noise_floor

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
        return self.model.textures()

    def problems(self) -> list[Problem]:
        """Return what did not count of the pictures and textures."""
        return self.model.problems()

    def undetermined(self) -> dict[str, str]:
        """Return tied maps that the pictures do not tell, and why; `known` says it by texel."""
        return self.model.undetermined()
