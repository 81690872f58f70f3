# SPDX-License-Identifier: Apache-2.0
"""Textures as shaders/weft/render/texture.slang reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft._native import packed_mip_levels, packed_mip_size, texture_records
from weft.render.keeping import Chunk, Identity, digest, zeros_chunk

if TYPE_CHECKING:
    from collections.abc import Hashable

    import numpy as np
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


def texture_table(textures: list[Texture], kept: KeptParts) -> TextureTable:
    """Lay textures out one after the other, the levels of those that have some behind them all.

    Args:
        textures: Of the scene.
        kept: Textures that are on the device already.
    """
    chunks = [_image_chunk(texture) for texture in textures]
    chunks += [_levels_chunk(texture) for texture in textures if texture.filter == "mipmap"]
    return TextureTable(
        kept.assemble("texels", chunks or [zeros_chunk(4)]), texture_records(textures)
    )


def _pixels_key(pixels: NDArray[np.float32]) -> Hashable:
    """Return what stands for pixels: their numbers where they are few."""
    return Identity(pixels) if pixels.nbytes > SMALL else digest(pixels)


def _image_chunk(texture: Texture) -> Chunk:
    pixels = texture.pixels
    return Chunk(("texels", _pixels_key(pixels)), pixels.size, lambda: pixels[::-1])


def _levels_chunk(texture: Texture) -> Chunk:
    """Return all levels of a texture but the first."""
    pixels = texture.pixels
    height, width, channels = pixels.shape
    size = packed_mip_size(width, height, channels)
    return Chunk(("levels", _pixels_key(pixels)), size, lambda: packed_mip_levels(pixels))
