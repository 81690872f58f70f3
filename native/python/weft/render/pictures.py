# SPDX-License-Identifier: Apache-2.0
"""Pictures as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from weft import image
from weft._native import ArgumentError

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

ViewTransform = Literal["none", "srgb"]
VIEWS: tuple[ViewTransform, ...] = ("none", "srgb")

CHANNELS = {
    "color": ("R", "G", "B"),
    "albedo": ("albedo.R", "albedo.G", "albedo.B"),
    "normal": ("normal.X", "normal.Y", "normal.Z"),
    "depth": ("depth.Z",),
    "uv": ("uv.U", "uv.V"),
    "object": ("object.ID",),
    "material": ("material.ID",),
}
"""Names of the channels in an EXR file."""


def save_picture(
    path: str | os.PathLike[str],
    picture: NDArray[np.float32] | Mapping[str, NDArray[np.float32]],
    *,
    view: ViewTransform = "srgb",
    exposure: float = 0.0,
) -> None:
    """Write what ``Renderer.render`` returned.

    An EXR or HDR file keeps the light as it is, and an EXR file all AOVs. PNG and JPEG files hold
    the picture alone, brightened and encoded for a display.

    Args:
        path: The file; its ending names the format.
        picture: An image ``(height, width, 3)``, linear Rec.709, or a dict with ``"color"``.
        view: What PNG and JPEG files hold: ``srgb``, the sRGB curve; ``none``, linear numbers.
        exposure: Stops: the picture is multiplied by two to this power. PNG and JPEG only.

    Raises:
        ArgumentError: The ending, `view` or an AOV is unknown.
        ImageError: The file cannot be written.
    """
    layers = picture if isinstance(picture, Mapping) else {"color": picture}
    if view not in VIEWS:
        raise ArgumentError(f"save_picture: view must be one of {', '.join(VIEWS)}, got {view!r}")
    _require_known(layers)
    suffix = Path(path).suffix.lower()
    if suffix == ".exr":
        names = [name for layer in layers for name in CHANNELS[layer]]
        pixels = np.concatenate(list(layers.values()), axis=2)
        image.write(path, pixels, encoding="linear", channel_names=names)
    elif suffix == ".hdr":
        image.write(path, layers["color"], encoding="linear")
    else:
        bright = layers["color"] * np.float32(2.0**exposure)
        image.write(path, bright, encoding="srgb" if view == "srgb" else "linear")


def _require_known(layers: Mapping[str, NDArray[np.float32]]) -> None:
    unknown = [name for name in layers if name not in CHANNELS]
    if unknown or "color" not in layers:
        raise ArgumentError(
            f"save_picture: picture must have 'color' and layers of {', '.join(CHANNELS)}, got "
            f"{', '.join(layers)}"
        )
