# SPDX-License-Identifier: Apache-2.0
"""Maps of the shape of reflections follow the maps beside them, where noise hides their own detail.

Color and metallic weigh what a surface reflects: noise of neighbouring texels cancels in a pixel.
Roughness and its like shape it, and texels that scatter about the truth look rougher or smoother
than their mean does: noise becomes bias. So such a map is replaced, where the noise of its texels
explains the difference, by what the other maps say of it around each texel: the guided filter (He,
Sun and Tang 2013), a linear regression in every window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.fit.target import box_blur

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SHAPES = ("roughness", "anisotrop", "rotation", "ior")
RADIUS = 3  # of windows, texels
RIDGE = 1e-3  # variance of maps in units of their ranges, below which they guide nothing


def is_shape(name: str) -> bool:
    """Return whether an input shapes what is reflected, instead of weighing it."""
    last = name.rpartition(".")[2].rpartition("/")[2].lower()
    return any(shape in last for shape in SHAPES)


def _means(
    values: NDArray[np.float64], weights: NDArray[np.float64], total: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return weighted means over windows of values, shape ``(height, width, ...)``."""
    flat = values.reshape(*weights.shape, -1) * weights[..., None]
    means = box_blur(flat.astype(np.float32), RADIUS).astype(np.float64) / total[..., None]
    return means.reshape(values.shape)


def guided(
    maps: NDArray[np.float64],
    weights: NDArray[np.bool_],
    own: Sequence[int],
    guides: Sequence[int],
) -> NDArray[np.float64]:
    """Return some channels as the others around each texel say that they are.

    Args:
        maps: In units of their ranges, shape ``(height, width, D)``.
        weights: Texels that say something, shape ``(height, width)``.
        own: Channels that are asked for.
        guides: The others.

    Returns:
        Shape ``(height, width, len(own))``.
    """
    shares = weights.astype(np.float64)
    total = np.maximum(box_blur(shares[..., None].astype(np.float32), RADIUS)[..., 0], 1e-6)
    x, y = maps[..., list(guides)], maps[..., list(own)]
    mean_x, mean_y = _means(x, shares, total), _means(y, shares, total)
    # About the means of all texels: products of float32 keep their digits.
    x = np.asarray(x - x.mean(axis=(0, 1)), np.float64)
    y = np.asarray(y - y.mean(axis=(0, 1)), np.float64)
    about_x, about_y = _means(x, shares, total), _means(y, shares, total)
    square = _means(x[..., :, None] * x[..., None, :], shares, total)
    square = square - about_x[..., :, None] * about_x[..., None, :]
    cross = _means(x[..., :, None] * y[..., None, :], shares, total)
    cross = cross - about_x[..., :, None] * about_y[..., None, :]
    ridged = square + RIDGE * np.eye(len(guides))
    slopes = np.asarray(np.linalg.solve(ridged, cross), np.float64)
    # Each texel lies in many windows: the mean of what they say.
    offsets = mean_y - np.einsum("hwi,hwio->hwo", mean_x, slopes)
    slopes, offsets = _means(slopes, shares, total), _means(offsets, shares, total)
    found: NDArray[np.float64] = np.einsum("hwi,hwio->hwo", maps[..., list(guides)], slopes)
    return found + offsets


def follow_guides(
    maps: NDArray[np.float64],
    weights: NDArray[np.bool_],
    variances: NDArray[np.float64],
    own: Sequence[int],
) -> NDArray[np.float64]:
    """Return maps with some channels where the others lead them.

    A channel goes there by the share of its distance that the noise of its texels explains: detail
    of its own that the pictures tell stays.

    Args:
        maps: In units of their ranges, shape ``(height, width, D)``.
        weights: Texels that say something, shape ``(height, width)``.
        variances: Of the noise of each number of each texel, shape ``(height, width, D)``.
        own: Channels that may move; the others guide.
    """
    guides = [channel for channel in range(maps.shape[2]) if channel not in own]
    if not own or not guides or not weights.any():
        return maps
    led = guided(maps, weights, own, guides)
    out = maps.copy()
    distance = maps[..., list(own)] - led
    total = np.maximum(box_blur(weights[..., None].astype(np.float32), RADIUS)[..., 0], 1e-6)
    spread = _means(distance**2, weights.astype(np.float64), total.astype(np.float64))
    shares = np.minimum(variances[..., list(own)] / np.maximum(spread, 1e-12), 1)
    out[..., list(own)] -= shares * distance
    return out
