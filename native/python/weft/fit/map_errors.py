# SPDX-License-Identifier: Apache-2.0
"""What is not known of tied maps, in words; how it is found: native/fit/map_errors.hpp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.fit.diagnosis import LARGE_ERROR, phrase
from weft.fit.texture_parameters import told_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.map_group import MapGroup

LEAST_TOLD = 0.1  # share of the differences between texels: below it one value says as much
TRADE_OFF_CORRELATION = 0.5  # mean correlation of numbers that take each other's place


@dataclass(frozen=True)
class Uncertainty:
    """What is not known of tied maps.

    Args:
        errors: Standard errors of the texels' numbers, shape ``(height, width, D)``.
        correlation: Mean size of the correlations of a texel's numbers, shape ``(D, D)``.
    """

    errors: NDArray[np.float64]
    correlation: NDArray[np.float64]


def name_untold(
    group: MapGroup,
    uncertainty: Uncertainty,
    known: Sequence[NDArray[np.bool_]],
    maps: NDArray[np.floating],
) -> dict[str, str]:
    """Return the tied maps that the pictures do not tell, and why, in words.

    Args:
        group: The maps.
        uncertainty: Of them.
        known: Which texels of each map pictures show, shape ``(height, width)``.
        maps: As they were found, shape ``(height, width, D)``.
    """
    low, high = group.bounds()
    shares = uncertainty.errors / (high - low)
    parts = group.channels
    sizes = [
        float(np.median(shares[seen][:, part].max(axis=1))) if seen.any() else 0.0
        for seen, part in zip(known, parts, strict=True)
    ]
    names = [region.parameter.name for region in group.regions]
    out = {}
    for own, name in enumerate(names):
        if sizes[own] <= LARGE_ERROR:
            seen, part = known[own], parts[own]
            share = told_share(maps[seen][:, part], uncertainty.errors[seen][:, part])
            if seen.any() and share < LEAST_TOLD:
                out[name] = (
                    "one value explains the pictures about as well: only "
                    f"{share:.0%} of the differences between its texels is certain; give it one "
                    "value, or add pictures from other sides"
                )
            continue
        partners = _partners_of(own, sizes, parts, uncertainty)
        beside = " and ".join(phrase(names[other]) for other in partners)
        out[name] = (
            f"it cannot be told apart from {beside} in most texels (half of them have errors "
            f"above {LARGE_ERROR:.0%} of its range); hold one of them fixed, or add pictures from "
            "other sides"
        )
    return out


def _partners_of(
    own: int, sizes: Sequence[float], parts: Sequence[slice], uncertainty: Uncertainty
) -> list[int]:
    """Return the maps that one may be mistaken for; all others where none stands out."""
    others = [other for other in range(len(sizes)) if other != own]
    partners = [
        other
        for other in others
        if sizes[other] > LARGE_ERROR
        or uncertainty.correlation[parts[own], parts[other]].max() > TRADE_OFF_CORRELATION
    ]
    return partners or others
