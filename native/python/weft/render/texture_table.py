# SPDX-License-Identifier: Apache-2.0
"""Textures as shaders/weft/render/texture.slang reads them (native/render/texture_tensors.hpp)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft._native import texture_tensors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft._native import KeptParts, Tensor
    from weft.scene.texture import Texture


@dataclass
class TextureTable:
    """Texels of all textures, rows from the bottom, and where each texture lies."""

    texels: Tensor
    records: NDArray[np.uint32]


def texture_table(textures: Sequence[Texture], kept: KeptParts) -> TextureTable:
    """Lay textures out one after the other, the levels of those that have some behind them all.

    Args:
        textures: Of the scene.
        kept: Textures that are on the device already.
    """
    return TextureTable(*texture_tensors(kept, textures))
