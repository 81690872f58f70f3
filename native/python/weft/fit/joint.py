# SPDX-License-Identifier: Apache-2.0
"""Numbers and textures together: Newton steps for the numbers that foresee how the textures follow.

Alternating between the two stalls, because a texture takes up what a wrong number leaves behind.
Eliminating the textures from the linear model does not: with C = J_t' J_n and the curvature D of
the textures (see TextureModel), the numbers solve (H - C' D^-1 C) dn = -(g_n - C' D^-1 g_t), and
the textures move by -D^-1 (g_t + C dn) (variable projection, Golub and Pereyra 1973).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import JointNumbers, NormalEquations, Prior, Tensor, residual_variance
from weft.fit.information import (
    Information,
    LinearizedResiduals,
    normal_equations,
)
from weft.fit.texture_replay import RAISE, to_host

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft._native import TiedSchedule
    from weft.fit.scalar_model import ScalarModel
    from weft.fit.texture_model import TextureModel
    from weft.fit.texture_replay import Adjoints
    from weft.fit.texture_schedule import StepSchedule

COUPLED_ITERATIONS = 6  # that the couplings are averaged over
WARM_ITERATIONS = 3  # textures alone, before numbers move
SMALLEST_BLUR = 1  # radius of what couplings are averaged over, texels


class JointModel:
    """One step of all parameters in each iteration, but of the scalars that are `fixed`.

    Args:
        scalars: Model of the scalar parameters.
        textures: Model of the textures, with the same views.
        x: Where the scalar parameters begin.
        low: Their lower bounds.
        high: Their upper bounds.
        prior: What is known of them; ``None``: nothing.
    """

    def __init__(
        self,
        scalars: ScalarModel,
        textures: TextureModel,
        x: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        prior: Prior | None = None,
    ) -> None:
        """Start at the start."""
        self.scalars, self.textures = scalars, textures
        self.loss = float("inf")
        self.residuals: tuple[NDArray[np.floating], NDArray[np.floating]]
        self.residuals = (np.zeros(0), np.zeros(0))  # of both sample sets of the last iteration
        self.prior = prior or Prior.none(len(x))
        self._numbers = JointNumbers(x, low, high, self.prior)
        self._couplings: list[Tensor] = []  # of each number and all texels, on the device
        self._coupled = 0

    @property
    def x(self) -> NDArray[np.float64]:
        """Where the scalar parameters are."""
        return self._numbers.x

    @property
    def fixed(self) -> NDArray[np.bool_]:
        """Which of them steps leave alone."""
        return self._numbers.fixed

    @property
    def averaged(self) -> int:
        """Iterations that results are averaged over."""
        return self._numbers.averaged

    @property
    def information(self) -> Information | None:
        """What these say of the scalar parameters; ``None``: nothing so far."""
        return Information.of(self._numbers.information)

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on, models and views apart."""
        saved = self._numbers.save()
        return saved | {
            "counts": np.array([self._coupled, *saved["counts"]], int),
            "couplings": np.array([entry.to_numpy() for entry in self._couplings], np.float32),
            "fixed": self.fixed,
            "loss": np.array(self.loss),
        }

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called."""
        device = self.textures.renderer.device
        self._couplings = [Tensor.from_numpy(device, row) for row in saved["couplings"]]
        self.loss, self._coupled = float(saved["loss"]), int(saved["counts"][0])
        own = {name: array for name, array in saved.items() if name not in ("couplings", "loss")}
        own["counts"] = saved["counts"][1:]
        self._numbers.restore(own, self._known_texels() if "residual" in saved else 0)

    def start_at(self, x: NDArray[np.float64], fixed: NDArray[np.bool_]) -> None:
        """Begin elsewhere.

        Args:
            x: Numbers.
            fixed: Which of them steps leave alone: others look after these.
        """
        self._numbers.start_at(x, fixed)

    def move_fixed(self, x: NDArray[np.float64]) -> None:
        """Put the numbers that are fixed at a place; others keep theirs."""
        self._numbers.move_fixed(x)

    def return_to(self, x: NDArray[np.float64]) -> None:
        """Put the scalars back to where they were; averages begin anew there.

        Args:
            x: Scalars; those that are fixed stay.
        """
        self._numbers.return_to(x)
        self.textures.restart_average()

    def select_pixels(self) -> None:
        """Keep the pixels that tell of the textures; those show the numbers of their materials."""
        self.textures.select_pixels()

    def step(self, iteration: int, schedule: StepSchedule, tied_schedule: TiedSchedule) -> None:
        """Sample new paths and take one optimisation step.

        Args:
            iteration: Number of the iteration.
            schedule: How textures move; results are averaged: all further iterations count alike.
            tied_schedule: How maps move that are tied.
        """
        textures = self.textures
        textures.upload()
        self.scalars.draw(self.x, samples=schedule.samples)
        textures.factors = self.scalars.light_factors(self.x)
        textures.iterations += 1
        texels = textures.texels
        a, b = self._look(texels)
        self.residuals = (a.residual, b.residual)
        self.loss = float(a.residual @ b.residual) / len(a.residual)
        textures.note_loss(self.loss, float(np.mean((a.residual - b.residual) ** 2)) / 4)
        gradient = textures.collect(texels, self._carried(a.residual, b.residual))
        all_fixed = bool(self.fixed.all())
        if not all_fixed and self._is_due_to_couple(iteration):
            self._couple(texels, a, b)
        if textures.needs_curvature():
            raised = self._raised(a, b)
            self.scalars.residuals(self.x, texels)
            textures.add_curvature(raised)
        textures.require_numbers()
        if not all_fixed and iteration >= WARM_ITERATIONS:
            step = self._number_step(a, b, gradient, schedule)
            for share, coupling in zip(step.tolist(), self._couplings, strict=True):
                textures.state.kernels.vectors.addScaled(gradient, coupling, share)
        textures.move(gradient, schedule)
        textures.move_tied(gradient, tied_schedule)
        if schedule.average:
            self._average(a, b)

    def _look(self, texels: Tensor) -> tuple[LinearizedResiduals, LinearizedResiduals]:
        """Return both halves of the last draw; without derivatives where all numbers are fixed."""
        if not self.fixed.all():
            return self.scalars.linearise(self.x, texels)
        a, b = (
            LinearizedResiduals(residual, np.zeros((len(residual), 0)))
            for residual in self.scalars.residuals(self.x, texels)
        )
        return a, b

    def _is_due_to_couple(self, iteration: int) -> bool:
        """Return whether couplings are measured now: at first always, then now and again."""
        return self._coupled < COUPLED_ITERATIONS or iteration % 4 == 0

    def _adjoints(
        self, a: NDArray[np.floating], b: NDArray[np.floating]
    ) -> list[list[NDArray[np.float32]]]:
        """Return what each half of each view passes on: samples of one carry the other's values."""
        gains = self.scalars.unknowns.native.gains(self.x, len(self.scalars.views))
        out, first = [], 0
        for gain, view in zip(gains, self.scalars.views, strict=True):
            scale = view.weights[view.pixels] * gain
            part = slice(first, first + scale.size)
            out.append([half[part].reshape(scale.shape) * scale for half in (b, a)])
            first += scale.size
        return out

    def _carried(self, a: NDArray[np.floating], b: NDArray[np.floating]) -> Adjoints:
        """Return them on the device."""
        return self.textures.adjoints_of(self._adjoints(a, b))

    def _couple(self, texels: Tensor, a: LinearizedResiduals, b: LinearizedResiduals) -> None:
        """Average the couplings C of numbers and texels over draws."""
        self._coupled += 1
        count = float(min(self._coupled, COUPLED_ITERATIONS))
        for unknown in range(len(self.x)):
            adjoints = self._carried(a.jacobian[:, unknown], b.jacobian[:, unknown])
            coupling = self.textures.collect(texels, adjoints)
            if self._coupled == 1:
                self._couplings.append(coupling)
                continue
            mean = self.textures.state.kernels.texels.addToMean
            mean(self._couplings[unknown], coupling, count)

    def _raised(self, a: LinearizedResiduals, b: LinearizedResiduals) -> list[Adjoints]:
        """Return what TextureModel.add_curvature() takes: films change as each map is raised."""
        out = []
        for region in self.textures.regions:
            above = self.scalars.residuals(self.x, self.textures.raised(region))
            derivatives = [
                (after - before.residual) / RAISE
                for before, after in zip((a, b), above, strict=True)
            ]
            out.append(self._carried(derivatives[0], derivatives[1]))
        return out

    def _reduced(
        self, normal: NormalEquations, gradient: Tensor, blur: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return matrix and gradient of the numbers with the textures eliminated."""
        # collect() adds both halves, normal_equations() takes their mean.
        matrix, derivative = 2 * normal.matrix, 2 * normal.gradient
        rows = [*self._couplings, gradient]
        on_host = [to_host(row) for row in rows] if self.textures.tied else []
        for tied in self.textures.tied:
            both = tied.products(on_host, blur)
            matrix, derivative = matrix - both[:, :-1], derivative - both[:, -1]
        for region in self.textures.untied:
            both = self.textures.state.products(region, rows, blur)
            matrix, derivative = matrix - both[:, :-1], derivative - both[:, -1]
        return matrix, derivative

    def _number_step(
        self,
        a: LinearizedResiduals,
        b: LinearizedResiduals,
        gradient: Tensor,
        schedule: StepSchedule,
    ) -> NDArray[np.float64]:
        """Return the step of the numbers, within the trust region and the bounds."""
        reduced = self._reduced(normal_equations(a, b), gradient, max(schedule.blur, SMALLEST_BLUR))
        variance = residual_variance(a.residual, b.residual)
        return self._numbers.step(*reduced, variance, schedule.average)

    def _average(self, a: LinearizedResiduals, b: LinearizedResiduals) -> None:
        """Average what the iteration has found, unless the scalars have moved on."""
        if not self._numbers.average():
            self.textures.restart_average()
            return
        if not self.fixed.all():
            zero = Tensor.zeros(self.textures.renderer.device, self.textures.texels.shape)
            matrix, _ = self._reduced(normal_equations(a, b), zero, 0)
            sets = (a.residual, a.jacobian, b.residual, b.jacobian)
            self._numbers.add(*sets, matrix, self._known_texels())
        self.textures.average()

    def _known_texels(self) -> int:
        """Return how many floats of textures pictures show."""
        state, regions = self.textures.state, self.textures.regions
        return sum(state.stiffness(region, 0).count() for region in regions)
