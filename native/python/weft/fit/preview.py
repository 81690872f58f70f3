# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures while they are being fitted: small, and now and then."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.fit import FitResult, FittedTexture
from weft.fit.target_files import resample
from weft.fit.unknown_environment import environment_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft.fit import Fit
    from weft.fit.fit import Progress
    from weft.scene import Environment

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


def running_result(fit: Fit, progress: Progress, clock: PreviewClock) -> FitResult:
    """Return what a fit has found by now; images only where they are due."""
    textures: dict[str, FittedTexture] = {}
    environment = None
    if clock.is_due():
        textures, environment = preview_images(fit, clock)
    return FitResult(progress.values, progress.errors, textures, "running", environment=environment)


def preview_images(
    fit: Fit, clock: PreviewClock
) -> tuple[dict[str, FittedTexture], Environment | None]:
    """Return the textures as they are now, at a size that is quickly shown, and the environment."""
    began = time.perf_counter()
    found = dict(fit.stage.textures())
    environment = None
    if fit.unknown is not None:
        texels = found.pop(fit.unknown.texture_name)
        environment = environment_of(fit.renderer.scene, fit.unknown, texels)
    made = {
        name: FittedTexture(small_image(entry.pixels), entry.known, small_image(entry.errors))
        for name, entry in found.items()
    }
    clock.took(time.perf_counter() - began)
    return made, environment


def small_image(pixels: NDArray[np.float32], longest: int = LONGEST_SIDE) -> NDArray[np.float32]:
    """Return an image, shape ``(height, width, channels)``, with no side longer than `longest`."""
    height, width = pixels.shape[:2]
    scale = longest / max(height, width)
    if scale >= 1:
        return pixels
    return resample(pixels, (max(round(width * scale), 1), max(round(height * scale), 1)))
