# SPDX-License-Identifier: Apache-2.0
"""What is likely wrong with a scene or a picture: each suspect explains some of what is left.

A suspect is a set of changes of the render: brighter, another curve, moved. How much of what
neighbours share it takes away is measured like the misfit itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft._native import LEFT_OUT_TRUST, MEDIAN_DEVIATION_FACTOR, shared_residual

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.validation import Validation

CURVE_POWERS = (1.0, 0.5, 2.0)  # of the brightness of a picture, that bend its curve
CLOSER = 0.75  # of the distance to its own render: a picture that is so much closer to another's


@dataclass(frozen=True)
class Suspicion:
    """How much of a view's misfit each suspect explains, as a share of it.

    Args:
        exposure: One factor a channel.
        display: A curve of each channel beside the factor.
        camera: The picture moved, turned or zoomed.
    """

    exposure: float
    display: float
    camera: float


def suspect(fresh: Validation) -> Suspicion:
    """Return what explains the misfit of a view."""
    counts = fresh.counts & (fresh.used > LEFT_OUT_TRUST)
    before = max(_left(fresh, counts, fresh.a, fresh.b), 1e-12)
    render = fresh.render
    gains = [_channel(render, c) for c in range(3)]
    curves = gains + [_channel(_bent(render, power), c) for power in CURVE_POWERS for c in range(3)]
    taken = []
    for columns in (gains, curves, _motions(render)):
        moved = [column * fresh.weights for column in columns]
        a, b = _without(fresh.a, counts, moved), _without(fresh.b, counts, moved)
        taken.append(1 - max(_left(fresh, counts, a, b), 0.0) / before)
    return Suspicion(*taken)


def find_swapped(validations: Sequence[Validation]) -> list[tuple[int, int]]:
    """Return pairs of views whose pictures fit each other's renders better than their own."""
    pairs = []
    for i, first in enumerate(validations):
        for j in range(i + 1, len(validations)):
            second = validations[j]
            if first.counts.shape != second.counts.shape:
                continue
            both = first.counts & second.counts
            if both.sum() < 16:
                continue
            own = _distance(first, first, both) + _distance(second, second, both)
            other = _distance(first, second, both) + _distance(second, first, both)
            if other < CLOSER * own:
                pairs.append((i, j))
    return pairs


def _distance(picture: Validation, render: Validation, counts: NDArray[np.bool_]) -> float:
    """Return how far a picture is from a render of any brightness; robust."""
    own = (picture.target.image * picture.weights)[counts]
    other = (render.render * picture.weights)[counts]
    scale = float((own * other).sum() / max(float(np.square(other).sum()), 1e-30))
    return float(MEDIAN_DEVIATION_FACTOR * np.median(np.abs(own - scale * other)))


def _left(
    fresh: Validation,
    counts: NDArray[np.bool_],
    a: NDArray[np.float32],
    b: NDArray[np.float32],
) -> float:
    """Return the mean product of neighbours."""
    return shared_residual(a, b, counts, fresh.target.grain)[0]


def _channel(image: NDArray[np.float32], channel: int) -> NDArray[np.float32]:
    """Return an image of one channel alone."""
    out = np.zeros_like(image)
    out[..., channel] = image[..., channel]
    return out


def _bent(render: NDArray[np.float32], power: float) -> NDArray[np.float32]:
    """Return light times a power of itself, in units of what is usual."""
    usual = max(float(render.mean()), 1e-12)
    bent: NDArray[np.float32] = (render * np.clip(render / usual, 0, 1e3) ** power).astype(
        np.float32
    )
    return bent


def _motions(render: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Return how a render changes when it is moved, zoomed and turned."""
    height, width = render.shape[:2]
    down, right = (np.asarray(derivative) for derivative in np.gradient(render, axis=(0, 1)))
    y, x = (
        np.linspace(-1, 1, extent).reshape(shape)
        for extent, shape in ((height, (-1, 1, 1)), (width, (1, -1, 1)))
    )
    return [down, right, x * right + y * down, x * down - y * right]


def _without(
    half: NDArray[np.float32], counts: NDArray[np.bool_], columns: Sequence[NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Return residuals without what some changes of the render explain of them."""
    matrix = np.stack([column[counts].ravel() for column in columns], axis=1).astype(np.float64)
    used = np.abs(matrix).sum(axis=0) > 0
    out = half.copy()
    if used.any():
        matrix = matrix[:, used] / np.linalg.norm(matrix[:, used], axis=0)
        rows = half[counts].ravel().astype(np.float64)
        found = np.linalg.lstsq(matrix, rows, rcond=1e-6)[0]
        out[counts] = (rows - matrix @ found).reshape(-1, 3)
    return out
