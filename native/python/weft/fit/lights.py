# SPDX-License-Identifier: Apache-2.0
"""Strength and colour of lights, as parameters of a fit.

The derivative of a picture with respect to a light's factor is its part of the light, see
lighting.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.fit.checks import is_number, require_bounds, require_name
from weft.scene.light_changes import light_names, with_light_factors
from weft.scene.parameter_ref import ParameterRef

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from weft.scene import Scene


@dataclass(frozen=True)
class LightParameter:
    """The unknown strength of a light: a factor on what the scene says.

    A material's emission may be a Parameter as well; then bounces alone find its light, which is
    noisier where the mesh is small.

    ``result.values["<light>.factor"]`` is the factor.

    Args:
        light: Name of a light, of the environment, or of a material that shines.
        color: One factor a channel instead of one for all.
        bounds: Smallest and largest factor.
        start: Where the fit begins.
    """

    light: str
    color: bool = False
    bounds: tuple[float, float] = (1 / 64, 64.0)
    start: float = 1.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        require_name("LightParameter", self.light)
        low, high = require_bounds(f"LightParameter '{self.light}'", self.bounds, 0.0)
        if not is_number(self.start) or not low <= self.start <= high:
            raise ArgumentError(
                f"LightParameter '{self.light}': start must lie within the bounds ({low:g}, "
                f"{high:g}), got {self.start!r}"
            )

    @property
    def name(self) -> ParameterRef:
        """Name in results."""
        return ParameterRef.of(self.light, "factor", kind="light")

    @property
    def size(self) -> int:
        """Number of factors: 3 for a color, linear Rec.709, else 1."""
        return 3 if self.color else 1


def scaled_scene(
    scene: Scene,
    values: Mapping[str, object],
    parameters: Sequence[object],
    elsewhere: Collection[str] = (),
) -> Scene:
    """Return a scene with the factors of lights that a fit has found.

    Args:
        scene: Which; it stays as it is.
        values: By name.
        parameters: Of the fit.
        elsewhere: Names of lights that the scene need not have: pictures have their own of them.
    """
    names = light_names(scene)
    factors = {
        entry.light: np.broadcast_to(np.asarray(values[entry.name], np.float64), (3,))
        for entry in parameters
        if isinstance(entry, LightParameter) and entry.name in values
        if entry.light in names or entry.light not in elsewhere
    }
    return with_light_factors(scene, factors)
