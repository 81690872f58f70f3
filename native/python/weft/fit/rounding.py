# SPDX-License-Identifier: Apache-2.0
"""What files do to pictures: values rounded to steps, and blocks of JPEG."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from weft.colors import srgb_derivative
from weft.fit.comparison import encode_display

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.display import DisplayTransform

STEP = 1 / 255
JPEG_BLOCK = 8
JPEG_ENDINGS = (".jpg", ".jpeg")
STEP_TOLERANCE = 2e-3  # steps: values that differ by less from whole ones were rounded


def is_rounded(values: NDArray[np.floating]) -> bool:
    """Return whether display values are whole steps of 8 bits."""
    steps = np.asarray(values, np.float64) / STEP
    return bool((np.abs(steps - np.round(steps)) < STEP_TOLERANCE).all())


def deviation_by_display(
    light: NDArray[np.float32], display: DisplayTransform
) -> NDArray[np.float32]:
    """Return the standard deviation that steps of 8 bits behind a display leave in its light.

    A rounded value is anywhere within a step: its variance is step^2 / 12.

    Args:
        light: Shape ``(height, width, 3)``.
        display: What it was saved through.
    """
    derivatives = np.linalg.norm(display.derivative(light), axis=-2)
    return np.asarray(STEP / np.sqrt(12) / np.maximum(derivatives, 1e-6), np.float32)


def deviation_by_srgb(light: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """Return the same for light behind the sRGB curve; ``None`` where it was not rounded."""
    x = np.clip(light, 0, 1)
    if not is_rounded(encode_display(x)):
        return None
    return np.asarray(STEP / np.sqrt(12) / srgb_derivative(x), np.float32)


def deviation_by_step(light: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """Return the same for light that was rounded as it is; ``None`` where it was not."""
    if not is_rounded(np.clip(light, 0, 1)):
        return None
    return np.full(np.shape(light), STEP / np.sqrt(12), np.float32)


def grain_of(file: Path) -> int:
    """Return over how many pixels the noise of a file is shared."""
    return JPEG_BLOCK if file.suffix.lower() in JPEG_ENDINGS else 1
