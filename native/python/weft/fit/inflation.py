# SPDX-License-Identifier: Apache-2.0
"""Standard errors where residuals of neighbours are alike: of a scene that is not quite right.

The sandwich estimator takes the residuals of each pixel for independent ones. What a scene does not
explain extends over many pixels, and so does the noise of JPEG: squares of pixels are the clusters
then (Conley 1999; Bester, Conley, Hansen 2011). Which extent it has is not known: the size of
square counts that makes an error largest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.fit.views import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.information import LinearizedResiduals
    from weft.fit.views import View

SIDES = (4, 8, 16, 32, 64)  # of squares, pixels
CLUSTERS_A_NUMBER = 2  # at least, and
FEWEST_CLUSTERS = 6
FLOOR = 1e-4  # of the largest eigenvalue: directions that pictures hardly tell keep their errors


def inflation(
    halves: tuple[LinearizedResiduals, LinearizedResiduals],
    views: Sequence[View],
    matrix: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the factor, at least 1, by which each standard error grows.

    Args:
        halves: Residuals and derivatives of the views' pixels, both weighted.
        views: In their order.
        matrix: H of the normal equations, shape ``(parameters, parameters)``.
    """
    a, b = halves
    residual = (a.residual + b.residual).astype(np.float64) / 2
    jacobian = (a.jacobian + b.jacobian).astype(np.float64) / 2
    scores = (jacobian * residual[:, None]).reshape(-1, CHANNELS, jacobian.shape[1]).sum(axis=1)
    inverse = _inverse(matrix)
    alone = _variances(scores, inverse)
    most = np.ones(len(alone))
    fewest = max(FEWEST_CLUSTERS, CLUSTERS_A_NUMBER * len(alone))
    for side in SIDES:
        clusters = _clusters(views, side)
        count = int(clusters.max()) + 1
        if count < fewest:
            break
        sums = np.zeros((count, scores.shape[1]))
        np.add.at(sums, clusters, scores)
        shared = _variances(sums, inverse) * count / (count - 1)
        most = np.maximum(most, np.sqrt(shared / np.maximum(alone, 1e-300)))
    return np.where(alone > 0, most, 1.0)


def _inverse(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverse of H without the directions that the pictures hardly tell."""
    diagonal = np.diag(matrix)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, np.inf))
    values, vectors = np.linalg.eigh(matrix / np.outer(scale, scale))
    kept = values > FLOOR * max(float(values.max()), 1e-300)
    inverses = np.where(kept, 1 / np.where(kept, values, 1), 0)
    out: NDArray[np.float64] = (vectors * inverses) @ vectors.T / np.outer(scale, scale)
    return out


def _variances(scores: NDArray[np.float64], inverse: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the diagonal of H^-1 V H^-1."""
    return np.asarray(np.square(scores @ inverse).sum(axis=0))


def _clusters(views: Sequence[View], side: int) -> NDArray[np.int64]:
    """Return the number of the square that each drawn pixel lies in, from 0 on."""
    keys = []
    for number, view in enumerate(views):
        rows, columns = np.divmod(view.pixels.astype(np.int64), view.camera.width)
        across = view.camera.width // side + 1
        keys.append((number << 40) + rows // side * across + columns // side)
    return np.unique(np.concatenate(keys), return_inverse=True)[1]
