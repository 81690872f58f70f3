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

from weft._native import box_blur
from weft.scene.parameter_ref import ParameterRef

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SHAPES = ("roughness", "anisotrop", "rotation", "ior")
RADIUS = 3  # of windows, texels
RIDGE = 1e-3  # variance of maps in units of their ranges, below which they guide nothing


def is_shape(name: str) -> bool:
    """Return whether an input shapes what is reflected, instead of weighing it."""
    last = ParameterRef(name).input
    return any(shape in last for shape in SHAPES)


class Windows:
    """Squares around each texel, of the texels that say something.

    Args:
        weights: Which those are, shape ``(height, width)``.
    """

    def __init__(self, weights: NDArray[np.bool_]) -> None:
        """Count them."""
        self.weights = weights.astype(np.float32)[..., None]
        self.total = np.maximum(box_blur(self.weights, RADIUS), 1e-6).astype(np.float64)

    def means(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return means over windows of values, shape ``(height, width, ...)``."""
        flat = values.reshape(*values.shape[:2], -1).astype(np.float32) * self.weights
        means = box_blur(flat, RADIUS) / self.total
        return np.asarray(means, np.float64).reshape(values.shape)


def guided(
    maps: NDArray[np.float64],
    windows: Windows,
    own: Sequence[int],
    guides: Sequence[int],
) -> NDArray[np.float64]:
    """Return some channels as the others around each texel say that they are.

    Args:
        maps: In units of their ranges, shape ``(height, width, D)``.
        windows: Of the texels that say something.
        own: Channels that are asked for.
        guides: The others.

    Returns:
        Shape ``(height, width, len(own))``.
    """
    means = windows.means
    # About the means of all texels: products of float32 keep their digits.
    middle = maps.mean(axis=(0, 1))
    x, y = (maps - middle)[..., list(guides)], (maps - middle)[..., list(own)]
    mean_x, mean_y = means(x), means(y)
    square = means(x[..., :, None] * x[..., None, :])
    square = square - mean_x[..., :, None] * mean_x[..., None, :]
    cross = means(x[..., :, None] * y[..., None, :])
    cross = cross - mean_x[..., :, None] * mean_y[..., None, :]
    ridged = square + RIDGE * np.eye(len(guides))
    coefficients = np.asarray(np.linalg.solve(ridged, cross), np.float64)
    # Each texel lies in many windows: the mean of what they say.
    offsets = mean_y - np.einsum("hwi,hwio->hwo", mean_x, coefficients)
    found = np.einsum("hwi,hwio->hwo", x, means(coefficients)) + means(offsets) + middle[list(own)]
    return np.asarray(found, np.float64)


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
    windows = Windows(weights)
    out = maps.copy()
    distance = maps[..., list(own)] - guided(maps, windows, own, guides)
    spread = windows.means(distance**2)
    shares = np.minimum(variances[..., list(own)] / np.maximum(spread, 1e-12), 1)
    out[..., list(own)] -= shares * distance
    return out
