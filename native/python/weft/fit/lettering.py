# SPDX-License-Identifier: Apache-2.0
"""Text in pictures: who draws it, and how it comes into the pixels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from weft import image
from weft._native import ImageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Color = tuple[float, float, float]
Lettering = Callable[[str, int], "NDArray[np.float32]"]
"""A line of text and its height in pixels to coverage of shape ``(height, width)``, in [0, 1]."""

BLACK: Color = (0.0, 0.0, 0.0)


def own_lettering() -> Lettering | None:
    """Return OpenImageIO's text; ``None``: this OpenImageIO has no FreeType, as that of Blender."""
    try:
        image.text_mask("x", 16)
    except ImageError:
        return None
    return image.text_mask


def atlas_lettering(glyphs: Mapping[str, NDArray[np.float32]]) -> Lettering:
    """Return text that is put together of glyphs which somebody else has drawn.

    Args:
        glyphs: Coverage by letter, all of one height, as wide as the letter's advance; others
            become spaces of the width of an ``"n"``.
    """
    gap = np.zeros_like(glyphs["n"])

    def draw(text: str, height: int) -> NDArray[np.float32]:
        line = np.concatenate([glyphs.get(letter, gap) for letter in text or " "], axis=1)
        width = max(round(line.shape[1] * height / line.shape[0]), 1)
        return image.resized(line[..., None], (height, width))[..., 0].clip(0, 1)

    return draw


def paint(
    pixels: NDArray[np.float32],
    mask: NDArray[np.float32],
    place: tuple[float, float],
    color: Color = BLACK,
) -> None:
    """Cover pixels with a colour.

    Args:
        pixels: sRGB numbers, shape ``(height, width, 3)``; changed.
        mask: Coverage; what does not fit into the image is left out.
        place: Column and row of its upper left pixel; rounded.
        color: sRGB numbers in [0, 1].
    """
    x, y = round(place[0]), round(place[1])
    cut = mask[max(-y, 0) :, max(-x, 0) :]
    part = pixels[max(y, 0) :, max(x, 0) :][: cut.shape[0], : cut.shape[1]]
    cover = cut[: part.shape[0], : part.shape[1], None]
    part += cover * (np.array(color, np.float32) - part)
