# SPDX-License-Identifier: Apache-2.0
"""What is refused of the arguments of fits, in one sentence each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft._shown import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDING = 1e-4  # of weights that were means
MOST_NEGATIVE = 0.05  # of the light of a picture: noise about black, and colours beyond Rec.709


def is_number(value: object) -> bool:
    """Return whether a value is one finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def require_count(owner: str, name: str, value: object, least: int = 1) -> None:
    """Refuse what is no whole number from `least`.

    Raises:
        ArgumentError: It is something else.
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least:  # type: ignore[operator]
        raise ArgumentError(
            f"{owner}: {name} must be a whole number, at least {least}, got {shown(value)}"
        )


def require_number(
    owner: str, name: str, value: object, low: float = -math.inf, *, beyond: bool = False
) -> None:
    """Refuse what is no finite number from `low`, or `beyond` it.

    Raises:
        ArgumentError: It is something else.
    """
    if not is_number(value) or value < low or (beyond and value == low):  # type: ignore[operator]
        least = "" if low == -math.inf else f" {'above' if beyond else 'of at least'} {low:g}"
        raise ArgumentError(f"{owner}: {name} must be a finite number{least}, got {shown(value)}")


def require_name(owner: str, value: object) -> None:
    """Refuse what is no name.

    Raises:
        ArgumentError: It is no text, or an empty one.
    """
    if not isinstance(value, str) or not value:
        raise ArgumentError(f"{owner}: the name must be a text, got {shown(value)}")


def require_names(owner: str, what: str, value: object) -> None:
    """Refuse what is no list of names, one name by itself above all.

    Raises:
        ArgumentError: It is something else.
    """
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if not is_list or not all(isinstance(entry, str) for entry in value):  # type: ignore[attr-defined]
        raise ArgumentError(
            f"{owner}: {what} must be a list of names, got {shown(value)}; put one name in brackets"
        )


def require_bounds(owner: str, bounds: object, low: float = -math.inf) -> tuple[float, float]:
    """Return the two ends of a range.

    Args:
        owner: What messages call it.
        bounds: What was given.
        low: The range must lie above it.

    Raises:
        ArgumentError: They are no two finite numbers in rising order above `low`.
    """
    entries = tuple(bounds) if isinstance(bounds, (Sequence, np.ndarray)) else ()
    if len(entries) == 2 and all(map(is_number, entries)) and low < entries[0] < entries[1]:
        return float(entries[0]), float(entries[1])
    least = "" if low == -math.inf else f"{low:g} < "
    raise ArgumentError(
        f"{owner}: bounds must be (low, high), two finite numbers with {least}low < high, got "
        f"{shown(bounds)}"
    )


def image_of(owner: str, given: object, name: str = "image") -> NDArray[np.float32]:
    """Return a picture as numbers, shape ``(height, width, 3 or 4)``.

    Raises:
        ArgumentError: It is no array of such a shape, or one of integers.
    """
    try:
        image = np.asarray(given)
        if image.dtype.kind not in "fiub":
            raise TypeError(image.dtype.name)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"{owner}: {name} must be an array of numbers, got {type(given).__name__} ({error})"
        ) from None
    if image.ndim != 3 or image.shape[2] not in (3, 4) or image.size == 0:
        raise ArgumentError(
            f"{owner}: {name} must be (height, width, 3 or 4), got shape {image.shape}"
        )
    if image.dtype.kind != "f":
        raise ArgumentError(
            f"{owner}: {name} must be in floating point, got {image.dtype.name}, which holds "
            "pictures of a display; read the file with Target.from_file"
        )
    with np.errstate(over="ignore"):  # what becomes infinite is refused as such
        return image.astype(np.float32)


def mask_of(owner: str, given: object, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return weights of pixels.

    Raises:
        ArgumentError: The shape is another one, or the weights are not in [0, 1].
    """
    try:
        mask = np.asarray(given).astype(np.float32)
    except (TypeError, ValueError):
        raise ArgumentError(f"{owner}: mask must be an array, got {shown(given)}") from None
    if mask.shape != shape:
        raise ArgumentError(f"{owner}: mask must have shape {shape}, got {mask.shape}")
    is_weight = (mask >= 0) & (mask <= 1 + ROUNDING)
    if not is_weight.all():
        raise ArgumentError(
            f"{owner}: mask must hold weights in [0, 1], got {mask[~is_weight][0]:g}; divide by "
            "the largest"
        )
    return np.minimum(mask, 1)


def require_light(owner: str, image: NDArray[np.float32], counts: NDArray[np.bool_]) -> None:
    """Refuse a picture that is not finite, black or negative where it counts.

    Raises:
        ArgumentError: It is.
    """
    light = image[..., :3][counts]
    bad = ~np.isfinite(light).all(axis=1)
    if bad.any():
        row, column = np.argwhere(counts)[np.flatnonzero(bad)[0]]
        raise ArgumentError(
            f"{owner}: {int(bad.sum())} pixels are not finite, the first in row {row}, column "
            f"{column}; mask them out"
        )
    above = float(np.maximum(light, 0).sum(dtype=np.float64))
    below = float(-np.minimum(light, 0).sum(dtype=np.float64))
    if above + below == 0:
        raise ArgumentError(
            f"{owner}: every pixel that counts is black, which tells nothing; leave the picture "
            "out, or correct its exposure"
        )
    if below > MOST_NEGATIVE * above:
        raise ArgumentError(
            f"{owner}: {(light < 0).any(axis=1).mean():.0%} of the pixels that count are negative, "
            "and noise does not explain it; give linear light, subtract less black, or mask them "
            "out"
        )
