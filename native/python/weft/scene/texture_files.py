# SPDX-License-Identifier: Apache-2.0
"""Textures from image files: colour spaces, and tiles of UDIM."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from weft import image
from weft._native import ArgumentError, ArgumentNotFoundError
from weft.scene.texture import Texture
from weft.scene.values import Attribute, SlangCall

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.scene.texture import Filter, Wrap
    from weft.scene.values import Value

ColorSpace = Literal["srgb", "linear", "raw", "rec709", "acescg"]
COLOR_SPACES: tuple[ColorSpace, ...] = ("srgb", "linear", "raw", "rec709", "acescg")

UDIM = "<UDIM>"

# AP1 with its white point to Rec.709 with D65 (Bradford); SMPTE ST 2065-1 and ITU-R BT.709.
ACESCG_TO_REC709 = np.array(
    [
        [1.7050510, -0.6217921, -0.0832589],
        [-0.1302564, 1.1408047, -0.0105483],
        [-0.0240034, -0.1289690, 1.1529724],
    ]
)


def to_linear_rec709(pixels: NDArray[np.float32], color_space: ColorSpace) -> NDArray[np.float32]:
    """Return linear Rec.709 of numbers that came from a file.

    Args:
        pixels: Shape ``(height, width, channels)``; the fourth channel is left alone. For ``srgb``
            the curve has been removed already.
        color_space: What the numbers are; ``linear`` and ``raw`` are taken as they are.

    Raises:
        ArgumentError: ``acescg`` with fewer than 3 channels.
    """
    colors = pixels[..., :3] if pixels.shape[2] >= 3 else pixels
    if color_space == "rec709":
        # ITU-R BT.709, section 1.2, inverted; odd around 0.
        size = np.abs(colors)
        linear = np.where(size < 0.081, size / 4.5, ((size + 0.099) / 1.099) ** (1 / 0.45))
        colors = np.copysign(linear, colors)
    elif color_space == "acescg":
        if pixels.shape[2] < 3:
            raise ArgumentError(
                f"load_texture: 'acescg' needs 3 channels, the file has {pixels.shape[2]}; use "
                "'linear' or 'raw'"
            )
        colors = colors @ ACESCG_TO_REC709.T
    out = pixels.copy()
    out[..., : colors.shape[2]] = colors
    return out


def load_texture(
    path: str | os.PathLike[str],
    color_space: ColorSpace,
    *,
    wrap: Wrap = "repeat",
    filter: Filter = "linear",
    uv: Value | None = None,
) -> Texture:
    """Read a texture from a PNG, JPEG, EXR or HDR file, or from the tiles of a UDIM set.

    Args:
        path: The file. With ``<UDIM>`` in its name: tile 1001 covers the unit square of UV space,
            1002 the one to its right, 1011 the one above. Tiles must be of one size; where there is
            none the texture is black.
        color_space: What the numbers in the file are: ``srgb`` for most pictures, ``linear`` and
            ``acescg`` for EXR, ``rec709`` for video, ``raw`` for roughness and other data.
        wrap: See Texture. Tiles are not repeated: ``clip`` is used for them.
        filter: See Texture.
        uv: See Texture.

    Returns:
        A texture with linear Rec.709, or the numbers as they are for ``raw``. Files of two channels
        give their first one.

    Raises:
        FileNotFoundError: There is no such file, or no tile.
        ArgumentError: The ending or the colour space is unknown, or tiles differ in size.
        ImageError: A file is damaged.
    """
    if color_space not in COLOR_SPACES:
        raise ArgumentError(
            f"load_texture: color_space must be one of {', '.join(COLOR_SPACES)}, got "
            f"{color_space!r}"
        )
    file = Path(path)
    if UDIM not in file.name:
        pixels = _read(file, color_space)
        return Texture(pixels, wrap, filter, uv, name=file.stem)
    pixels, columns, rows = _read_tiles(file, color_space)
    # The numbers stand in the text: they are no parameters to be fitted.
    source = (
        "[Differentiable] float2 placeInTiles(float2 uv) "
        f"{{ return uv * float2({1 / columns!r}f, {1 / rows!r}f); }}"
    )
    place = SlangCall("placeInTiles", source, {"uv": Attribute.UV if uv is None else uv}, size=2)
    return Texture(pixels, "clip", filter, place, name=file.stem.replace(UDIM, "udim"))


def _read(file: Path, color_space: ColorSpace) -> NDArray[np.float32]:
    encoding: image.Encoding = "srgb" if color_space == "srgb" else "linear"
    pixels = image.read(file, encoding=encoding)
    pixels = pixels[..., :1] if pixels.shape[2] == 2 else pixels[..., :4]
    return to_linear_rec709(np.ascontiguousarray(pixels), color_space)


def _read_tiles(file: Path, color_space: ColorSpace) -> tuple[NDArray[np.float32], int, int]:
    """Return one image of all tiles, and how many columns and rows of tiles it has."""
    before, after = (re.escape(part) for part in file.name.split(UDIM, 1))
    pattern = re.compile(f"{before}(1[0-9]{{3}}){after}")
    names = [(entry, pattern.fullmatch(entry.name)) for entry in sorted(file.parent.glob("*"))]
    tiles = {int(match[1]) - 1001: _read(entry, color_space) for entry, match in names if match}
    if not tiles:
        raise ArgumentNotFoundError(
            f"load_texture: there is no tile of '{file}', such as "
            f"'{file.name.replace(UDIM, '1001')}'; check the path"
        )
    first = next(iter(tiles.values()))
    height, width, channels = first.shape
    _require_one_size(file, tiles, first.shape)
    columns = max(number % 10 for number in tiles) + 1
    rows = max(number // 10 for number in tiles) + 1
    whole = np.zeros((rows * height, columns * width, channels), np.float32)
    for number, pixels in tiles.items():
        top = (rows - 1 - number // 10) * height
        left = number % 10 * width
        whole[top : top + height, left : left + width] = pixels
    return whole, columns, rows


def _require_one_size(
    file: Path, tiles: Mapping[int, NDArray[np.float32]], shape: tuple[int, ...]
) -> None:
    for number, pixels in tiles.items():
        if pixels.shape != shape:
            raise ArgumentError(
                f"load_texture: tile {1001 + number} of '{file.name}' has shape {pixels.shape}, "
                f"the first one {shape}; make them one size"
            )
