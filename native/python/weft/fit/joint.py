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

from weft._native import (
    NormalEquations,
    Prior,
    Tensor,
    damped_step,
    exact_equations,
    residual_variance,
)
from weft.fit.averaged_equations import Equations
from weft.fit.information import (
    Information,
    LinearizedResiduals,
    gather_information,
    normal_equations,
)
from weft.fit.texture_replay import RAISE, to_host
from weft.fit.views import CHANNELS

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
RADIUS = 0.08  # largest step of a number, of its range
RECENT_ITERATIONS = 6  # that steps of numbers are averaged over before results are
RESTART_DISTANCE = 0.02  # of the range: averages start anew when numbers have moved farther
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
        self.x, self.low, self.high = np.clip(x, low, high), low, high
        self.fixed = np.zeros(len(x), bool)
        self.prior = prior or Prior.none(len(x))
        self.loss = float("inf")
        self.residuals: tuple[NDArray[np.floating], NDArray[np.floating]]
        self.residuals = (np.zeros(0), np.zeros(0))  # of both sample sets of the last iteration
        self.information: Information | None = None
        self._couplings: list[Tensor] = []  # of each number and all texels, on the device
        self._coupled = 0
        self.averaged = 0
        self._origin = self.x.copy()
        self._equations = Equations.none(len(self.x))
        self._mean: LinearizedResiduals | None = None
        self._mean_matrix = np.zeros((len(x), len(x)))

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on, models and views apart."""
        out: dict[str, NDArray[np.generic]] = {
            "x": self.x,
            "fixed": self.fixed,
            "origin": self._origin,
            "couplings": np.array([entry.to_numpy() for entry in self._couplings], np.float32),
            "matrix": self._mean_matrix,
            "loss": np.array(self.loss),
            "counts": np.array([self._coupled, self.averaged, self._equations.count]),
            "equations.matrix": self._equations.matrix,
            "equations.pull": self._equations.pull,
        }
        if self._mean is not None:
            out |= {"residual": self._mean.residual, "jacobian": self._mean.jacobian}
        return out

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called."""
        self.x, self._origin, self.fixed = saved["x"], saved["origin"], saved["fixed"]
        device, self._mean_matrix = self.textures.renderer.device, saved["matrix"]
        self._couplings = [Tensor.from_numpy(device, row) for row in saved["couplings"]]
        self.loss = float(saved["loss"])
        self._coupled, self.averaged, count = map(int, saved["counts"])
        self._equations = Equations(saved["equations.matrix"], saved["equations.pull"], count)
        self._mean = None
        if "residual" in saved:
            self._mean = LinearizedResiduals(saved["residual"], saved["jacobian"])
            self._learn()

    def start_at(self, x: NDArray[np.float64], fixed: NDArray[np.bool_]) -> None:
        """Begin elsewhere.

        Args:
            x: Numbers.
            fixed: Which of them steps leave alone: others look after these.
        """
        self.x, self.fixed = np.clip(x, self.low, self.high), fixed
        self._origin = self.x.copy()
        self._equations = Equations.none(len(self.x))

    def move_fixed(self, x: NDArray[np.float64]) -> None:
        """Put the numbers that are fixed at a place; others keep theirs."""
        self.x = np.clip(np.where(self.fixed, x, self.x), self.low, self.high)

    def return_to(self, x: NDArray[np.float64]) -> None:
        """Put the scalars back to where they were; averages begin anew there.

        Args:
            x: Scalars; those that are fixed stay.
        """
        self.x = np.where(self.fixed, self.x, x)
        self._restart_averages()

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
            self.x = self.x + step
        textures.move(gradient, schedule)
        textures.move_tied(gradient, tied_schedule)
        if schedule.average and not self._starts_anew():
            self.averaged += 1
            if not all_fixed:
                self._add_to_information(a, b)
            textures.average()

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

    def _starts_anew(self) -> bool:
        """Forget averages of another place: steps that shrink would never arrive."""
        moved = np.abs(self.x - self._origin) / (self.high - self.low)
        if float(moved.max(initial=0.0)) <= RESTART_DISTANCE:
            return False
        self._restart_averages()
        return True

    def _restart_averages(self) -> None:
        """Forget what was averaged elsewhere."""
        self._origin = self.x.copy()
        self._mean = None
        self._mean_matrix[:] = 0
        self.averaged = 0
        self.textures.restart_average()

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
        extent = self.high - self.low
        equations = self._equations
        most = equations.count + 1 if schedule.average else RECENT_ITERATIONS
        equations.add(self.x, *reduced, most)
        normal = self.prior.add_to(
            equations.at(self.x), self.x, 2 * residual_variance(a.residual, b.residual)
        )
        free = np.flatnonzero(~self.fixed)
        step = np.zeros_like(self.x)
        own = exact_equations(normal.matrix[np.ix_(free, free)], normal.gradient[free], normal.loss)
        step[free] = damped_step(own, 1e-2)
        largest = float(np.max(np.abs(step) / extent)) if len(step) else 0.0
        step *= min(1.0, RADIUS / max(largest, 1e-30))
        moved: NDArray[np.float64] = np.clip(self.x + step, self.low, self.high) - self.x
        return moved

    def _add_to_information(self, a: LinearizedResiduals, b: LinearizedResiduals) -> None:
        """Average residuals and derivatives, and find what they say of the numbers.

        A texture with as many texels as there are pixels explains noise, too: what is left of the
        residuals is scaled up by the share that the texels have taken.
        """
        if self._mean is None:
            self._mean = LinearizedResiduals(np.zeros_like(a.residual), np.zeros_like(a.jacobian))
        share = 1 / self.averaged
        mean = self._mean
        mean.residual += share * ((a.residual + b.residual) / 2 - mean.residual)
        mean.jacobian += share * ((a.jacobian + b.jacobian) / 2 - mean.jacobian)
        zero = Tensor.zeros(self.textures.renderer.device, self.textures.texels.shape)
        matrix, _ = self._reduced(normal_equations(a, b), zero, 0)
        self._mean_matrix += share * (matrix / 2 - self._mean_matrix)
        self._learn()

    def _learn(self) -> None:
        """Find what the averages say."""
        mean = self._mean
        assert mean is not None
        texels = sum(
            self.textures.state.stiffness(entry, 0).count() for entry in self.textures.regions
        )
        rows = len(mean.residual)
        noise = np.sqrt(rows / max(rows - texels, rows // 10, 1))
        scaled = LinearizedResiduals(mean.residual * noise, mean.jacobian)
        known = residual_variance(scaled.residual, scaled.residual) * self.prior.precision
        total = exact_equations(self._mean_matrix + np.diag(known), np.zeros(len(self.x)), 0.0)
        self.information = gather_information(total, scaled, scaled, known, CHANNELS)
