# SPDX-License-Identifier: Apache-2.0
"""Several maps of one material; native/fit/map_group.hpp says what a group does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft import _native
from weft.fit.texture_parameters import LightTexture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fit.texture_parameters import Region


class MapGroup(_native.MapGroup):
    """Maps of one material: D numbers a texel of a common grid, channel after channel.

    Args:
        regions: The maps.
        numbers: Of the maps among those that are fitted.
    """

    regions: tuple[Region, ...]
    numbers: tuple[int, ...]

    def __init__(self, regions: Sequence[Region], numbers: Sequence[int]) -> None:
        """Find the common grid."""
        super().__init__([_map_of(region) for region in regions])
        self.regions, self.numbers = tuple(regions), tuple(numbers)


def group_maps(regions: Sequence[Region]) -> list[MapGroup]:
    """Return the groups of maps of one material; single maps are in none."""
    found = _native.group_maps([_map_of(region) for region in regions])
    return [MapGroup([regions[number] for number in numbers], numbers) for numbers in found]


def _map_of(region: Region) -> _native.MapRegion:
    parameter = region.parameter
    return _native.MapRegion(
        parameter.name,
        region.first,
        region.shape,
        parameter.bounds,
        parameter.smoothness,
        isinstance(parameter, LightTexture),
    )
