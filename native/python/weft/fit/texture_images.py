# SPDX-License-Identifier: Apache-2.0
"""What fits of tied maps do with textures as images, on the host; others: image_kernels.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KNOWN_SHARE = 0.02  # of the median of what pictures tell of a texel: below it holes are filled


def variation_derivative(image: NDArray[np.float32], soft: float = 0.02) -> NDArray[np.float32]:
    """Return the derivative of the total variation of an image (Rudin, Osher and Fatemi 1992).

    Args:
        image: Shape ``(height, width, channels)``.
        soft: Differences below it count by their square.
    """
    out = np.zeros_like(image)
    for axis in (0, 1):
        step = np.diff(image, axis=axis)
        derivative = step / np.sqrt(step**2 + soft**2)
        first = [slice(None)] * 3
        second = [slice(None)] * 3
        first[axis], second[axis] = slice(None, -1), slice(1, None)
        out[tuple(first)] -= derivative
        out[tuple(second)] += derivative
    return out


def is_known(shown: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which texels the pictures show, from what they tell of each."""
    told = shown[shown > 0]
    known: NDArray[np.bool_] = shown > KNOWN_SHARE * (float(np.median(told)) if told.size else 0.0)
    return known
