# SPDX-License-Identifier: GPL-3.0-or-later
"""The sky of Hosek and Wilkie: its coefficients for a sun, an air and a ground.

Hosek and Wilkie, "An Analytic Model for Full Spectral Sky-Dome Radiance", SIGGRAPH 2012. The
formula is skyHosek() of shaders/weft/nodes/sky.slang; the authors' table is data/hosek_wilkie.txt.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TABLE = Path(__file__).parent / "data" / "hosek_wilkie.txt"
LUMENS = 2 * math.pi / 683
"""Cycles' scale of the model's radiance."""


@cache
def _table() -> NDArray[np.float64]:
    """Return the table by X, Y, Z, albedo 0 or 1, turbidity, coefficient, point of the curve."""
    rows = np.loadtxt(TABLE)
    curves, means = rows[:, :54].reshape(60, 6, 9), rows[:, 54:, None]
    return np.concatenate([curves, means], axis=2).transpose(0, 2, 1).reshape(3, 2, 10, 10, 6)


def hosek_wilkie(
    turbidity: float, albedo: float, elevation: float
) -> tuple[tuple[float, ...], list[tuple[float, ...]]]:
    """Return the mean radiance of X, Y and Z, and nine coefficients A to I of each.

    Args:
        turbidity: 1: clear, 10: hazy.
        albedo: Of the ground, 0 to 1.
        elevation: Of the sun, radians, 0 to pi / 2.
    """
    # Bernstein polynomials over the root, which gives low suns more of the curve.
    along = (min(max(elevation, 0.0), math.pi / 2) / (math.pi / 2)) ** (1 / 3)
    curve = [math.comb(5, k) * along**k * (1 - along) ** (5 - k) for k in range(6)]
    by_turbidity = (_table() @ np.array(curve)).transpose(2, 1, 0, 3)
    place = min(max(turbidity, 1.0), 10.0) - 1
    first = min(int(place), 8)
    by_albedo = by_turbidity[first] + (place - first) * (
        by_turbidity[first + 1] - by_turbidity[first]
    )
    found = by_albedo[0] + albedo * (by_albedo[1] - by_albedo[0])
    return tuple((LUMENS * found[:, 9]).tolist()), [tuple(row) for row in found[:, :9].T.tolist()]
