# SPDX-License-Identifier: GPL-3.0-or-later
"""The sky of Preetham: its coefficients for a sun and an air.

Preetham, Shirley, Smits, "A Practical Analytic Model for Daylight", SIGGRAPH 1999. The formula is
skyPreetham() of shaders/weft/nodes/sky.slang.
"""

from __future__ import annotations

import math

import numpy as np

_PEREZ = (
    ((0.1787, -1.4630), (-0.0193, -0.2592), (-0.0167, -0.2608)),
    ((-0.3554, 0.4275), (-0.0665, 0.0008), (-0.0950, 0.0092)),
    ((-0.0227, 5.3251), (-0.0004, 0.2125), (-0.0079, 0.2102)),
    ((0.1206, -2.5771), (-0.0641, -0.8989), (-0.0441, -1.6537)),
    ((-0.0670, 0.3703), (-0.0033, 0.0452), (-0.0109, 0.0529)),
)
"""Coefficients A to E of Y, x and y as functions of the turbidity (Preetham et al. 1999)."""

_ZENITH = (
    (
        (0.00166, -0.00375, 0.00209, 0.0),
        (-0.02903, 0.06377, -0.03202, 0.00394),
        (0.11693, -0.21196, 0.06052, 0.25886),
    ),
    (
        (0.00275, -0.00610, 0.00317, 0.0),
        (-0.04214, 0.08970, -0.04153, 0.00516),
        (0.15346, -0.26756, 0.06670, 0.26688),
    ),
)
"""x and y of the zenith by powers of the turbidity and of the sun's angle, highest first."""


def preetham(
    turbidity: float, angle: float
) -> tuple[tuple[float, ...], list[tuple[float, float, float]]]:
    """Return zenith and coefficients as skyPreetham() of shaders/weft/nodes/sky.slang takes them.

    Args:
        turbidity: 2: clear, 10: hazy.
        angle: Of the sun from the zenith, radians.
    """
    rows = np.array([[slope * turbidity + base for slope, base in row] for row in _PEREZ])
    a, b, c, d, e = rows
    chi = (4 / 9 - turbidity / 120) * (math.pi - 2 * angle)
    luminance = (4.0453 * turbidity - 4.9710) * math.tan(chi) - 0.2155 * turbidity + 2.4192
    powers = np.array([turbidity**2, turbidity, 1.0])
    x, y = (powers @ np.array([np.polyval(row, angle) for row in table]) for table in _ZENITH)
    own = (1 + a * np.exp(b)) * (1 + c * np.exp(d * angle) + e * math.cos(angle) ** 2)
    # Cycles' scale of kilocandelas.
    zenith = np.array((0.06 * luminance, x, y)) / own
    return tuple(zenith.tolist()), [tuple(row.tolist()) for row in rows]
