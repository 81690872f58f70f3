# SPDX-License-Identifier: Apache-2.0
"""Images on surfaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from weft._native import ArgumentError, check_pixels, texture_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.scene.values import Value

Wrap = Literal["repeat", "extend", "clip", "mirror"]
Filter = Literal["linear", "closest", "mipmap"]

WRAPS: tuple[Wrap, ...]
FILTERS: tuple[Filter, ...]
WRAPS, FILTERS = texture_names()
"""In the order of their numbers in the kernels."""


@dataclass(eq=False)
class Texture:
    """An image that drives an input of a material.

    Args:
        pixels: Shape ``(height, width, channels)``, 1, 3 or 4 channels, the top row first, linear
            numbers. Integers are
            divided by their largest value.
        wrap: What lies outside the unit square: copies (``repeat``), the edge (``extend``), zero
            (``clip``) or
            mirror images (``mirror``).
        filter: Between texels: ``linear`` or ``closest``; ``mipmap`` is linear, and takes means of
            texels where a ray is wider than one, which distant textures need: less noise, and
            less memory to wait for. The width is that of a cone around the ray; it is the same in
            all directions, so textures seen at grazing angles get smoother than they need be. Such
            a texture cannot be fitted.
        uv: Where to look it up, two components; ``None`` is the first UV set. (0, 0) is the lower
            left corner.
        name: What messages and parameters call it.

    Raises:
        ArgumentError: The pixels have another shape, or are not finite.
    """

    pixels: NDArray[np.float32]
    wrap: Wrap = "repeat"
    filter: Filter = "linear"
    uv: Value | None = None
    name: str = field(default="texture", kw_only=True)

    def __post_init__(self) -> None:
        """Check and convert the pixels."""
        array = np.asarray(self.pixels)
        scale = np.iinfo(array.dtype.name).max if array.dtype.kind in "ui" else 1
        values = np.ascontiguousarray(array, np.float32) / np.float32(scale)
        if values.ndim == 2:
            values = values[..., None]
        if values.ndim != 3 or values.shape[2] not in (1, 3, 4) or values.size == 0:
            raise ArgumentError(
                f"Texture '{self.name}': pixels must be (height, width, channels) with 1, 3 "
                f"or 4 channels, "
                f"got shape {array.shape}"
            )
        check_pixels(f"Texture '{self.name}'", values)
        if self.wrap not in WRAPS or self.filter not in FILTERS:
            raise ArgumentError(
                f"Texture '{self.name}': wrap must be one of {', '.join(WRAPS)} and filter "
                f"one of {', '.join(FILTERS)}, "
                f"got {self.wrap!r} and {self.filter!r}"
            )
        self.pixels = values

    @property
    def channels(self) -> int:
        """Components of a texel: 1, 3 or 4."""
        return int(self.pixels.shape[2])
