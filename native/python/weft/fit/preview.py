# SPDX-License-Identifier: Apache-2.0
"""What a fit has found while it runs; images small, for they are shown at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.fit.result import FitResult
from weft.fit.target_files import resample
from weft.fit.texture_parameters import FittedTexture
from weft.fit.unknown_environment import environment_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft.fit.fit import Fit
    from weft.fit.progress import Progress
    from weft.scene import Environment

LONGEST_SIDE = 256  # texels; writing so many into an image takes Blender a few milliseconds


def running_result(fit: Fit, progress: Progress, *, with_images: bool) -> FitResult:
    """Return what a fit has found by now, under the reason ``running``.

    Args:
        fit: Between two steps.
        progress: Of its last step.
        with_images: The textures and the environment as they are now, with no side longer than
            LONGEST_SIDE; without, there are none.
    """
    textures: dict[str, FittedTexture] = {}
    environment = None
    if with_images:
        textures, environment = preview_images(fit)
    return FitResult(progress.values, progress.errors, textures, "running", environment=environment)


def preview_images(fit: Fit) -> tuple[dict[str, FittedTexture], Environment | None]:
    """Return small textures and the environment of a fit between two steps."""
    found = dict(fit.stage.textures())
    environment = None
    if fit.unknown is not None:
        texels = found.pop(fit.unknown.texture_name)
        environment = environment_of(fit.renderer.scene, fit.unknown, texels)
    made = {
        name: FittedTexture(small_image(entry.pixels), entry.known, small_image(entry.errors))
        for name, entry in found.items()
    }
    return made, environment


def small_image(pixels: NDArray[np.float32], longest: int = LONGEST_SIDE) -> NDArray[np.float32]:
    """Return an image, shape ``(height, width, channels)``, with no side longer than `longest`."""
    height, width = pixels.shape[:2]
    scale = longest / max(height, width)
    if scale >= 1:
        return pixels
    return resample(pixels, (max(round(width * scale), 1), max(round(height * scale), 1)))
