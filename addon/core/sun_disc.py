# SPDX-License-Identifier: GPL-3.0-or-later
"""The mean radiance of a sky's sun as Cycles shows its disc."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

EARTH = 6371e3
RINGS, SPOKES = 32, 64


def mean_of_disc(
    rims: NDArray[np.float64], elevation: float, size: float, lowest: float, horizon: float
) -> NDArray[np.float64]:
    """Return the mean over a disc that goes evenly from rim to rim and darkens towards its limb.

    What lies below the horizon counts as black.

    Args:
        rims: Radiance at the lower and the upper rim, shape ``(2, 3)``.
        elevation: Of the disc's center, radians.
        size: Of the disc, radians.
        lowest: The elevation that the lower rim's radiance belongs to, radians.
        horizon: The lowest elevation that can be seen, radians.
    """
    # Rings of equal area.
    radius = np.sqrt((np.arange(RINGS)[:, None] + 0.5) / RINGS)
    angle = 2 * np.pi * (np.arange(SPOKES)[None, :] + 0.5) / SPOKES
    place = elevation + size / 2 * radius * np.sin(angle)
    highest = elevation + size / 2
    weight = (1 - 0.6 * (1 - np.sqrt(1 - radius**2))) * (place > horizon)
    along = ((place - lowest) / max(highest - lowest, 1e-9))[..., None]
    radiance = rims[0] + along * (rims[1] - rims[0])
    return np.asarray((weight[..., None] * radiance).mean(axis=(0, 1)))


def horizon_from(altitude: float) -> float:
    """Return the elevation of the Earth's rim, radians, seen from an altitude in metres."""
    return float(np.arcsin(min(EARTH / (EARTH + altitude), 1.0)) - np.pi / 2)
