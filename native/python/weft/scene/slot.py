# SPDX-License-Identifier: Apache-2.0
"""What is known of a parameter of a material."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.scene.closures import Scale
    from weft.scene.texture import Texture


@dataclass(frozen=True)
class Slot:
    """A place in a material's parameters.

    Args:
        name: ``"<input>"`` or ``"<input>.<parameter>"`` below the material.
        size: Number of floats.
        values: They.
        texture: The texture whose number stands here instead.
        bounds: Sensible range, from the closure's table.
        scale: On which fits take steps, from the closure's table if it is an input's own value.
        fit_low: Smallest value that fits try, likewise.
        is_separable: Red acts on red only, and so on: the input of a closure, with nothing in
            between.
        is_fixed: No derivative reaches it: it drives a normal.
        is_passing: It says what light passes straight.
        is_medium: It says what is inside of objects.
        is_walk: It says where light goes below the surface.
    """

    name: str
    size: int
    values: tuple[float, ...]
    texture: Texture | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    is_separable: bool = False
    is_fixed: bool = False
    is_passing: bool = False
    is_medium: bool = False
    is_walk: bool = False
    scale: Scale = "linear"
    fit_low: float | None = None
