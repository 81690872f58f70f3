# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures while they are being fitted: small, and now and then."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.fit import FittedTexture
from weft.fit.target_files import resample

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from weft.fit import Fit

INTERVAL = 1.0  # seconds between two previews, at least
SHARE = 0.05  # of the time, that making them may take
LONGEST_SIDE = 256  # texels; writing so many into an image takes Blender a few milliseconds


@dataclass
class PreviewClock:
    """When the next preview is due."""

    due: float = 0.0

    def is_due(self) -> bool:
        """Return whether it is time."""
        return time.perf_counter() >= self.due

    def took(self, seconds: float) -> None:
        """Note how long the last one took."""
        self.due = time.perf_counter() + max(INTERVAL, seconds / SHARE)


def preview_textures(fit: Fit, clock: PreviewClock) -> Mapping[str, FittedTexture]:
    """Return the textures as they are now, at a size that is quickly shown; none before due."""
    if not clock.is_due():
        return {}
    began = time.perf_counter()
    made = {
        name: FittedTexture(small_image(found.pixels), found.known, small_image(found.errors))
        for name, found in fit.stage.textures().items()
    }
    clock.took(time.perf_counter() - began)
    return made


def small_image(pixels: NDArray[np.float32], longest: int = LONGEST_SIDE) -> NDArray[np.float32]:
    """Return an image, shape ``(height, width, channels)``, with no side longer than `longest`."""
    height, width = pixels.shape[:2]
    scale = longest / max(height, width)
    if scale >= 1:
        return pixels
    return resample(pixels, (max(round(width * scale), 1), max(round(height * scale), 1)))
