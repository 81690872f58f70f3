# SPDX-License-Identifier: GPL-3.0-or-later
"""What the numbers of images mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .graph.model import ImageData

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from numpy.typing import NDArray

AS_IT_IS = ("Non-Color", "Linear Rec.709", "Linear", "Raw")
"""Colour spaces of byte images whose numbers are taken as they are."""

DATA = ("Non-Color", "Raw")
"""Colour spaces of what is no colour: alpha does not multiply it."""


def image_data(
    name: str,
    tiles: Mapping[int, NDArray[np.float32]],
    *,
    is_float: bool,
    space: str,
    alpha_mode: str,
) -> tuple[ImageData, str]:
    """Return an image as Cycles looks it up, and what is wrong with it.

    Args:
        name: Blender's.
        tiles: Pixels by the number of the UDIM tile, 1001 for an image without tiles, shape
            ``(height, width, channels)``, the top row first, as Blender holds them: bytes divided
            by 255, with alpha apart; floats linear and multiplied by alpha.
        is_float: They are no bytes.
        space: Blender's name of the colour space.
        alpha_mode: ``STRAIGHT``, ``PREMUL``, ``CHANNEL_PACKED`` or ``NONE``.
    """
    associates = alpha_mode in ("STRAIGHT", "PREMUL") and space not in DATA
    done = {n: _with_alpha(p, alpha_mode, associates, is_float) for n, p in tiles.items()}
    encoding: Literal["linear", "srgb"] = "linear"
    problem = ""
    if not is_float and space not in AS_IT_IS:
        encoding = "srgb"
        problem = "" if space == "sRGB" else f"color space '{space}' is not supported for bytes"
    first = done[min(done)]
    is_associated = associates and first.shape[2] == 4
    return ImageData(name, first, encoding, is_associated, done if len(done) > 1 else {}), problem


def _with_alpha(
    pixels: NDArray[np.float32], alpha_mode: str, associates: bool, is_float: bool
) -> NDArray[np.float32]:
    """Return pixels with colour multiplied by alpha or not; without alpha where all is opaque."""
    if pixels.shape[2] == 2:
        pixels = np.dstack([np.repeat(pixels[..., :1], 3, axis=2), pixels[..., 1:]])
    if pixels.shape[2] == 4:
        pixels = _with_alpha_of_mode(pixels, alpha_mode, associates, is_float)
    return np.ascontiguousarray(pixels, np.float32)


def _with_alpha_of_mode(
    pixels: NDArray[np.float32], alpha_mode: str, associates: bool, is_float: bool
) -> NDArray[np.float32]:
    if alpha_mode == "NONE":
        return (_divided(pixels) if is_float else pixels)[..., :3]
    if (pixels[..., 3] == 1).all():
        return pixels[..., :3]
    if associates and not is_float:
        # Cycles multiplies bytes, and rounds down.
        whole = np.rint(pixels * 255)
        color = np.floor(whole[..., :3] * whole[..., 3:] / 255) / 255
        return np.dstack([color, pixels[..., 3:]])
    return _divided(pixels) if is_float and not associates else pixels


def _divided(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return pixels whose colour is not multiplied by alpha."""
    alpha = pixels[..., 3:]
    return np.dstack([pixels[..., :3] / np.where(alpha > 0, alpha, 1), alpha])
