# SPDX-License-Identifier: Apache-2.0
"""What fits do with textures as images: blur them, tell how they vary, and fill their holes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.fit.target import box_blur

if TYPE_CHECKING:
    from numpy.typing import NDArray

KNOWN_SHARE = 0.02  # of the median of what pictures tell of a texel: below it holes are filled


def blurred(image: NDArray[np.float32], radius: int) -> NDArray[np.float32]:
    """Return an image averaged over squares, twice; as it is for a radius of 0."""
    return box_blur(box_blur(image, radius), radius) if radius > 0 else image


def variation_slopes(image: NDArray[np.float32], soft: float = 0.02) -> NDArray[np.float32]:
    """Return the derivative of the total variation of an image (Rudin, Osher and Fatemi 1992).

    Args:
        image: Shape ``(height, width, channels)``.
        soft: Differences below it count by their square.
    """
    out = np.zeros_like(image)
    for axis in (0, 1):
        step = np.diff(image, axis=axis)
        slope = step / np.sqrt(step**2 + soft**2)
        first = [slice(None)] * 3
        second = [slice(None)] * 3
        first[axis], second[axis] = slice(None, -1), slice(1, None)
        out[tuple(first)] -= slope
        out[tuple(second)] += slope
    return out


def is_known(shown: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which texels the pictures show, from what they tell of each."""
    told = shown[shown > 0]
    known: NDArray[np.bool_] = shown > KNOWN_SHARE * (float(np.median(told)) if told.size else 0.0)
    return known


def fill_holes(image: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return an image whose texels without weight take the mean of known ones around them.

    Pull and push over a pyramid (Gortler et al. 1996, section 3.5).

    Args:
        image: Shape ``(height, width, channels)``.
        weights: Shape ``(height, width)``: 0 unknown, 1 known.
    """
    if min(image.shape[:2]) <= 1 or weights.all() or not weights.any():
        known = weights[..., None]
        mean = (image * known).sum((0, 1)) / max(float(weights.sum()), 1e-20)
        return np.where(known > 0, image, mean).astype(np.float32)
    height, width = image.shape[0] // 2 * 2, image.shape[1] // 2 * 2
    shape = (height // 2, 2, width // 2, 2)
    cut, weight = image[:height, :width], weights[:height, :width]
    sums = (cut * weight[..., None]).reshape(*shape, -1).sum((1, 3))
    total = weight.reshape(shape).sum((1, 3))
    coarse = sums / np.maximum(total, 1e-20)[..., None]
    coarse = fill_holes(coarse.astype(np.float32), np.minimum(total, 1).astype(np.float32))
    rows = np.minimum(np.arange(image.shape[0]) // 2, coarse.shape[0] - 1)
    columns = np.minimum(np.arange(image.shape[1]) // 2, coarse.shape[1] - 1)
    wide = coarse[rows][:, columns]
    known = weights[..., None]
    filled: NDArray[np.float32] = (known * image + (1 - known) * wide).astype(np.float32)
    return filled
