# SPDX-License-Identifier: Apache-2.0
"""Fits of numbers together with textures: numbers first, then textures, then all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft.fit.checkpoint import part_of, prefixed
from weft.fit.joint import JointModel
from weft.fit.noise import MEASURED_DRAWS, NoiseMeter
from weft.fit.number_stage import StageOfNumbers
from weft.fit.texture_model import texture_pace
from weft.fit.texture_stage import build_texture_model
from weft.fit.views import find_shown, materials_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.exposure import Exposure
    from weft.fit.gauss_newton import Information
    from weft.fit.lights import LightParameter
    from weft.fit.parameters import Parameter
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_model import FittedTexture, TextureParameter
    from weft.render.renderer import Renderer

FIRST_TOLERANCE = 0.02  # of the range: numbers that begin a joint fit need no more
FIRST_DRAWS = 16  # that they take at most
FIRST_PATHS = 1 << 15  # in each half of their draws, where pixels are few
FIRST_AVERAGES = 4  # draws that are averaged for them at most
TRUSTED_ERROR = 0.1  # of the range: a number with a larger error begins where it was


class JointStage(StageOfNumbers):
    """Fits numbers, colours and exposures together with textures.

    Numbers alone come first, from pixels that show no texture that changes: what such a texture
    looks like does not matter much there, and a draw costs little.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        parameters: Numbers and colours that may change.
        exposures: Of the pictures.
        lights: Whose strength may change.
        textures: That may change.
        settings: How.
    """

    def __init__(
        self,
        renderer: Renderer,
        targets: Sequence[Target],
        parameters: Sequence[Parameter],
        exposures: Sequence[Exposure],
        lights: Sequence[LightParameter],
        textures: Sequence[TextureParameter],
        settings: FitSettings,
    ) -> None:
        """Lay out the unknowns and load the kernels."""
        tolerance = max(settings.tolerance, FIRST_TOLERANCE)
        super().__init__(
            renderer, targets, parameters, exposures, lights, settings, textures, tolerance
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
        self._textured = materials_of(renderer, self.texture_names)
        self._is_first = True  # numbers alone
        self._draws = 0  # of all together

    def begin(self) -> None:
        """Look for pixels that show the numbers alone."""
        renderer = self.numbers.renderer
        hidden = [find_shown(renderer, view, self._textured) for view in self.views]
        start, share = self.unknowns.start, self.settings.information
        if not self.numbers.select_pixels(start, share, hidden):
            self._begin_all()
        self._set_first_samples()

    def _set_first_samples(self) -> None:
        """Draw more samples of few pixels: noise may lead numbers to where none is a way back."""
        samples = self.settings.samples
        pixels = sum(len(view.pixels) for view in self.views)
        self.numbers.samples = min(max(FIRST_PATHS // max(pixels, 1), samples), 8 * samples)

    def _begin_all(self) -> None:
        """Go on with all parameters, from where the numbers are trusted."""
        extent = self.unknowns.high - self.unknowns.low
        state = self.solver.state
        is_open = (state.information is not None) & (state.errors > TRUSTED_ERROR * extent)
        self._is_first = False
        self.model.start_at(np.where(is_open, self.unknowns.start, state.x))
        self.model.select_pixels()
        self._weigh()

    def _weigh(self) -> None:
        """Let pixels count by the noise that renders have there."""
        meter = NoiseMeter(self.views)
        for _ in range(MEASURED_DRAWS):
            self.numbers.draw(self.x, samples=self.settings.samples)
            meter.add(*self.numbers.residuals(self.x))
        meter.apply()

    def step(self) -> None:
        """Draw once, and use the draw up."""
        if self._is_first:
            self._step_first()
            return
        settings = self.settings
        pace = texture_pace(self._draws, settings.texture_draws, settings.samples)
        self.model.step(self._draws, pace)
        self._draws += 1

    def _step_first(self) -> None:
        """Move the numbers alone."""
        state = self.solver.step()
        is_known = state.is_done or self.solver.averaged >= FIRST_AVERAGES
        if is_known or state.draws >= min(self.settings.max_draws, FIRST_DRAWS):
            # The step has moved the numbers: it must come to its end.
            with self.numbers.renderer.interrupt.by(None):
                self._begin_all()

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        counts = {"joint.draws": np.array([self._is_first, self._draws])}
        models = prefixed("textures", self.images.save()) | prefixed("model", self.model.save())
        return super().state() | counts | models

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        super().restore(saved)
        is_first, self._draws = map(int, saved["joint.draws"])
        self._is_first = bool(is_first)
        self._set_first_samples()
        self.images.restore(part_of(saved, "textures"))
        self.model.restore(part_of(saved, "model"))

    def end(self) -> None:
        """Leave the scene with what was found."""
        self.numbers.write(self.x)
        self.images.write_result()

    @property
    def is_done(self) -> bool:
        """Enough draws were averaged, or twice the draws are used up."""
        return self.has_converged or self._draws >= 2 * self.settings.texture_draws

    @property
    def has_converged(self) -> bool:
        """The draws are used up, and a quarter of them was averaged where the numbers stay."""
        draws = self.settings.texture_draws
        return self._draws >= draws and self.model.averaged >= draws // 4

    @property
    def x(self) -> NDArray[np.float64]:
        """The unknowns."""
        return self.solver.state.x if self._is_first else self.model.x

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """Of the unknowns; those of the numbers alone would leave the textures out."""
        known = self.information
        return np.full(len(self.x), np.inf) if known is None else known.errors

    @property
    def information(self) -> Information | None:
        """What the averaged draws say of the unknowns."""
        return None if self._is_first else self.model.information

    @property
    def loss(self) -> float:
        """Mean product of the residuals of the two halves."""
        return self.solver.state.loss if self._is_first else self.model.loss

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return the textures by the names of their parameters."""
        return {region.parameter.name: self.images.result(region) for region in self.images.regions}
