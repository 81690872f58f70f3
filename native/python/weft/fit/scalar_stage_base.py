# SPDX-License-Identifier: Apache-2.0
"""Fits of scalar parameters, and what they share with fits of scalars and textures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import LossMeter, Prior, ScalarModel
from weft.fit.checkpoint import part_of, prefixed
from weft.fit.devices import shares_of
from weft.fit.exposure import view_gains
from weft.fit.gauss_newton import GaussNewton
from weft.fit.phases import Phase, PhaseList
from weft.fit.smooth_glass import require_known_directions
from weft.fit.unknowns import build_unknowns, result_values
from weft.fit.views import CHANNELS, build_views, materials_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.exposure import Exposure
    from weft.fit.gauss_newton import Candidate
    from weft.fit.information import Information
    from weft.fit.lighting import Lighting
    from weft.fit.parameters import Parameter
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.texture_parameters import TextureParameter
    from weft.fit.validation import ValidationArrays
    from weft.render.renderer import Renderer
    from weft.scene.problem import Problem


START_DEVIATION = 1.0  # of the range: how far from its start a scalar may be while nothing is known


class ScalarStageBase(ABC):
    """Unknowns, views and Gauss-Newton of a fit of scalars, colours, exposures and lights.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        parameters: What may change.
        exposures: Of the pictures.
        lighting: Of the targets, with the lights whose strength may change.
        settings: Iterations, samples, bounces, tolerance and seed.
        textures: That change besides.
        tolerance: Wanted standard error of the first solver, as a fraction of the range; ``None``:
            that of the settings.
        max_iterations: That the first solver takes; ``None``: those of the settings.
        others: Of the targets on further devices, which take their share of the views.
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
        max_iterations: int | None = None,
        others: Sequence[Lighting] = (),
    ) -> None:
        """Lay out the unknowns and load the kernels."""
        self.renderer, self.settings = renderer, settings
        self.parameters = parameters
        self.texture_names = [entry.name for entry in textures]
        gains = view_gains(exposures, targets)
        self.unknowns = build_unknowns(renderer.tables, parameters, gains, lighting.lights)
        require_known_directions(renderer.scene, parameters)
        own = [name for entry in parameters for name in (entry.name, *entry.tied)]
        materials = materials_of(renderer, [*own, *self.texture_names])
        scene = renderer.tables.materials
        rows = self.unknowns.native.directions(len(scene.values)).rows
        self.views = build_views(
            [lighting, *others],
            targets,
            shares_of(targets, 1 + len(others)),
            materials,
            rows,
            with_texels=bool(textures),
        )
        self.meter = LossMeter(self.views.native)
        self.scalars = ScalarModel(
            self.views.native,
            self.unknowns.native,
            renderer.tables.native,
            settings.samples,
            settings.bounces,
            settings.seed,
            renderer.interrupt,
        )
        self.solver = self.create_solver(
            self.unknowns.start,
            settings.tolerance if tolerance is None else tolerance,
            self.unknowns.prior,
            settings.starts,
            settings.max_iterations if max_iterations is None else max_iterations,
        )

    def create_solver(
        self,
        x: NDArray[np.float64],
        tolerance: float,
        prior: Prior | None,
        starts: int,
        max_iterations: int,
    ) -> GaussNewton:
        """Return a solver for the scalars that begins at `x`."""
        unknowns = self.unknowns
        return GaussNewton(
            self.scalars,
            x,
            unknowns.low,
            unknowns.high,
            tolerance=tolerance,
            prior=prior,
            hold=self._start_prior(),
            starts=starts,
            open_range=unknowns.native.has_open_range(),
            groups=unknowns.native.groups(),
            together=CHANNELS,
            max_iterations=max_iterations,
        )

    def _start_prior(self) -> Prior:
        """Return what keeps scalars at their start where nothing moves them."""
        unknowns = self.unknowns
        extent = unknowns.high - unknowns.low
        return Prior.none(len(extent)).holding(
            ~unknowns.native.has_open_range(), unknowns.start, START_DEVIATION * extent
        )

    @property
    def x(self) -> NDArray[np.float64]:
        """The unknowns: at the best place, while another start is tried."""
        best = self.best_candidate
        return self.solver.state.x if best is None else best.x

    @property
    def best_candidate(self) -> Candidate | None:
        """The best place so far, while another start is tried of which less is known."""
        return self.solver.best if self.solver.is_elsewhere else None

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """Of the unknowns."""
        best = self.best_candidate
        return self.solver.state.errors if best is None else best.errors

    @property
    def information(self) -> Information | None:
        """What the averaged draws say of the unknowns."""
        best = self.best_candidate
        return self.solver.state.information if best is None else best.information

    @property
    def loss(self) -> float:
        """The loss of the pixels of all phases; see native/fit/loss_meter.hpp."""
        return self.meter.loss

    @property
    def noise_floor(self) -> float:
        """Standard deviation that the noise of renders gives the loss."""
        return self.meter.noise_floor

    @cached_property
    def phases(self) -> PhaseList:
        """The phases of the fit, in their order."""
        return PhaseList(self._build_phases(), self.renderer.interrupt)

    @abstractmethod
    def _build_phases(self) -> Sequence[Phase]:
        """Return the phases, in their order."""

    def begin(self) -> None:
        """Begin the first phase."""
        self.phases.begin()

    def step(self) -> None:
        """Sample new paths and take one optimisation step of the phase under way."""
        self.phases.step()

    @property
    def is_done(self) -> bool:
        """Whether all phases are done."""
        return self.phases.is_done

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later iterations depend on."""
        iterations = {"scalars.iterations": np.array(self.scalars.iterations)}
        own = iterations | prefixed("loss", self.meter.state())
        return self.views.save() | own | prefixed("phases", self.phases.state())

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        self.views.restore(saved)
        self.scalars.iterations = int(saved["scalars.iterations"])
        self.meter.restore(part_of(saved, "loss"))
        self.phases.restore(part_of(saved, "phases"))

    def validate(self, bounces: int | None = None) -> list[ValidationArrays]:
        """Draw the views' pixels at what was found; see weft.fit.validation.Stage."""
        return self.scalars.validate(self.x, self.settings.samples, bounces)

    def differences(
        self, pixels: Sequence[NDArray[np.uint32]], samples: int, draw: int
    ) -> list[NDArray[np.float32]]:
        """Render some pixels of each view at what was found; return render minus picture."""
        return self.scalars.differences(self.x, pixels, samples, draw)

    def values(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the values by name."""
        return result_values(self.unknowns, self.x)

    def errors(self) -> Mapping[str, NDArray[np.float64]]:
        """Return the standard errors by name."""
        errors = self.standard_errors * self.unknowns.derivatives(self.x)
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
        return self.views.problems()

    def undetermined(self) -> dict[str, str]:
        """Return the numbers that the pictures do not determine, in words."""
        if self.information is None:
            return {}
        from weft.fit import diagnosis

        targets = [view.target for view in self.views]
        evidence = diagnosis.Evidence(
            self.renderer,
            targets,
            self.parameters,
            self.unknowns,
            self.x,
            self.information,
            self.texture_names,
        )
        return diagnosis.find_undetermined(evidence)
