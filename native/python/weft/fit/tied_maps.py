# SPDX-License-Identifier: Apache-2.0
"""Maps of one material that are tied by what they have in common.

How they move is written in native/fit/tied_maps.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft import _native
from weft.fit.map_errors import Uncertainty

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft.fit.map_group import MapGroup


class TiedMaps(_native.TiedMaps):
    """The prior of the maps of a material, and their steps.

    Args:
        group: The maps.
        maps: As they are at first, shape ``(height, width, D)``.
    """

    group: MapGroup

    def __init__(self, group: MapGroup, maps: NDArray[np.float64]) -> None:
        """Know nothing but where the maps begin."""
        super().__init__(group, maps)
        self.group = group

    def find_uncertainty(
        self, maps: NDArray[np.float64], variance: float, sharing: float
    ) -> Uncertainty:
        """Return what is not known of the maps.

        Args:
            maps: As they were found, shape ``(height, width, D)``.
            variance: Of a residual about what the maps explain.
            sharing: Texels that a lookup mixes: each has a share of what pixels tell of all.
        """
        return Uncertainty(*self.uncertainty(maps, variance, sharing))
