# SPDX-License-Identifier: Apache-2.0
"""Targets from pictures of display values; see Target.from_display()."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError
from weft.fit.checks import image_of, mask_of
from weft.fit.rounding import deviation_by_display, is_rounded
from weft.fit.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.display import DisplayTransform


def display_target(
    values: NDArray[np.float32],
    display: DisplayTransform,
    mask: NDArray[np.float32] | None,
    *,
    name: str,
    **options: Any,  # noqa: ANN401  (of Target)
) -> Target:
    """Return the target that a picture of display values is, see Target.from_display().

    Raises:
        ArgumentError: The shapes do not fit, or no pixel is left.
    """
    picture = image_of(f"Target '{name}'", values, "values")
    light, counts = display.invert(np.nan_to_num(picture[..., :3]))
    counts &= display.is_invertible(picture[..., :3])
    if mask is None and picture.shape[2] == 4:
        mask = (picture[..., 3] >= 0.999).astype(np.float32)
    weights = counts.astype(np.float32)
    if mask is not None:
        own = mask_of(f"Target '{name}'", mask, counts.shape)
        if not own.any():
            raise ArgumentError(f"Target '{name}': the mask leaves no pixel; widen it")
        weights *= own
    if not weights.any():
        raise ArgumentError(
            f"Target '{name}': every pixel that counts is black or white, or a value that the "
            "display never shows; give a picture of another exposure, or its own display"
        )
    rounded = is_rounded(np.clip(np.nan_to_num(picture[..., :3]), 0, 1))
    return Target(
        light,
        mask=weights,
        name=name,
        display=display,
        rounding=deviation_by_display(light, display) if rounded else None,
        **options,
    )
