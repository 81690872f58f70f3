# SPDX-License-Identifier: Apache-2.0
"""Residuals of two independent sample sets, and what they say of the parameters.

The mathematics is in native/fit: normal_equations.hpp and information.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft import _native
from weft._native import NormalEquations

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass
class LinearizedResiduals:
    """Residuals and their derivatives from one sample set, weighted.

    Args:
        residual: Shape ``(n,)``: render minus target.
        jacobian: Shape ``(n, parameters)``.
    """

    residual: NDArray[np.floating]
    jacobian: NDArray[np.floating]


def normal_equations(
    a: LinearizedResiduals, b: LinearizedResiduals, together: int = 1
) -> NormalEquations:
    """Return the normal equations of two independent sample sets.

    Args:
        a: One sample set.
        b: The other.
        together: So many residuals in a row share their noise: the channels of a pixel.
    """
    return _native.normal_equations(a.residual, a.jacobian, b.residual, b.jacobian, together)


@dataclass
class Information:
    """What samples say of the parameters.

    Args:
        matrix: H, shape ``(parameters, parameters)``.
        covariance: Of the parameters, the same shape; directions that are lost have a large, finite
            variance.
        lost: Directions along which the residuals do not change, shape
            ``(parameters, directions)``, unit vectors on a scale where H has a unit diagonal.
        drawn_share: How much of each variance more samples would take away, in [0, 1]; the rest is
            in the pictures. Empty: not known.
        is_silent: Which parameters the residuals do not depend on at all.
    """

    matrix: NDArray[np.float64]
    covariance: NDArray[np.float64]
    lost: NDArray[np.float64]
    drawn_share: NDArray[np.float64]
    is_silent: NDArray[np.bool_]

    @staticmethod
    def of(arrays: _native._Information | None) -> Information | None:
        """Return what the engine found; ``None``: nothing."""
        return None if arrays is None else Information(*arrays)

    @property
    def errors(self) -> NDArray[np.float64]:
        """One standard error a parameter, infinite where the residuals do not determine it."""
        return _native.standard_errors(self.covariance, self.lost)


def gather_information(
    normal: NormalEquations,
    a: LinearizedResiduals,
    b: LinearizedResiduals,
    known: NDArray[np.float64] | None = None,
    together: int = 1,
    extent: NDArray[np.float64] | None = None,
) -> Information:
    """Return what two sample sets say of the parameters.

    The residuals that remain are the noise, that of the target included: the sandwich estimator of
    White (1980) for clusters of residuals, with the jackknife of MacKinnon and White (1985).

    Args:
        normal: The normal equations, those of a prior included.
        a: One sample set.
        b: The other.
        known: What the prior has added to the diagonal of the matrix.
        together: So many residuals in a row share their noise: the channels of a pixel.
        extent: Ranges of the parameters: along directions whose eigenvalue is not told from its
            noise, errors are as large as the first range met. ``None``: such directions are lost.
    """
    sets = (a.residual, a.jacobian, b.residual, b.jacobian)
    return Information(*_native.gather_information(normal, *sets, known, together, extent))
