# SPDX-License-Identifier: Apache-2.0
"""What is left of residuals: noise, which is each pixel's own, and misfit, which neighbours share.

Noise of draws is that of independent halves, so products of a residual of one half and a residual
of the other hold what both have: noise of the picture, and what the scene does not explain.
Products of neighbours hold the latter alone, whatever the noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft._native import box_blur

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.validation import Validation

SCALES = (1, 2, 4, 8)  # pixels: sides of squares whose means are compared with their neighbours'
LAG = 2  # pixels between neighbours at the finest scale: what filters of pictures hardly join
NORMAL = 1.4826  # standard deviations in a median absolute deviation of normal numbers
BINS = 8  # of brightness
FEW = 64  # pixels, that a bin of them must have
FAR_OFF = 6.0  # standard deviations of noise, or times what is usual: an outlier
LEFT_OUT = 0.1  # weight of a pixel that a robust loss leaves out
CROWDED = 0.3  # share of outliers around one that is not alone
CLIPPED = 3.0  # standard deviations
PASSES = 4  # of estimating noise without outliers
SMALL = 0.01  # of the light: two renderers differ by as much


@dataclass(frozen=True)
class Misfit:
    """What is left of the residuals of some pixels; all in units of the light around them.

    Args:
        power: Mean square of residuals without noise of draws: noise of the picture, and misfit.
        misfit: Mean product of neighbours: what the scene does not explain, squared.
        noise: Mean square of the picture's noise.
        certainty: Standard deviations by which neighbours are alike.
        outliers: Share of pixels that are far off alone, or that a robust loss leaves out.
        rounding: Mean square of what the steps of the file make.
        brightness: Picture over render.
        pixels: That were looked at.
        grain: Pixels over which noise of the picture is shared.
    """

    power: float
    misfit: float
    noise: float
    certainty: float
    outliers: float
    rounding: float
    brightness: float
    pixels: int
    grain: int = 1


def pooled(
    grid: NDArray[np.float32], counts: NDArray[np.bool_], side: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return means over squares, and which squares are half full.

    Args:
        grid: Shape ``(height, width, 3)``, 0 where nothing counts.
        counts: Which pixels count, shape ``(height, width)``.
        side: Of a square, pixels.
    """
    height, width = (-(-extent // side) * side for extent in counts.shape)
    room = ((0, height - counts.shape[0]), (0, width - counts.shape[1]))
    shape = (height // side, side, width // side, side)
    total = np.pad(counts, room).reshape(shape).sum(axis=(1, 3))
    sums = np.pad(grid, (*room, (0, 0))).reshape(*shape, 3).sum(axis=(1, 3), dtype=np.float64)
    return sums / np.maximum(total, 1)[..., None], 2 * total >= side * side


def neighbour_products(
    a: NDArray[np.floating], b: NDArray[np.floating], counts: NDArray[np.bool_], lag: int
) -> NDArray[np.float64]:
    """Return the mean products of channels of neighbours in different halves, one a pair."""
    out = []
    for axis in (0, 1):
        size = counts.shape[axis] - lag
        if size <= 0:
            continue
        first = tuple(slice(0, size) if i == axis else slice(None) for i in (0, 1))
        second = tuple(slice(lag, None) if i == axis else slice(None) for i in (0, 1))
        both = counts[first] & counts[second]
        products = a[first] * b[second] + b[first] * a[second]
        out.append(products[both].mean(axis=-1, dtype=np.float64) / 2)
    return np.concatenate(out) if out else np.zeros(0)


def shared(
    a: NDArray[np.float32], b: NDArray[np.float32], counts: NDArray[np.bool_], grain: int = 1
) -> tuple[float, float]:
    """Return the mean product of neighbours and how many standard deviations from 0 it is.

    Of the scale where it is most certain: misfit of large extent shows in means of squares, where
    noise is small.

    Args:
        a: Residuals of one half, shape ``(height, width, 3)``.
        b: Of the other.
        counts: Which pixels count.
        grain: Pixels over which noise of the picture is shared: 8 for JPEG.
    """
    best, lag = (0.0, 0.0), max(LAG, grain)
    for side in SCALES:
        (own, both), (other, _) = pooled(a, counts, side), pooled(b, counts, side)
        step = max(lag // side, 1)
        products = neighbour_products(own, other, both, step)
        if len(products) < 2:
            continue
        # A few pixels with large residuals make their own products uncertain, but not others'.
        clipped = neighbour_products(_clipped(own), _clipped(other), both, step)
        certainty = max(_certainty(products), _certainty(clipped))
        if certainty > best[1]:
            best = (float(products.mean()), certainty)
    return best


def _certainty(products: NDArray[np.float64]) -> float:
    """Return by how many standard deviations of their noise the sum of products is not 0."""
    return float(products.sum()) / max(float(np.sqrt(np.square(products).sum())), 1e-300)


def _clipped(grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return residuals of which none is much larger than most; zeros were not drawn."""
    sizes = np.abs(grid[grid != 0])
    most = CLIPPED * NORMAL * float(np.median(sizes)) if len(sizes) else 0.0
    return np.clip(grid, -most, most)


def high_pass(grid: NDArray[np.floating], counts: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the mask of Immerkaer (1996), which no plane and no straight edge along an axis moves.

    Noise keeps its standard deviation. Shape ``(height - 2, width - 2, 3)``; NaN beside pixels that
    do not count.
    """
    values = np.where(counts[..., None], grid, np.nan).astype(np.float64)
    rows = values[:-2] - 2 * values[1:-1] + values[2:]
    out: NDArray[np.float64] = (rows[:, :-2] - 2 * rows[:, 1:-1] + rows[:, 2:]) / 6
    return out


def picture_noise(
    fresh: Validation, counts: NDArray[np.bool_] | None = None
) -> NDArray[np.float32]:
    """Return the variance of a picture's noise, in units of the light around.

    Robust, in bins of brightness (Foi et al. 2008): the smaller one of what the picture and what
    its residuals vary from pixel to pixel, for either may hold structure of the scene. No less
    than what the file's rounding makes.

    Args:
        fresh: Of the picture.
        counts: Pixels that tell it; ``None``: all that were drawn.

    Returns:
        Shape ``(height, width)``, the mean of the channels.
    """
    counts = fresh.counts if counts is None else counts
    own = high_pass(fresh.target.image * fresh.weights, counts)
    left = high_pass((fresh.a + fresh.b) / 2, counts)
    drawn = high_pass((fresh.a - fresh.b) / 2, counts)
    light = box_blur(fresh.target.image).mean(axis=2)
    inner = light[1:-1, 1:-1]
    known = np.asarray(np.isfinite(own).all(axis=2))
    out = np.zeros(counts.shape, np.float32)
    if not known.any():
        return rounding_variance(fresh)
    edges = np.quantile(inner[known], np.linspace(0, 1, _bins(known) + 1)[1:-1])
    place, everywhere = np.searchsorted(edges, inner), np.searchsorted(edges, light)
    for number in range(len(edges) + 1):
        chosen = known & (place == number)
        if not chosen.any():
            continue
        of_residuals = _variance(left[chosen]) - _variance(drawn[chosen])
        out[everywhere == number] = max(min(of_residuals, _variance(own[chosen])), 0.0)
    return np.maximum(out, rounding_variance(fresh))


def rounding_variance(fresh: Validation) -> NDArray[np.float32]:
    """Return the variance by the steps of a file, in the same units and of the same shape."""
    rounding = fresh.target.rounding
    if rounding is None:
        return np.zeros(fresh.counts.shape, np.float32)
    return np.asarray(np.square(rounding * fresh.weights).mean(axis=2), np.float32)


def _bins(known: NDArray[np.bool_]) -> int:
    return int(np.clip(known.sum() // FEW, 1, BINS))


def _variance(values: NDArray[np.float64]) -> float:
    """Return a robust variance around 0, the mean of the channels'."""
    deviations = NORMAL * np.median(np.abs(values), axis=0)
    return float(np.mean(np.square(deviations)))


def deviations(fresh: Validation) -> NDArray[np.float64]:
    """Return how far residuals are from 0, in standard deviations of noise.

    Noise of the picture, of its file and of the draws; and what two renderers may differ by. Pixels
    that are far off say nothing of noise: it is estimated without them, again and again.

    Returns:
        Shape ``(height, width)``, root mean squares of the channels.
    """
    mean = np.sqrt(np.square((fresh.a + fresh.b) / 2).mean(axis=2))
    drawn = drawn_variance(fresh)
    kept = fresh.counts
    for _ in range(PASSES):
        noise = picture_noise(fresh, kept)
        far = mean / np.sqrt(noise + drawn + SMALL**2)
        scale = max(float(np.median(far[kept])), 1.0) if kept.any() else 1.0
        found = fresh.counts & (far < FAR_OFF * scale)
        if not found.any() or (found == kept).all():
            break
        kept = found
    return np.asarray(far, np.float64)


def drawn_variance(fresh: Validation) -> NDArray[np.float32]:
    """Return the variance of the noise of draws, pooled over squares, shape ``(height, width)``."""
    counts = fresh.counts
    squares = np.where(counts, np.square((fresh.a - fresh.b) / 2).mean(axis=2), 0)
    layers = np.stack([squares, counts.astype(np.float32)], axis=2).astype(np.float32)
    sums, share = np.moveaxis(box_blur(layers, 3), 2, 0)
    return np.asarray(np.maximum(sums, 0) / np.maximum(share, 1e-6), np.float32)


def find_outliers(fresh: Validation, far: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which pixels are far off alone: most around them are not."""
    counts = fresh.counts
    usual = max(float(np.median(far[counts])), 1.0) if counts.any() else 1.0
    off = counts & (far > FAR_OFF * usual)
    around = box_blur(off[..., None].astype(np.float32))[..., 0]
    return np.asarray(off & (around < CROWDED))


def measure(fresh: Validation) -> Misfit:
    """Return what is left of the residuals of a view."""
    counts = fresh.counts
    far = deviations(fresh)
    outliers = find_outliers(fresh, far)
    kept = counts & ~outliers & (fresh.used > LEFT_OUT)
    kept = kept if kept.any() else counts
    noise = picture_noise(fresh, kept)
    a, b = _masked(fresh.a, kept), _masked(fresh.b, kept)
    value, certainty = shared(a, b, kept, fresh.target.grain)
    products = (fresh.a * fresh.b).mean(axis=2)
    light = fresh.target.image * fresh.weights
    first, second = (
        light + fresh.a,
        light + fresh.b,
    )  # renders, whose noise has no mean product
    seen = float((first * second)[kept].sum())
    same = float((light * (first + second))[kept].sum()) / 2
    brightness = same / seen if seen > 0 else float("inf")
    return Misfit(
        float(products[kept].mean()),
        value,
        float(noise[kept].mean()),
        certainty,
        float((counts & ~kept).sum() / max(counts.sum(), 1)),
        float(rounding_variance(fresh)[kept].mean()),
        brightness,
        int(counts.sum()),
        fresh.target.grain,
    )


def _masked(grid: NDArray[np.float32], counts: NDArray[np.bool_]) -> NDArray[np.float32]:
    return np.where(counts[..., None], grid, np.float32(0))
