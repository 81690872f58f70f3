# SPDX-License-Identifier: Apache-2.0
"""Normal equations of two noisy halves, and what they say of parameters.

A residual and a derivative from the same samples are correlated, and their product is biased.
Every draw therefore comes in two independent halves A and B, and products take one factor of each:
H = (J_A' J_B + J_B' J_A) / 2 and g = (J_A' r_B + J_B' r_A) / 2, both unbiased.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Eigenvalues of H with a unit diagonal below this are those of sums in float32.
ROUNDING = 1e-6
VAGUE = 2.0  # times the noise of H: smaller eigenvalues are not told from zero
# No residuals count as explained by the fit for more than this: leverages of noise have no bound.
MOST_LEVERAGE = 0.5


@dataclass
class Half:
    """Residuals and their derivatives from one half of the samples, weighted.

    Args:
        residual: Shape ``(n,)``: render minus target.
        jacobian: Shape ``(n, parameters)``.
    """

    residual: NDArray[np.floating]
    jacobian: NDArray[np.floating]


@dataclass
class Normal:
    """The normal equations of two halves.

    Args:
        matrix: H, shape ``(parameters, parameters)``.
        gradient: g, shape ``(parameters,)``.
        loss: r_A' r_B: unbiased, zero where the model explains the target.
        spread: Mean of both halves' J_i' J_i of each parameter: H_ii with the noise of J.
        skew: (J_A' J_B - J_B' J_A) / 2: noise as that of the matrix.
        noise: Covariance of the gradient by the noise of the halves.
        own_noise: Standard deviation of each H_ii by the noise of the halves; see diagonal_noise().
    """

    matrix: NDArray[np.float64]
    gradient: NDArray[np.float64]
    loss: float
    spread: NDArray[np.float64]
    skew: NDArray[np.float64]
    noise: NDArray[np.float64]
    own_noise: NDArray[np.float64]


def exact_normal(matrix: NDArray[np.float64], gradient: NDArray[np.float64], loss: float) -> Normal:
    """Return normal equations without noise."""
    none, no_noise = np.zeros_like(matrix), np.zeros(len(matrix))
    return Normal(matrix, gradient, loss, np.diag(matrix), none, none, no_noise)


def diagonal_noise(a: Half, b: Half, together: int) -> NDArray[np.float64]:
    """Return the standard deviation of each sum of products J_A J_B.

    The product of mu + e and mu + f has the variance 2 mu^2 s^2 + s^4, s^2 that of e and f. One
    cluster of residuals tells both: mu^2 is about J_A J_B, s^2 about (J_A - J_B)^2 / 2.

    Args:
        a: One half.
        b: The other.
        together: So many residuals in a row share their noise: the channels of a pixel.
    """

    def sums(values: NDArray[np.floating]) -> NDArray[np.floating]:
        out: NDArray[np.floating] = values.reshape(-1, together, values.shape[1]).sum(axis=1)
        return out

    squares = np.maximum(sums(a.jacobian * b.jacobian), 0)
    apart = sums(np.square(a.jacobian - b.jacobian))
    variance = (apart * (squares + apart / 4)).sum(axis=0, dtype=np.float64)
    deviation: NDArray[np.float64] = np.sqrt(variance)
    return deviation


def normal_equations(a: Half, b: Half, together: int = 1) -> Normal:
    """Return the normal equations of two independent halves.

    Args:
        a: One half.
        b: The other.
        together: So many residuals in a row share their noise: the channels of a pixel.
    """
    cross = (a.jacobian.T @ b.jacobian).astype(np.float64)
    of_a = a.jacobian * b.residual[:, None]
    of_b = b.jacobian * a.residual[:, None]
    # The halves differ by noise alone; every cluster of residuals has its own.
    apart = (of_a - of_b).reshape(-1, together, of_a.shape[1]).sum(axis=1) / 2
    squares = [np.square(half.jacobian).sum(axis=0, dtype=np.float64) for half in (a, b)]
    return Normal(
        (cross + cross.T) / 2,
        (of_a.sum(axis=0, dtype=np.float64) + of_b.sum(axis=0, dtype=np.float64)) / 2,
        float(a.residual @ b.residual),
        (squares[0] + squares[1]) / 2,
        (cross - cross.T) / 2,
        (apart.T @ apart).astype(np.float64),
        diagonal_noise(a, b, together),
    )


def curvature_noise(
    skew: NDArray[np.float64],
    own: NDArray[np.float64],
    values: NDArray[np.float64],
    vectors: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the noise of the eigenvalues of H, at least that of rounding.

    Products of two independent halves are not symmetric: their skew part has no mean, and entries
    as large as the noise of the symmetric part. An eigenvalue that stands alone has the noise of
    one entry, and to second order what all others take from it; those that are not told from zero
    spread together, by the noise of as many entries as they are (Wigner 1955). Of one parameter
    there is no skew part; its own noise stands for it.

    Args:
        skew: On the scale of H with a unit diagonal.
        own: Noise of the diagonal of H, on that scale.
        values: Eigenvalues of H.
        vectors: Eigenvectors of H, one a column.
    """
    along = vectors.T @ skew @ vectors
    size = np.linalg.norm(along, axis=0)
    together = np.linalg.norm(along[values < 2 * size], axis=0)
    noise: NDArray[np.float64] = np.hypot(size * np.sqrt(2 / len(skew)), together) + size**2
    alone = np.sqrt(np.square(own) @ vectors**4)
    return np.maximum(np.maximum(noise, alone), ROUNDING)


