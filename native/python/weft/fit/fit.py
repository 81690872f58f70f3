# SPDX-License-Identifier: Apache-2.0
"""Fits: parameters of materials from pictures of a scene."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError, Device
from weft.fit.gauss_newton import GaussNewton
from weft.fit.parameters import Parameter, build_unknowns, result_values
from weft.fit.scalar_model import ScalarModel

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.target import Target
    from weft.scene import Scene


@dataclass
class FitSettings:
    """How a fit works.

    Args:
        samples: Paths a pixel in each of the two halves of a draw.
        bounces: Surfaces that a path may leave.
        seed: Equal seeds give equal fits.
        tolerance: Wanted standard error of each parameter, in units of its range.
        max_draws: The fit ends after so many draws.
        time_limit: Or after so many seconds; ``None``: no limit.
        information: Share of the information about the parameters that pixels must hold to be
            drawn.
    """

    samples: int = 4
    bounces: int = 8
    seed: int = 0
    tolerance: float = 0.003
    max_draws: int = 40
    time_limit: float | None = None
    information: float = 0.98

    def __post_init__(self) -> None:
        """Check the numbers."""
        if self.samples < 1 or self.bounces < 1 or self.max_draws < 1 or not self.tolerance > 0:
            raise ArgumentError(
                "FitSettings: samples, bounces and max_draws must be at least 1 and "
                "tolerance above 0, "
                f"got {self.samples}, {self.bounces}, {self.max_draws} and {self.tolerance}"
            )


@dataclass
class Progress:
    """Where a fit is after a step.

    Args:
        draws: So far.
        seconds: So far.
        loss: Mean product of the residuals of two independent halves: zero where the scene
            explains the
            pictures, whatever the noise.
        values: Of the parameters, by name.
        errors: Their standard errors, infinite while they are not known.
    """

    draws: int
    seconds: float
    loss: float
    values: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, NDArray[np.float64]]


@dataclass
class FitResult:
    """What a fit has found.

    Args:
        values: Of the parameters, by name.
        errors: Standard errors; infinite where the pictures tell nothing.
        reason: Why it ended: ``converged``, ``draws``, ``time`` or ``cancelled``.
        history: One entry a step.
        undetermined: Names of the parameters that these pictures do not determine, and why.
    """

    values: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, NDArray[np.float64]]
    reason: str
    history: list[Progress] = field(default_factory=list)
    undetermined: Mapping[str, str] = field(default_factory=dict)


class Fit:
    """Finds the parameters of materials that explain pictures.

    Args:
        scene: Geometry, lights, cameras and materials; what is not a parameter stays as it is.
        targets: Pictures.
        parameters: What may change.
        settings: How.
        device: Where; ``None``: the default device.

    Raises:
        ArgumentError: A parameter, a camera or a picture does not fit the scene.

    Example:
        >>> fit = weft.Fit(scene, [weft.Target(photo)], [Parameter("Chrome.roughness")])
        >>> result = fit.run()
        >>> result.values["Chrome.roughness"], result.errors["Chrome.roughness"]
    """

    def __init__(
        self,
        scene: Scene,
        targets: Sequence[Target],
        parameters: Sequence[Parameter],
        settings: FitSettings | None = None,
        *,
        device: Device | None = None,
    ) -> None:
        """Upload the scene, and prepare what the parameters need."""
        from weft.render.renderer import Renderer

        if not targets or not parameters:
            raise ArgumentError(
                f"Fit: at least one target and one parameter are needed, got {len(targets)} and "
                f"{len(parameters)}"
            )
        self.settings = settings or FitSettings()
        if device is None:
            from weft import create_device

            device = create_device()
        self.renderer = Renderer(device, scene)
        self.unknowns = build_unknowns(self.renderer.tables, parameters)
        names = [material.name for material in scene.materials()]
        used = {name.split(".")[0] for p in parameters for name in (p.name, *p.tied)}
        self.model = ScalarModel(
            self.renderer,
            targets,
            self.unknowns,
            [number for number, name in enumerate(names) if name in used],
            samples=self.settings.samples,
            bounces=self.settings.bounces,
            seed=self.settings.seed,
        )
        unknowns = self.unknowns
        self.solver = GaussNewton(
            self.model,
            unknowns.start,
            unknowns.low,
            unknowns.high,
            tolerance=self.settings.tolerance,
        )
        self.history: list[Progress] = []
        self._began: float | None = None

    def step(self) -> Progress:
        """Draw once, and use the draw up."""
        if self._began is None:
            self._began = time.perf_counter()
            self.model.select_pixels(self.solver.state.x, self.settings.information)
        state = self.solver.step()
        errors = state.errors * self.unknowns.slopes(state.x)
        progress = Progress(
            state.draws,
            time.perf_counter() - self._began,
            state.loss,
            result_values(self.unknowns, state.x),
            {b.name: errors[b.first : b.first + b.size] for b in self.unknowns.blocks},
        )
        self.history.append(progress)
        return progress

    def run(
        self,
        progress: Callable[[Progress], object] | None = None,
        cancel: threading.Event | None = None,
    ) -> FitResult:
        """Step until the standard errors are small enough.

        Args:
            progress: Called after each step.
            cancel: Ends the fit after the step under way when set; the result is the best so far.
        """
        settings = self.settings
        reason = "draws"
        while len(self.history) < settings.max_draws:
            latest = self.step()
            if progress is not None:
                progress(latest)
            if self.solver.state.is_done:
                reason = "converged"
            elif cancel is not None and cancel.is_set():
                reason = "cancelled"
            elif settings.time_limit is not None and latest.seconds >= settings.time_limit:
                reason = "time"
            else:
                continue
            break
        latest = self.history[-1]
        return FitResult(
            latest.values, latest.errors, reason, list(self.history), self._undetermined(latest)
        )

    def _undetermined(self, latest: Progress) -> dict[str, str]:
        """Return the parameters that the pictures do not determine, in words."""
        found = {}
        for block in self.unknowns.blocks:
            errors = latest.errors[block.name]
            bounds = self.unknowns.values(self.unknowns.high) - self.unknowns.values(
                self.unknowns.low
            )
            extent = bounds[block.first]
            if np.isinf(errors).any():
                found[block.name] = "no pixel of the pictures depends on it"
            elif (errors > 0.25 * extent).any():
                found[block.name] = "the pictures leave it open: its error is as large as its range"
        return found
