# SPDX-License-Identifier: Apache-2.0
"""Light, curves and averages: what all kinds of pictures share. Colours are linear here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.colors import srgb_from_linear

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LIGHT = np.array([-0.48, 0.57, 0.66])
"""Towards the light: from the upper left, before the picture."""

PAPER = np.array([0.035, 0.037, 0.042])
"""What nothing covers."""

INK = np.array([0.95, 0.55, 0.12])
"""Of a single curve, and of the inside of a shape."""

MAX_SLOPE = 1.1
"""The slope to which the steep parts of a relief are brought."""


def encode(linear: Array) -> NDArray[np.float32]:
    """Return a linear picture with the sRGB curve, from 0 to 1; NaN is 0."""
    clean = np.clip(np.nan_to_num(linear, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    return srgb_from_linear(clean)


def shrink(picture: Array, factor: int) -> Array:
    """Return means of blocks of so many pixels; each sample counts at most as white."""
    height, width = picture.shape[0] // factor, picture.shape[1] // factor
    blocks = np.clip(picture, 0.0, 1.0).reshape(height, factor, width, factor, -1)
    means: Array = blocks.mean(axis=(1, 3))
    return means


def lit(normals: Array, ambient: float = 0.18) -> Array:
    """Return the light on a surface, from `ambient` to 1, of normals (..., 3)."""
    lengths = np.maximum(np.linalg.norm(normals, axis=-1), 1e-12)
    facing = (normals @ LIGHT) / (lengths * np.linalg.norm(LIGHT))
    light: Array = ambient + (1 - ambient) * np.maximum(facing, 0.0)
    return light


def relief(height: Array) -> Array:
    """Return how a height field (H, W) is lit, 1 where it is level; any unit of height."""
    down, right = np.gradient(height)
    steep = np.percentile(np.hypot(down, right), 97)
    scale = MAX_SLOPE / steep if steep > 1e-9 else 0.0
    normals = np.stack([-right * scale, down * scale, np.ones_like(height)], -1)
    level = lit(np.array([0.0, 0.0, 1.0]))
    return lit(normals) / level


def isolines(distance: Array, pixel: float, spacing: float) -> Array:
    """Return a picture of distances (H, W): filled inside, with lines at equal distances.

    Args:
        distance: Negative inside.
        pixel: Size of a sample in the unit of the distance.
        spacing: Of the lines.
    """
    inside = (distance < 0)[..., None]
    fade = np.exp(-0.6 * np.abs(distance) / (4 * spacing))[..., None]
    colour = np.where(inside, INK * (0.35 + 0.65 * fade), np.array([0.1, 0.28, 0.5]) * fade)
    to_line = np.abs((distance / spacing + 0.5) % 1.0 - 0.5) * spacing
    lines = np.clip(1.5 - to_line / (2 * pixel), 0, 1)[..., None] * 0.45
    edge = np.clip(1.5 - np.abs(distance) / (3 * pixel), 0, 1)[..., None]
    colour = colour * (1 - lines)
    return colour * (1 - edge) + edge * 0.95


def grey(values: Array) -> Array:
    """Return values (H, W) as a grey picture, as bright to the eye as they are large."""
    low, high = np.percentile(values, 0.5), np.percentile(values, 99.5)
    if low < -0.02 or high > 1.02:
        values = (values - low) / max(high - low, 1e-12)
    return np.repeat((np.clip(values, 0, 1) ** 2.2)[..., None], 3, -1)
