# SPDX-License-Identifier: Apache-2.0
"""Standard errors of maps that are tied by a prior which was learned from them.

A prior that is learned may confirm itself: where pictures tell nothing, texels follow it, and it
learns from them that they do. So each direction of the prior counts by how many texels pictures
tell it of (inverse Wishart), and the mean by what all of them tell of it; the rest is as wide as
the range (hierarchical normal model; Gelman et al., Bayesian Data Analysis, chapter 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.fit.diagnosis import LARGE_ERROR, phrase
from weft.fit.texture_parameters import told_share
from weft.fit.views import CHANNELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.texture_blocks import MapGroup

WIDE = 12**-0.5  # of the range: standard deviation where nothing is known
OWN_TEXELS = 10.0  # that the widest prior weighs as much as
MIN_EIGENVALUE = 0.1  # eigenvalues of blocks with unit diagonal below it are noise of draws
TELLING = 1e-3  # of the median curvature: below it a number of a texel is not told
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


def told_blocks(blocks: NDArray[np.float64], most: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return what blocks tell for certain: no negative and no weak eigenvalues.

    Args:
        blocks: Symmetric, shape ``(..., D, D)``.
        most: How many numbers may be told at most, shape ``(...)``: pixels of one picture tell
            three of a texel, for its neighbors are seen from the same side.
    """
    diagonal = np.einsum("...ii->...i", blocks)
    some = diagonal[diagonal > 0]
    told = diagonal > TELLING * (np.median(some) if some.size else np.inf)
    scale = np.sqrt(np.where(told, diagonal, 1.0))
    outer = scale[..., :, None] * scale[..., None, :]
    both = told[..., :, None] & told[..., None, :]
    values, vectors = np.linalg.eigh(np.where(both, blocks / outer, 0.0))
    rank = np.arange(values.shape[-1])[::-1]  # eigenvalues ascend
    kept = np.where((values < MIN_EIGENVALUE) | (rank >= most[..., None]), 0.0, values)
    out: NDArray[np.float64] = (vectors * kept[..., None, :]) @ np.swapaxes(vectors, -1, -2) * outer
    return out


def widened(
    covariance: NDArray[np.float64],
    precision: NDArray[np.float64],
    extent: NDArray[np.float64],
    sharing: float,
) -> NDArray[np.float64]:
    """Return a learned covariance, as wide as the range along what few texels tell.

    Args:
        covariance: That was learned, shape ``(D, D)``.
        precision: What pictures tell of each texel it was learned from, shape ``(N, D, D)``.
        extent: Range of each number.
        sharing: Texels that tell as much as one that stood alone.
    """
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 1e-12))
    gain = root.T @ precision @ root
    resolved = np.linalg.solve(np.eye(len(root)) + gain, gain).mean(axis=0)
    shares, turned = np.linalg.eigh((resolved + resolved.T) / 2)
    basis = root @ turned  # covariance = basis basis'
    back = np.linalg.inv(basis)
    wide = np.einsum("ij,j,ij->i", back, (WIDE * extent) ** 2, back)
    count = len(precision) / sharing * np.maximum(shares, 0.0)
    spread = (count + OWN_TEXELS * wide) / (count + OWN_TEXELS)
    out: NDArray[np.float64] = basis * np.maximum(spread, 1.0) @ basis.T
    return out


def find_uncertainty(
    blocks: NDArray[np.float64],
    covariance: NDArray[np.float64],
    informed: NDArray[np.bool_],
    off_center: NDArray[np.float64],
    extent: NDArray[np.float64],
    sharing: float,
    views: NDArray[np.integer],
) -> Uncertainty:
    """Return what is not known of maps.

    Args:
        blocks: Inverse covariance by the pictures alone, shape ``(height, width, D, D)``.
        covariance: Of the learned prior.
        informed: Which texels it was learned from, shape ``(height, width)``.
        off_center: Distance of the texels from the middle of the range: what is not told may be
            anywhere in it. Shape ``(height, width, D)``.
        extent: Range of each number.
        sharing: Texels that tell as much as one that stood alone.
        views: How many pictures show each texel, shape ``(height, width)``.
    """
    told = told_blocks(blocks, CHANNELS * views)
    wide = (WIDE * extent) ** 2
    prior = covariance
    if informed.any():
        prior = widened(covariance, told[informed], extent, sharing)
    inverse = np.linalg.inv(prior)
    own = np.linalg.inv(told + inverse)
    # What all texels tell of the mean: each has it with the prior's covariance and its own.
    mean = (inverse - inverse @ own[informed] @ inverse).sum(axis=0) / sharing
    unknown = np.linalg.inv(mean + np.diag(1 / wide))
    pull = own @ inverse
    total = own + pull @ unknown @ np.swapaxes(pull, -1, -2)
    variance = np.einsum("...ii->...i", total)
    scale = np.sqrt(variance)
    sample = total[informed] if informed.any() else total.reshape(-1, *covariance.shape)
    size = scale[informed] if informed.any() else scale.reshape(-1, len(extent))
    correlation = np.abs(sample / (size[:, :, None] * size[:, None, :])).mean(axis=0)
    bounded = np.minimum(variance, wide)
    return Uncertainty(np.sqrt(bounded + bounded / wide * off_center**2), correlation)


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
