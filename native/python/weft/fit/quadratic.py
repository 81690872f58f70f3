# SPDX-License-Identifier: Apache-2.0
"""Steps on the quadratic model of a loss that is known up to noise, within bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.fit.information import ROUNDING, curvature_noise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.information import Normal

CAUTION = 3.0  # variances of noise: slopes below are shortened
MOST_ROUNDS = 50  # of the search for the active bounds
LEAST_DECREASE = 1e-4  # of what the slope promises (Armijo 1966)


@dataclass
class Quadratic:
    """The model g'd + d'Hd/2 of a change of the loss, cautious where noise decides.

    The curvature is nowhere below its noise, and slopes that noise explains are shortened: steps
    are too short where little is known, instead of too long. Where the loss is smallest does not
    depend on either.

    Args:
        matrix: H on the scale, positive definite, shape ``(parameters, parameters)``.
        gradient: g on the scale.
        ratios: Squares of the slopes along the principal directions over the variances of their
            noise.
        scale: Of each parameter: a step of 1 on the scale is 1 / scale.
    """

    matrix: NDArray[np.float64]
    gradient: NDArray[np.float64]
    ratios: NDArray[np.float64]
    scale: NDArray[np.float64]

    def step(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the step that lowers the loss most.

        Args:
            low: Smallest step of each parameter, at most 0.
            high: Largest step of each parameter, at least 0.
        """
        scaled = box_step(self.matrix, self.gradient, low * self.scale, high * self.scale)
        return scaled / self.scale


def safe_quadratic(normal: Normal, caution: float = CAUTION) -> Quadratic:
    """Return the model of normal equations, in the directions that noise leaves known.

    Args:
        normal: Of two noisy halves.
        caution: Slopes below so many variances of their noise are shortened.
    """
    scale = np.sqrt(np.where(normal.spread > 0, normal.spread, 1.0))
    units = np.outer(scale, scale)
    values, vectors = np.linalg.eigh(normal.matrix / units)
    floor = curvature_noise(normal.skew / units, normal.own_noise / scale**2, values, vectors)
    if caution >= CAUTION:
        # The noise of all directions: a step that is too long costs more than one too short.
        floor = np.maximum(floor, np.linalg.norm(normal.skew / units, 2))
    values = np.maximum(values, floor)
    slopes = vectors.T @ (normal.gradient / scale)
    noise = np.einsum("ij,ik,kj->j", vectors, normal.noise / units, vectors, optimize=True)
    ratios = slopes**2 / np.maximum(noise, 1e-30)
    kept = slopes * ratios / (ratios + caution)
    return Quadratic((vectors * values) @ vectors.T, vectors @ kept, ratios, scale)


def box_step(
    matrix: NDArray[np.float64],
    gradient: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the smallest g'd + d'Hd/2 within bounds, by projected Newton steps (Bertsekas 1982).

    Args:
        matrix: H, positive definite.
        gradient: g.
        low: At most 0.
        high: At least 0.
    """

    def loss(d: NDArray[np.float64]) -> float:
        return float(gradient @ d + d @ matrix @ d / 2)

    step = np.zeros_like(gradient)
    for _ in range(MOST_ROUNDS):
        slope = gradient + matrix @ step
        free = ~(((step <= low) & (slope > 0)) | ((step >= high) & (slope < 0)))
        if not free.any() or np.abs(slope[free]).max() <= 1e-9 * np.abs(gradient).max():
            break
        towards = np.zeros_like(step)
        towards[free] = np.linalg.solve(matrix[np.ix_(free, free)], -slope[free])
        length, before = 1.0, loss(step)
        while True:
            candidate = np.clip(step + length * towards, low, high)
            if loss(candidate) <= before + LEAST_DECREASE * float(slope @ (candidate - step)):
                break
            length /= 2
            if length < 1e-6:
                return step
        step = candidate
    return step


def damped_step(normal: Normal, damping: float) -> NDArray[np.float64]:
    """Return the step of Levenberg and Marquardt.

    Directions that noise has given a negative curvature are not followed.
    """
    diagonal = np.diag(normal.matrix)
    largest = float(diagonal.max())
    if largest <= 0:
        return np.zeros(len(diagonal))
    scale = np.sqrt(np.maximum(diagonal, 1e-10 * largest))
    values, vectors = np.linalg.eigh(normal.matrix / np.outer(scale, scale))
    along = vectors.T @ (normal.gradient / scale)
    usable = values > ROUNDING
    inverse = np.where(usable, 1 / (np.where(usable, values, 1) + damping), 0)
    step: NDArray[np.float64] = -(vectors @ (inverse * along)) / scale
    return step
