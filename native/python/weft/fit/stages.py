# SPDX-License-Identifier: Apache-2.0
"""The kinds of fit: numbers by Gauss-Newton, textures by averaged gradient steps, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft.fit.checkpoint import part_of, prefixed
from weft.fit.exposure import view_gains
from weft.fit.gauss_newton import GaussNewton
from weft.fit.joint import JointModel
from weft.fit.lights import build_parts
from weft.fit.parameters import build_unknowns, result_values
from weft.fit.scalar_model import ScalarModel
from weft.fit.texture_model import TextureModel, texture_schedule
from weft.fit.views import CHANNELS, build_views

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.exposure import Exposure
    from weft.fit.gauss_newton import Information
    from weft.fit.lights import LightParameter
    from weft.fit.parameters import Parameter, Unknowns
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_model import FittedTexture, TextureParameter
    from weft.fit.views import View
    from weft.render.renderer import Renderer


def materials_of(renderer: Renderer, names: Sequence[str]) -> list[int]:
    """Return the numbers of the materials that parameters belong to."""
    used = {name.split(".")[0] for name in names}
    materials = renderer.scene.materials()
    return [number for number, material in enumerate(materials) if material.name in used]


def names_of(parameters: Sequence[Parameter]) -> list[str]:
    """Return the names of parameters and of those that are tied to them."""
    return [name for entry in parameters for name in (entry.name, *entry.tied)]


def build_scalar_model(
    renderer: Renderer, views: Sequence[View], unknowns: Unknowns, settings: FitSettings
) -> ScalarModel:
    """Return the model of the numbers."""
    return ScalarModel(
        renderer,
        views,
        unknowns,
        samples=settings.samples,
        bounces=settings.bounces,
        seed=settings.seed,
    )


def build_texture_model(
    renderer: Renderer,
    views: Sequence[View],
    parameters: Sequence[TextureParameter],
    settings: FitSettings,
) -> TextureModel:
    """Return the model of the textures."""
    return TextureModel(
        renderer,
        views,
        parameters,
        samples=settings.samples,
        bounces=settings.bounces,
        seed=settings.seed,
    )


def save_pixels(views: Sequence[View]) -> dict[str, NDArray[np.generic]]:
    """Return which pixels of each view are drawn."""
    return {f"pixels.{number}": view.pixels for number, view in enumerate(views)}


def restore_pixels(views: Sequence[View], saved: Mapping[str, NDArray[Any]]) -> None:
    """Draw the pixels of save_pixels() again."""
    for number, view in enumerate(views):
        view.pixels = saved[f"pixels.{number}"]


def find_undetermined(
    model: ScalarModel,
    parameters: Sequence[Parameter],
    x: NDArray[np.float64],
    information: Information | None,
    textures: Sequence[str] = (),
) -> dict[str, str]:
    """Return the parameters that the pictures do not determine, in words."""
    if information is None:
        return {}
    from weft.fit import diagnosis

    targets = [view.target for view in model.views]
    evidence = diagnosis.Evidence(
        model.renderer, targets, parameters, model.unknowns, x, information, textures
    )
    return diagnosis.find_undetermined(evidence)


class NumberStage:
    """Fits numbers, colours and exposures; textures stay as they are.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        parameters: What may change.
        exposures: Of the pictures.
        lights: Whose strength may change.
        settings: How.
    """

    def __init__(
        self,
        renderer: Renderer,
        targets: Sequence[Target],
        parameters: Sequence[Parameter],
        exposures: Sequence[Exposure],
        lights: Sequence[LightParameter],
        settings: FitSettings,
    ) -> None:
        """Lay out the unknowns and load the kernels."""
        self.settings = settings
        self.parameters = parameters
        gains = view_gains(exposures, targets)
        self.unknowns = build_unknowns(renderer.tables, parameters, gains, lights)
        materials = materials_of(renderer, names_of(parameters))
        parts = build_parts(renderer, lights)
        views = build_views(renderer, targets, materials, self.unknowns.direction_count, parts)
        self.model = build_scalar_model(renderer, views, self.unknowns, settings)
        unknowns = self.unknowns
        self.solver = GaussNewton(
            self.model,
            unknowns.start,
            unknowns.low,
            unknowns.high,
            tolerance=settings.tolerance,
            prior=unknowns.prior,
            starts=settings.starts,
            open_range=unknowns.has_open_range(),
            together=CHANNELS,
        )

    def begin(self) -> None:
        """Look for the pixels that matter."""
        self.model.select_pixels(self.solver.state.x, self.settings.information)

    def step(self) -> None:
        """Draw once, and use the draw up."""
        self.solver.step()

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        draws = {"draws": np.array(self.model.draws)}
        return save_pixels(self.model.views) | draws | prefixed("solver", self.solver.save())

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        restore_pixels(self.model.views, saved)
        self.model.draws = int(saved["draws"])
        self.solver.restore(part_of(saved, "solver"))

    def end(self) -> None:
        """Leave the scene with what was found."""
        self.model.write(self.solver.state.x)

    @property
    def is_done(self) -> bool:
        """The standard errors are small enough, or the draws are used up."""
        return self.has_converged or self.solver.state.draws >= self.settings.max_draws

    @property
    def has_converged(self) -> bool:
        """The standard errors are small enough."""
        return self.solver.state.is_done

    @property
    def loss(self) -> float:
        """Mean product of the residuals of the two halves."""
        return self.solver.state.loss

    def values(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the values by name."""
        return result_values(self.unknowns, self.solver.state.x)

    def errors(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the standard errors by name."""
        state = self.solver.state
        errors = state.errors * self.unknowns.slopes(state.x)
        return {block.name: errors[block.part] for block in self.unknowns.blocks}

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return no texture."""
        return {}

    def undetermined(self) -> dict[str, str]:
        """Return the parameters that the pictures do not determine, in words."""
        state = self.solver.state
        return find_undetermined(self.model, self.parameters, state.x, state.information)


class TextureStage:
    """Fits textures; numbers stay as they are.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        parameters: Textures that may change.
        settings: How.
    """

    def __init__(
        self,
        renderer: Renderer,
        targets: Sequence[Target],
        parameters: Sequence[TextureParameter],
        settings: FitSettings,
    ) -> None:
        """Load the kernels."""
        self.settings = settings
        materials = materials_of(renderer, [parameter.name for parameter in parameters])
        views = build_views(renderer, targets, materials, 0)
        self.model = build_texture_model(renderer, views, parameters, settings)
        self._draws = 0

    def begin(self) -> None:
        """Look for the pixels that matter."""
        self.model.select_pixels()

    def step(self) -> None:
        """Draw once and make one step: coarse structure first, averages in the second half."""
        self.model.draw()
        blur, rate, average = texture_schedule(self._draws, self.settings.texture_draws)
        self.model.step(blur, rate)
        self._draws += 1
        if average:
            self.model.average()

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        draws = {"draws": np.array(self._draws)}
        return save_pixels(self.model.views) | draws | prefixed("textures", self.model.save())

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        restore_pixels(self.model.views, saved)
        self._draws = int(saved["draws"])
        self.model.restore(part_of(saved, "textures"))

    def end(self) -> None:
        """Leave the scene with what was found."""
        self.model.write_result()

    @property
    def is_done(self) -> bool:
        """The draws are used up."""
        return self._draws >= self.settings.texture_draws

    @property
    def has_converged(self) -> bool:
        """The draws are used up: the noise of the average says nothing of its own end."""
        return self.is_done

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

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return the textures by the names of their parameters."""
        return {region.parameter.name: self.model.result(region) for region in self.model.regions}

    def undetermined(self) -> dict[str, str]:
        """Return nothing: `FittedTexture.known` says it texel by texel."""
        return {}


class JointStage:
    """Fits numbers, colours and exposures together with textures.

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
        self.settings = settings
        self.parameters = parameters
        gains = view_gains(exposures, targets)
        self.unknowns = build_unknowns(renderer.tables, parameters, gains, lights)
        names = [*names_of(parameters), *(entry.name for entry in textures)]
        materials = materials_of(renderer, names)
        parts = build_parts(renderer, lights)
        views = build_views(renderer, targets, materials, self.unknowns.direction_count, parts)
        self.numbers = build_scalar_model(renderer, views, self.unknowns, settings)
        self.images = build_texture_model(renderer, views, textures, settings)
        unknowns = self.unknowns
        self.model = JointModel(
            self.numbers,
            self.images,
            unknowns.start,
            unknowns.low,
            unknowns.high,
            unknowns.prior,
        )
        self._draws = 0

    def begin(self) -> None:
        """Look for the pixels that matter."""
        self.model.select_pixels()

    def step(self) -> None:
        """Draw once, and use the draw up."""
        blur, rate, average = texture_schedule(self._draws, self.settings.texture_draws)
        self.model.step(self._draws, blur, rate, average=average)
        self._draws += 1

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        draws = {"draws": np.array([self._draws, self.numbers.draws])}
        models = prefixed("textures", self.images.save()) | prefixed("joint", self.model.save())
        return save_pixels(self.numbers.views) | draws | models

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        restore_pixels(self.numbers.views, saved)
        self._draws, self.numbers.draws = map(int, saved["draws"])
        self.images.restore(part_of(saved, "textures"))
        self.model.restore(part_of(saved, "joint"))

    def end(self) -> None:
        """Leave the scene with what was found."""
        self.numbers.write(self.model.x)
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
    def loss(self) -> float:
        """Mean product of the residuals of the two halves."""
        return self.model.loss

    def values(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the values by name."""
        return result_values(self.unknowns, self.model.x)

    def errors(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the standard errors by name."""
        information = self.model.information
        infinite = np.full(len(self.model.x), np.inf)
        errors = infinite if information is None else information.errors
        errors = errors * self.unknowns.slopes(self.model.x)
        return {block.name: errors[block.part] for block in self.unknowns.blocks}

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return the textures by the names of their parameters."""
        return {region.parameter.name: self.images.result(region) for region in self.images.regions}

    def undetermined(self) -> dict[str, str]:
        """Return the numbers that the pictures do not determine, in words."""
        names = [region.parameter.name for region in self.images.regions]
        return find_undetermined(
            self.numbers, self.parameters, self.model.x, self.model.information, names
        )
