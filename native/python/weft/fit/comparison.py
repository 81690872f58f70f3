# SPDX-License-Identifier: Apache-2.0
"""A target beside the renders before and after a fit, as one picture to look at."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.colors import srgb_from_linear
from weft.fit.lettering import own_lettering, paint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.lettering import Lettering
    from weft.fit.target import Target

GAP = 4
SMALLEST_SIDE = 160
LEFT_OUT = 0.35  # grey of pixels that do not count
MIN_TEXT_HEIGHT = 18  # of a caption, pixels

# OKLab to the cube roots of LMS, and LMS to linear Rec.709 (Ottosson 2020, "A perceptual color
# space for image processing").
LAB_TO_ROOTS = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
LMS_TO_RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def color_map(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return linear Rec.709 whose lightness grows evenly with the values, from dark blue to yellow.

    Args:
        values: In [0, 1], any shape; others are clipped.
    """
    t = np.clip(values, 0, 1)
    lightness = 0.16 + 0.80 * t
    hue = np.radians(280 + 190 * t)  # blue, magenta, orange, yellow
    chroma = 0.05 + 0.13 * np.sin(np.pi * np.clip(0.1 + 0.8 * t, 0, 1))
    lab = np.stack([lightness, chroma * np.cos(hue), chroma * np.sin(hue)], -1)
    rgb = ((lab @ LAB_TO_ROOTS.T) ** 3) @ LMS_TO_RGB.T
    clipped: NDArray[np.float32] = np.clip(rgb, 0, 1).astype(np.float32)
    return clipped


@dataclass
class Comparison:
    """What a comparison shows.

    Args:
        pixels: sRGB numbers, shape ``(height, width, 3)``: before, after, target, difference.
        captions: Of the four panels, from the left.
        exposure: Stops by which all three pictures were brightened.
        difference_scale: Radiance that the brightest colour of the difference stands for; the
            largest difference of the three channels is shown.
        errors: Root mean square of the differences before and after, relative to that of the
            target; pixels that do not count are left out.
    """

    pixels: NDArray[np.float32]
    captions: tuple[str, ...]
    exposure: float
    difference_scale: float
    errors: tuple[float, float]


def choose_exposure(target: Target) -> float:
    """Return stops that make a target fit for a display, in steps of a half; 0 if it is."""
    assert target.mask is not None
    bright = float(np.percentile(target.image[target.mask > 0].max(axis=-1), 98))
    if bright <= 0 or 0.3 <= bright <= 1.0:
        return 0.0
    return round(2 * math.log2(0.8 / bright)) / 2


def compare(
    target: Target,
    before: NDArray[np.float32],
    after: NDArray[np.float32],
    lettering: Lettering | None = None,
) -> Comparison:
    """Put renders before and after a fit beside their target.

    Args:
        target: What they should be.
        before: Linear light, of the size of the target.
        after: The same.
        lettering: Draws the captions; ``None``: OpenImageIO, and where it draws no text the
            picture has no captions.
    """
    assert target.mask is not None
    counts = target.mask > 0
    differences = [np.abs(image - target.image).max(axis=2) for image in (before, after)]
    scale = max(float(np.percentile(differences[1][counts], 99.5)), 1e-6)
    exposure = choose_exposure(target)
    panels = [encode_display(image * 2.0**exposure) for image in (before, after)]
    shown = encode_display(target.image * 2.0**exposure)
    panels.append(np.where(counts[..., None], shown, LEFT_OUT).astype(np.float32))
    mapped = encode_display(color_map(differences[1] / scale))
    panels.append(np.where(counts[..., None], mapped, LEFT_OUT).astype(np.float32))
    weight = target.mask[..., None]
    size = max(float((weight * target.image**2).sum()), 1e-30)
    before_error, after_error = (
        math.sqrt(float((weight * (image - target.image) ** 2).sum()) / size)
        for image in (before, after)
    )
    captions = (
        f"before: error {100 * before_error:.3g} %",
        f"after: error {100 * after_error:.3g} %",
        "target" if exposure == 0 else f"target, {exposure:+g} stops",
        f"difference, 0 to {scale:.2g}",
    )
    errors = (before_error, after_error)
    return Comparison(beside(panels, captions, lettering), captions, exposure, scale, errors)


def encode_display(linear: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return sRGB numbers of linear light, clipped to [0, 1] (IEC 61966-2-1)."""
    return srgb_from_linear(np.clip(linear, 0, 1))


def beside(
    panels: Sequence[NDArray[np.float32]],
    captions: Sequence[str],
    lettering: Lettering | None = None,
) -> NDArray[np.float32]:
    """Put panels of one height into a row under their captions, small ones enlarged.

    Args:
        panels: sRGB numbers, shape ``(height, width, 3)`` each.
        captions: One each.
        lettering: Draws them; ``None``: OpenImageIO, and where it draws no text there are none.
    """
    lettering = lettering or own_lettering()
    height = panels[0].shape[0]
    times = max(math.ceil(SMALLEST_SIDE / min(height, panels[0].shape[1])), 1)
    letters = max(times * panels[0].shape[1] // 20, MIN_TEXT_HEIGHT)
    strip = 0 if lettering is None else letters + 2 * GAP
    columns = [np.ones((times * height + strip, GAP, 3), np.float32)]
    for panel, caption in zip(panels, captions, strict=True):
        large = panel.repeat(times, 0).repeat(times, 1)
        column = np.ones((len(large) + strip, large.shape[1], 3), np.float32)
        column[strip:] = large
        if lettering is not None:
            paint(column, _fitting_line(lettering, caption, letters, column.shape[1]), (0, GAP))
        columns += [column, columns[0]]
    return np.concatenate(columns[1:-1], axis=1)


def _fitting_line(lettering: Lettering, text: str, height: int, width: int) -> NDArray[np.float32]:
    """Return a line of text, smaller if it would be too wide."""
    line = lettering(text, height)
    if line.shape[1] > width:
        line = lettering(text, max(height * width // line.shape[1], 1))
    return line
