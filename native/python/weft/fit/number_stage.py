# SPDX-License-Identifier: Apache-2.0
"""Fits of numbers, and what they share with fits of numbers and textures."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.fit.checkpoint import part_of, prefixed
from weft.fit.exposure import view_gains
from weft.fit.gauss_newton import GaussNewton
from weft.fit.inflation import inflation
from weft.fit.parameters import build_unknowns, result_values
from weft.fit.prior import Prior
from weft.fit.robust import Weighing
from weft.fit.scalar_model import ScalarModel
from weft.fit.smooth_glass import require_known_directions
from weft.fit.views import CHANNELS, build_views, materials_of, restore_views, save_views
from weft.render.directions import Directions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.attempts import Place
    from weft.fit.exposure import Exposure
    from weft.fit.information import Information
    from weft.fit.lighting import Lighting
    from weft.fit.parameters import Parameter
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_parameters import FittedTexture, TextureParameter
    from weft.fit.views import View
    from weft.render.renderer import Renderer
    from weft.scene.problem import Problem


LEAST_PATHS = 1 << 15  # in each half of a draw, where pixels are few
PATHS_A_NUMBER = 1 << 11  # in each half of a draw
MOST_SAMPLES = 8  # times those of the settings
WEIGHED_FROM = 2  # averaged draws: pixels of photos are weighed then
HOLDING = 1.0  # of the range: how far from its start a number may be before anything is known


class StageOfNumbers:
    """Unknowns, views and Gauss-Newton of a fit of numbers, colours, exposures and lights.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        parameters: What may change.
        exposures: Of the pictures.
        lighting: Of the targets, with the lights whose strength may change.
        settings: How.
        textures: That change besides.
        tolerance: Wanted standard error, of a range; ``None``: that of the settings.
    """

    def __init__(
        self,
        renderer: Renderer,
        targets: Sequence[Target],
        parameters: Sequence[Parameter],
        exposures: Sequence[Exposure],
        lighting: Lighting,
        settings: FitSettings,
        textures: Sequence[TextureParameter] = (),
        tolerance: float | None = None,
    ) -> None:
        """Lay out the unknowns and load the kernels."""
        self.settings = settings
        self.parameters = parameters
        self.texture_names = [entry.name for entry in textures]
        gains = view_gains(exposures, targets)
        self.unknowns = build_unknowns(renderer.tables, parameters, gains, lighting.lights)
        require_known_directions(renderer.scene, parameters)
        own = [name for entry in parameters for name in (entry.name, *entry.tied)]
        materials = materials_of(renderer, [*own, *self.texture_names])
        scene = renderer.tables.materials
        rows, _ = self.unknowns.directions(len(scene.values))
        directions = Directions(renderer.device, scene, rows)
        self.views = build_views(
            renderer,
            targets,
            materials,
            directions,
            lighting.parts,
            with_texels=bool(textures),
        )
        self.numbers = ScalarModel(
            renderer,
            self.views,
            self.unknowns,
            samples=settings.samples,
            bounces=settings.bounces,
            seed=settings.seed,
        )
        self.solver = self.create_solver(
            self.unknowns.start,
            settings.tolerance if tolerance is None else tolerance,
            self.unknowns.prior,
            settings.starts,
        )

    def create_solver(
        self, x: NDArray[np.float64], tolerance: float, prior: Prior | None, starts: int
    ) -> GaussNewton:
        """Return a solver for the numbers that begins at `x`."""
        unknowns = self.unknowns
        return GaussNewton(
            self.numbers,
            x,
            unknowns.low,
            unknowns.high,
            tolerance=tolerance,
            prior=prior,
            hold=self._hold(),
            starts=starts,
            open_range=unknowns.has_open_range(),
            groups=unknowns.groups(),
            together=CHANNELS,
            most_draws=self._most_draws,
        )

    @property
    def _most_draws(self) -> int:
        """Draws that a solver makes at most."""
        return self.settings.max_draws

    def _hold(self) -> Prior:
        """Return what keeps numbers at their start where nothing moves them."""
        unknowns = self.unknowns
        extent = unknowns.high - unknowns.low
        return Prior.none(len(extent)).holding(
            ~unknowns.has_open_range(), unknowns.start, HOLDING * extent
        )

    @property
    def x(self) -> NDArray[np.float64]:
        """The unknowns: at the best place, while another start is tried."""
        best = self._best_place
        return self.solver.state.x if best is None else best.x

    @property
    def _best_place(self) -> Place | None:
        return self.solver.best if self.solver.is_elsewhere else None

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """Of the unknowns."""
        best = self._best_place
        return self.solver.state.errors if best is None else best.errors

    @property
    def information(self) -> Information | None:
        """What the averaged draws say of the unknowns."""
        best = self._best_place
        return self.solver.state.information if best is None else best.information

    @property
    def loss(self) -> float:
        """Mean product of the residuals of the two halves."""
        return self.solver.state.loss

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        draws = {"numbers.draws": np.array(self.numbers.draws)}
        return save_views(self.views) | draws | prefixed("solver", self.solver.save())

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        restore_views(self.views, saved)
        self.numbers.draws = int(saved["numbers.draws"])
        self.solver.restore(part_of(saved, "solver"))

    @property
    def seen(self) -> Sequence[View]:
        """The views."""
        return self.views

    def look(
        self, samples: int, draw: int, bounces: int | None = None
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Draw the views' pixels at what was found; see weft.fit.sights.Stage."""
        numbers = self.numbers
        before = numbers.draws, numbers.bounces
        numbers.draws, numbers.bounces = draw, bounces or numbers.bounces
        try:
            numbers.draw(self.x, samples=samples)
            return numbers.residuals(self.x)
        finally:
            numbers.draws, numbers.bounces = before

    def values(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the values by name."""
        return result_values(self.unknowns, self.x)

    def errors(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the standard errors by name."""
        errors = self.standard_errors * self.unknowns.slopes(self.x)
        return {block.name: errors[block.part] for block in self.unknowns.blocks}

    def inflation(self) -> NDArray[np.float64] | None:
        """Return the factors by which shared residuals make errors larger; ``None``: unknown."""
        return None

    def inflated_errors(self, ratio: float) -> tuple[Mapping[str, NDArray[np.float64]], float]:
        """Return standard errors where more than noise is left, and the largest factor on them.

        Args:
            ratio: Of residuals to noise: what errors grow by if nothing better is known (Birge
                1932).
        """
        factors = self.inflation()
        if factors is None:
            factors = np.full(len(self.x), max(ratio, 1.0))
        errors = self.errors()
        return {
            block.name: errors[block.name] * factors[block.part] for block in self.unknowns.blocks
        }, float(factors.max())

    def problems(self) -> list[Problem]:
        """Return what did not count of the pictures."""
        return [problem for view in self.views for problem in view.problems()]

    def undetermined(self) -> dict[str, str]:
        """Return the numbers that the pictures do not determine, in words."""
        if self.information is None:
            return {}
        from weft.fit import diagnosis

        targets = [view.target for view in self.views]
        evidence = diagnosis.Evidence(
            self.numbers.renderer,
            targets,
            self.parameters,
            self.unknowns,
            self.x,
            self.information,
            self.texture_names,
        )
        return diagnosis.find_undetermined(evidence)


class NumberStage(StageOfNumbers):
    """Fits numbers, colours and exposures; textures stay as they are."""

    @cached_property
    def weighing(self) -> Weighing:
        """When pixels of photos are weighed anew."""
        return Weighing(self.views)

    def begin(self) -> None:
        """Look for the pixels that matter."""
        self.numbers.select_pixels(self.x, self.settings.information)

    def step(self) -> None:
        """Draw once, and use the draw up."""
        if self._is_due and self.weighing.go_on(self):
            self.solver.forget()
        self.numbers.samples = self._samples()
        self.solver.step()

    @property
    def _is_due(self) -> bool:
        """The numbers stand nearly still: residuals tell which pixels nothing explains."""
        return not self.weighing.is_over() and self.solver.averaged >= WEIGHED_FROM

    def inflation(self) -> NDArray[np.float64] | None:
        """Return the factors by which shared residuals make errors larger; ``None``: unknown."""
        halves, information = self.solver.averaged_model, self.information
        if halves is None or information is None or self.solver.is_elsewhere:
            return None
        return inflation(halves, self.views, information.matrix)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        return super().state() | {"weighing": np.array(self.weighing.rounds)}

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        super().restore(saved)
        self.weighing.rounds = int(saved["weighing"])

    def _samples(self) -> int:
        """Return the paths a pixel of the next draw: more where pixels are few or numbers many.

        Steps far from the end outweigh noise: half as many do, if that is enough.
        """
        wanted = self.settings.samples
        least = wanted if self.solver.state.is_averaging else (wanted + 1) // 2
        pixels = sum(len(view.pixels) for view in self.views)
        paths = max(LEAST_PATHS, PATHS_A_NUMBER * len(self.x))
        return min(max(paths // max(pixels, 1), least), MOST_SAMPLES * wanted)

    def end(self) -> None:
        """Leave the scene with what was found."""
        self.numbers.write(self.x)

    @property
    def is_done(self) -> bool:
        """The standard errors are small enough, or the draws are used up."""
        is_found = self.has_converged and self.weighing.is_over()
        return is_found or self.solver.state.draws >= self.settings.max_draws

    @property
    def share(self) -> float:
        """About how much is done, in [0, 1]."""
        return min(self.solver.state.draws / self.settings.max_draws, 1.0)

    @property
    def has_converged(self) -> bool:
        """The standard errors are small enough."""
        return self.solver.state.is_done

    def textures(self) -> Mapping[str, FittedTexture]:
        """Return no texture."""
        return {}
