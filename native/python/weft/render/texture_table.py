# SPDX-License-Identifier: Apache-2.0
"""Textures as shaders/weft/render/texture.slang reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.layouts import TextureWord
from weft.scene.texture import FILTERS, WRAPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.scene.texture import Texture


@dataclass
class TextureTable:
    """Texels of all textures, rows from the bottom, and where each texture lies."""

    texels: NDArray[np.float32]
    records: NDArray[np.uint32]


def shrink(image: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return half as many rows (axis 0) or columns (1), at least one: means of what they cover."""
    count = image.shape[axis]
    wanted = max(count // 2, 1)
    if count == 1:
        return image
    sums = np.concatenate([np.zeros_like(image.take([0], axis)), image.cumsum(axis)], axis)
    at = np.arange(wanted + 1) * (count / wanted)
    below = np.minimum(at.astype(np.int64), count - 1)
    shape = [1] * image.ndim
    shape[axis] = -1
    share = (at - below).reshape(shape)
    total = (1 - share) * sums.take(below, axis) + share * sums.take(below + 1, axis)
    means: NDArray[np.float64] = np.diff(total, axis=axis) * (wanted / count)
    return means


def mip_levels(pixels: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Return a texture at half the size each time, down to one texel.

    Args:
        pixels: Shape ``(height, width, channels)``; not among the levels that are returned.
    """
    levels = []
    image = pixels.astype(np.float64)
    while max(image.shape[:2]) > 1:
        image = shrink(shrink(image, 0), 1)
        levels.append(image.astype(np.float32))
    return levels


def texture_table(textures: list[Texture]) -> TextureTable:
    """Lay textures out one after the other, the levels of those that have some behind them all."""
    rows: list[tuple[int, ...]] = []
    images = [texture.pixels for texture in textures]
    wraps = [WRAPS.index(texture.wrap) for texture in textures]
    filters = [FILTERS.index(texture.filter) for texture in textures]
    levels: list[tuple[int, int]] = [(1, 0)] * len(textures)
    for number, texture in enumerate(textures):
        if texture.filter == "mipmap":
            own = mip_levels(texture.pixels)
            levels[number] = (1 + len(own), len(images))
            images += own
            wraps += [wraps[number]] * len(own)
            filters += [filters[number]] * len(own)
            levels += [(1, 0)] * len(own)
    first = 0
    for image, wrap, filter_, level in zip(images, wraps, filters, levels, strict=True):
        height, width, channels = image.shape
        rows.append((first, width, height, channels, wrap, filter_, *level))
        first += image.size
    flat = [image[::-1].ravel() for image in images]
    return TextureTable(
        np.concatenate(flat) if flat else np.zeros(4, np.float32),
        np.array(rows or [(0,) * TextureWord.end], np.uint32),
    )
