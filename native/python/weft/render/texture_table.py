# SPDX-License-Identifier: Apache-2.0
"""Textures as shaders/weft/render/texture.slang reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.layouts import TextureWord
from weft.render.keeping import Chunk, Identity, digest, zeros_chunk
from weft.scene.texture import FILTERS, WRAPS

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from weft._native import Tensor
    from weft.render.keeping import KeptParts
    from weft.scene.texture import Texture

SMALL = 1 << 18
"""Bytes of pixels up to which a texture is the same if its numbers are."""


@dataclass
class TextureTable:
    """Texels of all textures, rows from the bottom, and where each texture lies."""

    texels: Tensor
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


def level_sizes(height: int, width: int) -> list[tuple[int, int]]:
    """Return the heights and widths of mip_levels()."""
    sizes = []
    while max(height, width) > 1:
        height, width = max(height // 2, 1), max(width // 2, 1)
        sizes.append((height, width))
    return sizes


def texture_table(textures: list[Texture], kept: KeptParts) -> TextureTable:
    """Lay textures out one after the other, the levels of those that have some behind them all.

    Args:
        textures: Of the scene.
        kept: Textures that are on the device already.
    """
    shapes = [texture.pixels.shape for texture in textures]
    chunks = [_image_chunk(texture) for texture in textures]
    kinds = [(WRAPS.index(entry.wrap), FILTERS.index(entry.filter)) for entry in textures]
    levels: list[tuple[int, int]] = [(1, 0)] * len(textures)
    for number, texture in enumerate(textures):
        if texture.filter == "mipmap":
            height, width, channels = texture.pixels.shape
            own = level_sizes(height, width)
            levels[number] = (1 + len(own), len(shapes))
            shapes += [(*size, channels) for size in own]
            kinds += [kinds[number]] * len(own)
            levels += [(1, 0)] * len(own)
            chunks.append(_levels_chunk(texture, sum(h * w for h, w in own) * channels))
    first = 0
    rows: list[tuple[int, ...]] = []
    for (height, width, channels), kind, level in zip(shapes, kinds, levels, strict=True):
        rows.append((first, width, height, channels, *kind, *level))
        first += height * width * channels
    return TextureTable(
        kept.assemble("texels", chunks or [zeros_chunk(4)]),
        np.array(rows or [(0,) * TextureWord.end], np.uint32),
    )


def _pixels_key(pixels: NDArray[np.float32]) -> Hashable:
    """Return what stands for pixels: their numbers where they are few."""
    return Identity(pixels) if pixels.nbytes > SMALL else digest(pixels)


def _image_chunk(texture: Texture) -> Chunk:
    pixels = texture.pixels
    return Chunk(("texels", _pixels_key(pixels)), pixels.size, lambda: pixels[::-1])


def _levels_chunk(texture: Texture, size: int) -> Chunk:
    """Return all levels of a texture but the first."""
    pixels = texture.pixels

    def make() -> NDArray[np.float32]:
        flat = [level[::-1].ravel() for level in mip_levels(pixels)]
        return np.concatenate(flat) if flat else np.zeros(0, np.float32)

    return Chunk(("levels", _pixels_key(pixels)), size, make)
