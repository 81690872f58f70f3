# SPDX-License-Identifier: Apache-2.0
"""How the radiance of a light differs with direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft._native import check_light_profile

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(eq=False)
class LightProfile:
    """Factors of a light's radiance, as measured lights (IES) or nodes of lights have them.

    Args:
        image: Factor by the direction in which light leaves, linear RGB, shape
            ``(height, width, 3)``, equirectangular as ``Environment``'s, the top row (+z) first;
            not negative. It lies in world space, whatever the light's own direction.
        distance_power: Light falls off with the square of the distance times the distance to this
            power, from 0 (as in nature) to 2 (not at all). Suns do not fall off.
        smooth: Square metres that soften the falloff near the light: a factor
            ``d ** 2 / (smooth + d ** 2)`` at the distance d.

    Raises:
        ArgumentError: An image of another shape, numbers that are negative or not finite.
    """

    image: NDArray[np.float32]
    distance_power: float = 0.0
    smooth: float = 0.0

    def __post_init__(self) -> None:
        """Check the image and the numbers."""
        self.image = np.ascontiguousarray(self.image, np.float32)
        check_light_profile(self)
