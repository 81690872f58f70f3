# SPDX-License-Identifier: Apache-2.0
"""Linear Rec.709 colours: their luminance, and the transfer function of sRGB (IEC 61966-2-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LUMINANCE = (0.2126, 0.7152, 0.0722)
"""Weights of linear red, green and blue (ITU-R BT.709); ``weft.render.frame`` has them in Slang."""

LINEAR_END = 0.0031308
"""Linear light up to which the curve of sRGB is a line."""

ENCODED_END = 0.04045
"""The same place on the encoded side, as the standard rounds it."""


def luminance(rgb: ArrayLike) -> NDArray[np.float64]:
    """Return the luminance of linear colours: shape ``(..., 3)`` gives ``(...)``."""
    return np.asarray(np.asarray(rgb, np.float64) @ np.array(LUMINANCE))


def linear_from_srgb(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return linear light of encoded numbers, any shape; odd around 0, nothing is clipped."""
    size = np.abs(values)
    linear = np.where(size <= ENCODED_END, size / 12.92, ((size + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.copysign(linear, values), np.float32)


def srgb_from_linear(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return encoded numbers of linear light, any shape; odd around 0, nothing is clipped."""
    size = np.abs(values)
    encoded = np.where(size <= LINEAR_END, size * 12.92, 1.055 * size ** (1.0 / 2.4) - 0.055)
    return np.asarray(np.copysign(encoded, values), np.float32)


def srgb_derivative(values: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the derivative of srgb_from_linear() at linear light of 0 and above, any shape."""
    curve = 1.055 / 2.4 * np.maximum(values, LINEAR_END) ** (1 / 2.4 - 1)
    return np.where(values <= LINEAR_END, 12.92, curve)
