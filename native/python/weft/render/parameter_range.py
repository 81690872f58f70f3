# SPDX-License-Identifier: Apache-2.0
"""Where named parameters lie among all of a scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.scene.closures import Scale


@dataclass
class ParameterRange:
    """Where a named parameter lies among all.

    Args:
        first: First float.
        size: Number of floats.
        bounds: Sensible range.
        is_separable: Red acts on red only, and so on.
        is_fixed: No derivative reaches it: it drives a normal.
        drives_transparency: It drives the surface's transparency.
        is_medium: It says what is inside of objects.
        is_walk: It says where light goes below the surface.
        scale: On which fits take steps unless they are told another.
        fit_low: Smallest value that fits try unless they are told another; ``None``: the bound.
    """

    first: int
    size: int
    bounds: tuple[float, float]
    is_separable: bool
    is_fixed: bool = False
    drives_transparency: bool = False
    is_medium: bool = False
    is_walk: bool = False
    scale: Scale = "linear"
    fit_low: float | None = None
