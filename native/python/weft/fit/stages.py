# SPDX-License-Identifier: Apache-2.0
"""The two kinds of fit: numbers by Gauss-Newton, textures by averaged gradient steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.fit.gauss_newton import GaussNewton
from weft.fit.parameters import build_unknowns, result_values
from weft.fit.scalar_model import ScalarModel
from weft.fit.texture_model import TextureModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.parameters import Parameter
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_model import FittedTexture, TextureParameter
    from weft.render.renderer import Renderer


def materials_of(renderer: Renderer, names: Sequence[str]) -> list[int]:
    """Return the numbers of the materials that parameters belong to."""
    used = {name.split(".")[0] for name in names}
    materials = renderer.scene.materials()
    return [number for number, material in enumerate(materials) if material.name in used]


class NumberStage:
    """Fits numbers and colours; textures stay as they are.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        parameters: What may change.
        settings: How.
    """

    def __init__(
        self,
        renderer: Renderer,
        targets: Sequence[Target],
        parameters: Sequence[Parameter],
        settings: FitSettings,
    ) -> None:
        """Lay out the unknowns and load the kernels."""
        self.settings = settings
        self.parameters = list(parameters)
        self.unknowns = build_unknowns(renderer.tables, parameters)
        names = [name for p in parameters for name in (p.name, *p.tied)]
        self.model = ScalarModel(
            renderer,
            targets,
            self.unknowns,
            materials_of(renderer, names),
            samples=settings.samples,
            bounces=settings.bounces,
            seed=settings.seed,
        )
        unknowns = self.unknowns
        self.solver = GaussNewton(
            self.model, unknowns.start, unknowns.low, unknowns.high, tolerance=settings.tolerance
        )

    def begin(self) -> None:
        """Look for the pixels that matter."""
        self.model.select_pixels(self.solver.state.x, self.settings.information)

    def step(self) -> None:
        """Draw once, and use the draw up."""
        self.solver.step()

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
        return {b.name: errors[b.first : b.first + b.size] for b in self.unknowns.blocks}

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return no texture."""
        return {}

    def undetermined(self) -> dict[str, str]:
        """Return the parameters that the pictures do not determine, in words."""
        information = self.solver.state.information
        if information is None:
            return {}
        from weft.fit.diagnosis import Evidence, find_undetermined

        return find_undetermined(
            Evidence(
                self.model.renderer,
                [view.target for view in self.model.views],
                self.parameters,
                self.unknowns,
                self.solver.state.x,
                information,
            )
        )


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
        self.model = TextureModel(
            renderer,
            targets,
            parameters,
            materials_of(renderer, [parameter.name for parameter in parameters]),
            samples=settings.samples,
            bounces=settings.bounces,
            seed=settings.seed,
        )
        self._draws = 0

    def begin(self) -> None:
        """Look for the pixels that matter."""
        self.model.select_pixels()

    def step(self) -> None:
        """Draw once and make one step: coarse structure first, averages in the second half."""
        whole = self.settings.texture_draws
        self.model.draw()
        coarse = max(1 - self._draws / (0.5 * whole), 0.0)
        self.model.step(round(6 * coarse), 0.7 if self._draws < 0.4 * whole else 0.35)
        self._draws += 1
        if self._draws > 0.5 * whole:
            self.model.average()

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
