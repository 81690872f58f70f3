# SPDX-License-Identifier: Apache-2.0
"""Maps of one material that are tied by what they have in common.

Few views tell of a texel fewer numbers than base colour, roughness and metallic have. Many texels
tell more together: where a material is a mix of few, its maps change along few directions.
So the numbers x of a texel have a normal prior whose mean m and covariance S are found with them
(empirical Bayes; expectation maximisation, Dempster, Laird and Rubin 1977): steps solve
(H + n S^-1) dx = -(g + n S^-1 (x - m)), with n twice the variance of what is not explained. While
that is much, texels are held to few directions; as it becomes less, each finds its own place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.fit.guided import follow_guides, is_shape
from weft.fit.map_errors import find_uncertainty
from weft.fit.texture_blocks import blurred_by, positive_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.fit.map_errors import Uncertainty
    from weft.fit.texture_blocks import MapGroup

MOST_BLOCKS = 8  # draws that curvature is averaged over
LEAST_EIGENVALUE = 0.02  # of blocks with unit diagonal: what noise leaves of two alike maps
START_DEVIATION = 0.1  # of a texel, of the range, before anything is learned
LEAST_DEVIATION = 0.003  # of the range
WIDEST_BLUR = 4.0  # texels, that first steps are averaged over
LARGEST_STEP = 0.2  # of the range
INFORMED_SHARE = 0.1  # of the median curvature: texels that the prior learns from
TOLD_SUM = 0.005  # eigenvalue of all blocks together, with unit diagonal
RIDGE = 0.03  # on those eigenvalues: one draw tells the small ones badly
HIGH, MOST = 0.98, 10.0  # quantile of the sizes of texels' entries, and how often it they may be
BENDS = 3  # directions in which texels differ most, along which all move
ALIKE = 2 / 3  # of the rate: share of the step of all texels alike
LEAST_VARIANCE = 1e-4  # of residuals
GUIDED_FROM, GUIDED_EVERY = 0.25, 3  # share of the draws; draws
KEPT_BLURS = 2  # blurs of a draw
EDGE = 0.05  # differences of neighbours below it count by their square


@dataclass(frozen=True)
class TiedSchedule:
    """How one of the draws moves tied maps.

    Args:
        blur: Of steps, texels.
        rate: Share of the full step.
        noise: Share of a draw's own variance that is left in the texels.
        shift: Share of the step of all texels alike; they move by nothing else while `is_first`.
        is_first: Texels keep their differences.
        is_guided: Maps of the shape of reflections follow the others; see weft.fit.guided.
    """

    blur: float
    rate: float
    noise: float
    shift: float
    is_first: bool
    is_guided: bool = False


def tied_schedule(draw: int, draws: int) -> TiedSchedule:
    """Return how one of the draws of a fit moves tied maps."""
    first = min(8, draws // 6)
    if draw < first:
        return TiedSchedule(0.0, 0.0, 0.0, 1.0 if draw < 3 else 0.6, is_first=True)
    done = (draw - first) / max(draws - first, 1)
    blur = WIDEST_BLUR * max(1 - done / 0.6, 0)
    rate = 0.6 * 0.25**done
    left = rate / (2 - rate)
    is_guided = done > GUIDED_FROM and draw % GUIDED_EVERY == 0
    return TiedSchedule(blur if blur > 0.5 else 0.0, rate, left, ALIKE * rate, False, is_guided)


class TiedMaps:
    """The prior of the maps of a material, and their steps.

    Args:
        group: The maps.
        maps: As they are at first, shape ``(height, width, D)``.
    """

    def __init__(self, group: MapGroup, maps: NDArray[np.float64]) -> None:
        """Know nothing but where the maps begin."""
        self.group = group
        self.low, self.high = group.bounds()
        flat = maps.reshape(-1, maps.shape[2])
        self.range = self.high - self.low
        self.mean = flat.mean(axis=0)
        spread = flat - self.mean
        self.covariance = spread.T @ spread / len(flat) + np.diag(
            (START_DEVIATION * self.range) ** 2
        )
        self.blocks = np.zeros((*group.size, flat.shape[1], flat.shape[1]))
        self.variance = 1.0  # of residuals, with that of the draws which is left in the texels
        self.views = np.ones(group.size, int)  # that show each texel
        self._count = 0
        self._loss: float | None = None
        self._lifted: dict[float, NDArray[np.float64]] = {}  # blocks by blur, until they change

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later steps depend on."""
        return {
            "mean": self.mean,
            "covariance": self.covariance,
            "blocks": self.blocks,
            "views": self.views,
            "numbers": np.array(
                [self.variance, self._count, np.nan if self._loss is None else self._loss]
            ),
        }

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called."""
        self.mean, self.covariance, self.blocks, self.views = (
            saved[name] for name in ("mean", "covariance", "blocks", "views")
        )
        variance, count, loss = map(float, saved["numbers"])
        self.variance, self._count = variance, int(count)
        self._loss = None if np.isnan(loss) else loss
        self._lifted.clear()

    def expect(self, loss: float, left: float) -> None:
        """Note how much the texels do not explain.

        Args:
            loss: Of the last draw: variance of residuals without its own noise.
            left: What the texels have taken up of that noise.
        """
        self._loss = loss if self._loss is None else self._loss + (loss - self._loss) / 4
        self.variance = max(self._loss, LEAST_VARIANCE) + left

    def add_blocks(self, blocks: NDArray[np.float64]) -> None:
        """Average the curvature over draws; those of fireflies count no more than others."""
        size = np.einsum("...ii->...i", np.abs(blocks)).max(axis=-1)
        blocks = blocks * _tamed(size)[..., None, None]
        self._count = min(self._count + 1, MOST_BLOCKS)
        self.blocks += (blocks - self.blocks) / self._count
        self._lifted.clear()

    def _diagonal(self) -> NDArray[np.float64]:
        diagonal: NDArray[np.float64] = np.einsum("...ii->...i", self.blocks)
        return diagonal

    def _informed(self) -> NDArray[np.bool_]:
        """Return which texels the prior learns from."""
        told = self._diagonal().sum(axis=-1)
        some = told[told > 0]
        informed: NDArray[np.bool_] = told > INFORMED_SHARE * (
            np.median(some) if some.size else np.inf
        )
        return informed

    def precision(self, blur: float = 0.0) -> NDArray[np.float64]:
        """Return the inverse covariance of each texel's numbers, times twice the variance."""
        blur = max(blur, 1.0)
        if blur not in self._lifted:
            if len(self._lifted) == KEPT_BLURS:  # each of the first draws has a blur of its own
                self._lifted.clear()
            self._lifted[blur] = positive_blocks(blurred_by(self.blocks, blur), LEAST_EIGENVALUE)
        prior: NDArray[np.float64] = 2 * self.variance * np.linalg.inv(self.covariance)
        return self._lifted[blur] + prior

    def move(
        self,
        maps: NDArray[np.float64],
        gradient: NDArray[np.float64],
        variation: NDArray[np.float64],
        schedule: TiedSchedule,
    ) -> NDArray[np.float64]:
        """Return the maps after a step.

        Args:
            maps: As they are, shape ``(height, width, D)``.
            gradient: Of the loss.
            variation: Derivative of the total variation of each map, times its smoothness.
            schedule: How far.
        """
        gradient = gradient * _tamed(np.abs(gradient))
        if schedule.is_first:
            return np.clip(
                maps + self._shift(maps, gradient, schedule.shift, 0), self.low, self.high
            )
        stiffness = self._diagonal()[self._informed()]
        typical = stiffness.mean(axis=0) if len(stiffness) else np.zeros(maps.shape[2])
        smoothness = np.array([entry.parameter.smoothness for entry in self.group.regions])
        prior = np.maximum(typical, 0) * self.group.each(smoothness.tolist())
        pull = 2 * self.variance * np.linalg.inv(self.covariance)
        derivative = blurred_by(gradient, schedule.blur) + prior * EDGE * variation
        derivative = derivative + np.einsum("ij,...j->...i", pull, maps - self.mean)
        matrix = self.precision(schedule.blur) + 4 * np.diag(prior)
        step = -np.linalg.solve(matrix, derivative[..., None])[..., 0]
        largest = LARGEST_STEP * self.range
        moved = np.clip(
            maps + schedule.rate * np.clip(step, -largest, largest), self.low, self.high
        )
        shift = self._shift(maps, gradient, schedule.shift, BENDS)
        moved = np.clip(moved + shift, self.low, self.high)
        if schedule.is_guided:
            moved = self._guided(moved)
        self._learn(moved, schedule.blur)
        return moved

    def _guided(self, maps: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return maps whose shapes of reflections follow the other maps."""
        own = [
            channel
            for region, part in zip(self.group.regions, self.group.channels, strict=True)
            if is_shape(region.parameter.name)
            for channel in range(part.start, part.stop)
        ]
        if not own or len(own) == maps.shape[2]:
            return maps
        covariance = 2 * self.variance * np.linalg.inv(self.precision())
        variances = np.einsum("...ii->...i", covariance) / self.range**2
        units = (maps - self.low) / self.range
        led = follow_guides(units, self._informed(), variances, own)
        return np.clip(self.low + led * self.range, self.low, self.high)

    def _shift(
        self, maps: NDArray[np.float64], gradient: NDArray[np.float64], share: float, bends: int
    ) -> NDArray[np.float64]:
        """Return a step of all texels by few numbers, which pictures tell best; move the mean.

        All texels move alike, and along each of the directions in which texels differ most as
        far as they differ: the ends of a mix of two materials. Single texels hardly feel either.
        Nothing moves along what the sum of the blocks does not tell: in a draw with a firefly
        its eigenvalues may be negative.

        Args:
            maps: As they are, shape ``(height, width, D)``.
            gradient: Of the loss.
            share: Of the full step.
            bends: Directions.
        """
        weights = self._weights(maps, bends)
        count, numbers = weights.shape[2], maps.shape[2]
        size = count * numbers
        matrix = np.einsum("hwa,hwij,hwb->aibj", weights, self.blocks, weights, optimize=True)
        matrix = matrix.reshape(size, size)
        derivative = np.einsum("hwa,hwi->ai", weights, gradient).ravel()
        diagonal = np.diag(matrix)
        told = diagonal > TOLD_SUM * max(float(diagonal.max()), 0.0)
        scale = np.sqrt(np.where(told, diagonal, np.inf))
        values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
        inverse = np.where(values > TOLD_SUM, 1 / (np.maximum(values, TOLD_SUM) + RIDGE), 0.0)
        step = -share * (vectors @ (inverse * (vectors.T @ (derivative / scale)))) / scale
        steps = step.reshape(count, numbers)
        largest = LARGEST_STEP * self.range * (1.0 if share > 0.5 else 0.25)
        steps *= min(1.0, float(1 / max(np.max(np.abs(steps) / largest), 1e-30)))
        self.mean = np.clip(self.mean + steps[0], self.low, self.high)
        moved: NDArray[np.float64] = weights @ steps
        return moved

    def _weights(self, maps: NDArray[np.float64], bends: int) -> NDArray[np.float64]:
        """Return 1, and where texels are along the directions in which they differ most.

        Returns:
            Shape ``(height, width, 1 + bends)``; of deviation 1.
        """
        values, vectors = np.linalg.eigh(self.covariance)
        chosen = slice(max(len(values) - bends, 0), None)
        spread = (maps - self.mean) @ (vectors[:, chosen] / np.sqrt(values[chosen]))
        return np.concatenate([np.ones((*maps.shape[:2], 1)), np.clip(spread, -3, 3)], axis=2)

    def _learn(self, maps: NDArray[np.float64], blur: float) -> None:
        """Take mean and covariance from the texels and how far each is known."""
        informed = self._informed()
        if not informed.any():
            return
        texels = maps[informed]
        unknown = 2 * self.variance * np.linalg.inv(self.precision(blur)[informed])
        self.mean = texels.mean(axis=0)
        spread = texels - self.mean
        least = np.diag((LEAST_DEVIATION * self.range) ** 2)
        self.covariance = spread.T @ spread / len(texels) + unknown.mean(axis=0) + least

    def uncertainty(
        self, maps: NDArray[np.float64], variance: float, sharing: float
    ) -> Uncertainty:
        """Return what is not known of the maps.

        Args:
            maps: As they were found, shape ``(height, width, D)``.
            variance: Of a residual about what the maps explain.
            sharing: Texels that a lookup mixes: each has a share of what pixels tell of all.
        """
        return find_uncertainty(
            blurred_by(self.blocks, 1.0) / (2 * sharing * max(variance, LEAST_VARIANCE)),
            self.covariance,
            self._informed(),
            maps - (self.low + self.high) / 2,
            self.range,
            sharing,
            self.views,
        )


def _tamed(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return factors that leave no entry larger than many others: those of fireflies are.

    Args:
        sizes: Shape ``(height, width)`` or ``(height, width, D)``: each number by itself.
    """
    flat = sizes.reshape(sizes.shape[0] * sizes.shape[1], -1)
    most = np.array(
        [MOST * np.quantile(row[row > 0], HIGH) if (row > 0).any() else 0.0 for row in flat.T]
    )
    factors: NDArray[np.float64] = np.minimum(1.0, most / np.maximum(flat, 1e-30))
    return factors.reshape(sizes.shape)