@dataclass
class Information:
    """What draws say of the parameters.

    Args:
        matrix: H, shape ``(parameters, parameters)``.
        covariance: Of the parameters, the same shape; directions that are lost have a large, finite
            variance.
        lost: Directions along which the residuals do not change, shape
            ``(parameters, directions)``, unit vectors on a scale where H has a unit diagonal.
        drawn_share: How much of each variance more draws would take away, in [0, 1]; the rest is in
            the pictures. Empty: not known.
    """

    matrix: NDArray[np.float64]
    covariance: NDArray[np.float64]
    lost: NDArray[np.float64]
    drawn_share: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def is_silent(self) -> NDArray[np.bool_]:
        """Which parameters the residuals do not depend on at all."""
        diagonal = np.diag(self.matrix)
        silent: NDArray[np.bool_] = diagonal <= 1e-9 * max(float(diagonal.max()), 1e-30)
        return silent

    @property
    def errors(self) -> NDArray[np.float64]:
        """One standard error a parameter, infinite where the residuals do not determine it."""
        is_lost = (self.lost**2).sum(axis=1) > 0.01
        diagonal = np.sqrt(np.maximum(np.diag(self.covariance), 0))
        return np.where(is_lost, np.inf, diagonal)


def residual_variance(a: Half, b: Half) -> float:
    """Return the variance of a residual whose noise is the mean of two halves'."""
    return float(np.mean(((a.residual + b.residual) / 2) ** 2))


def unexplained(
    a: Half, b: Half, inverse: NDArray[np.float64], together: int
) -> NDArray[np.float64]:
    """Return the residuals of each cluster as a fit of all the others would leave them.

    The jackknife of MacKinnon and White (1985), for clusters (Bell, McCaffrey 2002):
    (1 - J_g H^-1 J_g')^-1 r_g.

    Args:
        a: One half.
        b: The other.
        inverse: H^-1, shape ``(parameters, parameters)``.
        together: Residuals of a cluster, in a row.

    Returns:
        Shape ``(clusters, together)``.
    """
    residual = (a.residual + b.residual).reshape(-1, together).astype(np.float64) / 2
    halves = [half.jacobian.reshape(len(residual), together, -1) for half in (a, b)]
    # Products take one factor of each half, as those of H do.
    cross = np.einsum("gip,pq,gjq->gij", halves[0], inverse, halves[1], optimize=True)
    leverage = (cross + cross.transpose(0, 2, 1)) / 2
    size = np.linalg.norm(leverage, axis=(1, 2), keepdims=True)
    leverage *= np.minimum(1, MOST_LEVERAGE / np.maximum(size, MOST_LEVERAGE))
    others = np.eye(together) - leverage
    return np.linalg.solve(others, residual[:, :, None])[:, :, 0]


def gather_information(
    normal: Normal,
    a: Half,
    b: Half,
    known: NDArray[np.float64] | None = None,
    together: int = 1,
    extent: NDArray[np.float64] | None = None,
) -> Information:
    """Return what two halves say of the parameters.

    The residuals that remain are the noise, that of the target included: the sandwich estimator of
    White (1980), for clusters of residuals that share their noise (Liang, Zeger 1986). The fit has
    explained a part of the noise where few residuals tell a parameter; see unexplained().

    Args:
        normal: The normal equations, those of a prior included.
        a: One half.
        b: The other.
        known: What the prior has added to the diagonal of the matrix.
        together: So many residuals in a row share their noise: the channels of a pixel.
        extent: Ranges of the parameters: along directions whose curvature is not told from its
            noise, errors are as large as the first range met. ``None``: such directions are lost.
    """
    is_known = normal.spread > 1e-9 * max(float(normal.spread.max()), 1e-30)
    scale = np.sqrt(np.where(is_known, normal.spread, 1.0))
    units = np.where(np.outer(is_known, is_known), np.outer(scale, scale), np.inf)
    values, vectors = np.linalg.eigh(normal.matrix / units)
    own = np.where(is_known, normal.own_noise, 0) / scale**2
    noise = curvature_noise(normal.skew / units, own, values, vectors)
    floor = np.maximum(VAGUE * noise, ROUNDING)
    is_lost = (vectors[~is_known] ** 2).sum(axis=0) > 0.5
    is_lost |= (values < floor) & ((extent is None) | (noise <= ROUNDING))
    is_vague = (values < floor) & ~is_lost
    inverses = np.where(is_vague, 0, 1 / np.maximum(values, ROUNDING))
    inverse = (vectors * inverses) @ vectors.T / np.outer(scale, scale)
    residual = unexplained(a, b, inverse, together)
    jacobian = (a.jacobian + b.jacobian).reshape(residual.shape[0], together, -1) / 2
    weighted = np.einsum("gip,gi->gp", jacobian, residual)
    left = weighted.T @ weighted
    if known is not None:
        left = left + residual_variance(a, b) * np.diag(known)
    covariance = inverse @ left @ inverse
    drawn = np.diag(inverse @ normal.noise @ inverse)
    if extent is not None and is_vague.any():
        along = vectors[:, is_vague] / scale[:, None]
        along /= np.abs(along / extent[:, None]).max(axis=0)
        vague = along @ along.T
        covariance, drawn = covariance + vague, drawn + np.diag(vague)
    share = drawn / np.maximum(np.maximum(np.diag(covariance), drawn), 1e-300)
    return Information(normal.matrix, covariance, vectors[:, is_lost], share)
