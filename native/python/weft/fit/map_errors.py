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

    from weft.fit.texture_parameters import TextureParameter

LEAST_TOLD = 0.1  # share of the differences between texels: below it one value says as much
TRADE_OFF_CORRELATION = 0.5  # mean correlation of numbers that take each other's place


@dataclass(frozen=True)
class TiedMaps:
    """Maps of one material on their common grid, D numbers a texel, and what is not known of them.

    Args:
        parameters: One a map.
        parts: Which of the D numbers are of each map.
        maps: As they were found, shape ``(height, width, D)``.
        errors: Standard errors of the texels' numbers, of the same shape.
        correlation: Mean size of the correlations of a texel's numbers, shape ``(D, D)``.
        known: Which texels of the grid pictures show of each map, shape ``(height, width)``.
    """

    parameters: Sequence[TextureParameter]
    parts: Sequence[slice]
    maps: NDArray[np.float64]
    errors: NDArray[np.float64]
    correlation: NDArray[np.float64]
    known: Sequence[NDArray[np.bool_]]

    def range(self) -> NDArray[np.float64]:
        """Return how far each of the D numbers may change."""
        out = np.zeros(self.maps.shape[2])
        for parameter, part in zip(self.parameters, self.parts, strict=True):
            out[part] = parameter.bounds[1] - parameter.bounds[0]
        return out


def name_untold(tied: TiedMaps) -> dict[str, str]:
    """Return the tied maps that the pictures do not tell, and why, in words."""
    shares, parts, known = tied.errors / tied.range(), tied.parts, tied.known
    sizes = [
        float(np.median(shares[seen][:, part].max(axis=1))) if seen.any() else 0.0
        for seen, part in zip(known, parts, strict=True)
    ]
    names = [parameter.name for parameter in tied.parameters]
    out = {}
    for own, name in enumerate(names):
        if sizes[own] <= LARGE_ERROR:
            seen, part = known[own], parts[own]
            share = told_share(tied.maps[seen][:, part], tied.errors[seen][:, part])
            if seen.any() and share < LEAST_TOLD:
                out[name] = (
                    "one value explains the pictures about as well: only "
                    f"{share:.0%} of the differences between its texels is certain; give it one "
                    "value, or add pictures from other sides"
                )
            continue
        partners = _partners_of(own, sizes, tied)
        beside = " and ".join(phrase(names[other]) for other in partners)
        out[name] = (
            f"it cannot be told apart from {beside} in most texels (half of them have errors "
            f"above {LARGE_ERROR:.0%} of its range); hold one of them fixed, or add pictures from "
            "other sides"
        )
    return out


def _partners_of(own: int, sizes: Sequence[float], tied: TiedMaps) -> list[int]:
    """Return the maps that one may be mistaken for; all others where none stands out."""
    others = [other for other in range(len(sizes)) if other != own]
    partners = [
        other
        for other in others
        if sizes[other] > LARGE_ERROR
        or tied.correlation[tied.parts[own], tied.parts[other]].max() > TRADE_OFF_CORRELATION
    ]
    return partners or others
