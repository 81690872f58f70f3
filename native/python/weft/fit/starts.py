# SPDX-License-Identifier: Apache-2.0
"""Whether a place explains the residuals, and where else to look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.information import Half

CERTAIN_DEVIATIONS = 6.0  # standard deviations of its noise: a larger loss is more than noise


def is_certain(products: NDArray[np.floating]) -> bool:
    """Return whether a sum of products that noise alone gives no mean is more than noise."""
    return is_significant(products, CERTAIN_DEVIATIONS)


def is_significant(values: NDArray[np.floating], deviations: float) -> bool:
    """Return whether a sum of values is above 0 by more than so many deviations of noise."""
    return float(values.sum()) > deviations * float(np.sqrt(np.square(values).sum()))


def loss_of(a: NDArray[np.floating], b: NDArray[np.floating], together: int) -> tuple[float, float]:
    """Return the mean product of residuals, and the standard deviation that noise gives it.

    Args:
        a: Residuals of one sample set.
        b: Of the other.
        together: So many residuals in a row share their noise: the channels of a pixel.
    """
    products = a * b
    clusters = products.reshape(-1, together).mean(axis=1)
    return float(a @ b) / len(a), float(np.std(clusters)) / float(np.sqrt(len(clusters)))


def products_left(a: Half, b: Half, together: int) -> NDArray[np.floating]:
    """Return products of neighbours' residuals, one for each cluster but the last.

    Noise of a target is its own in every pixel, as that of a draw is in every half: products of
    neighbours in different halves have no mean.

    Args:
        a: One half.
        b: The other.
        together: So many residuals in a row share their noise: the channels of a pixel.
    """
    products = a.residual[:-together] * b.residual[together:]
    products = products + b.residual[:-together] * a.residual[together:]
    sums: NDArray[np.floating] = products.reshape(-1, together).sum(axis=1)
    return sums


def find_left(
    products: NDArray[np.floating],
    jacobian: NDArray[np.floating],
    groups: NDArray[np.int64],
    together: int,
) -> NDArray[np.bool_]:
    """Return the parameters of groups in whose residuals more than noise is left.

    Where one of many materials is in another valley, its own pixels say so, and the numbers of the
    others stay. All parameters are returned where no group alone explains what is left.

    Args:
        products: products_left().
        jacobian: Derivatives of the residuals, shape ``(residuals, parameters)``.
        groups: Number of each parameter's group.
        together: See products_left().
    """
    left = np.zeros(len(groups), bool)
    numbers = np.unique(groups)
    for number in numbers if len(numbers) > 1 else ():
        own = groups == number
        squares = np.square(jacobian[:-together, own]).sum(axis=1)
        left |= own & is_certain(products * squares.reshape(-1, together).sum(axis=1))
    return left if left.any() else np.full(len(groups), is_certain(products))


def group_losses(
    a: Half, b: Half, jacobian: NDArray[np.floating], groups: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the loss of each group: of the residuals that it changes, by how much it does.

    Args:
        a: One half.
        b: The other.
        jacobian: Derivatives of the residuals, shape ``(residuals, parameters)``.
        groups: Number of each parameter's group, from 0 without gaps.

    Returns:
        Means of r_A r_B, one a group; that of all residuals where a group changes none.
    """
    products = a.residual * b.residual
    out = np.full(int(groups.max(initial=0)) + 1, products.mean(), np.float64)
    for number in range(len(out)):
        weights = np.square(jacobian[:, groups == number]).sum(axis=1)
        if weights.sum() > 0:
            out[number] = float(products @ weights) / float(weights.sum())
    return out


def other_start(
    number: int, low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return another place to start from, far from those before.

    Multiples of irrational numbers, modulo 1 (Kronecker's sequence): they spread evenly for any
    number of parameters.
    """
    shares = number * np.sqrt(_primes(len(low))) % 1
    return low + (0.1 + 0.8 * shares) * (high - low)


def _primes(count: int) -> NDArray[np.float64]:
    """Return the first primes."""
    found: list[int] = []
    candidate = 2
    while len(found) < count:
        if all(candidate % prime for prime in found):
            found.append(candidate)
        candidate += 1
    return np.array(found, np.float64)
