# SPDX-License-Identifier: Apache-2.0
"""Strength and colour of lights, as parameters of a fit.

A picture is linear in its lights. Each light that a fit changes is therefore traced by itself; the
picture is the sum of the parts, each times the light's factor, and the derivative with respect to
the factor is the part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.fit.checks import is_number, require_bounds, require_name
from weft.render.bsdf_tables import bsdf_tables
from weft.render.upload import SceneTables
from weft.scene.light_changes import light_names, with_light_factors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.render.light_tree import LightSampling
    from weft.render.renderer import Renderer
    from weft.scene import Scene


@dataclass(frozen=True)
class LightParameter:
    """The unknown strength of a light: a factor on what the scene says.

    A material's emission may be a Parameter as well; then bounces alone find its light, which is
    noisier where the mesh is small.

    ``result.values["<light>.factor"]`` is the factor.

    Args:
        light: Name of a lamp, of the environment, or of a material that shines.
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
    def name(self) -> str:
        """Name in results."""
        return f"{self.light}.factor"

    @property
    def size(self) -> int:
        """Number of factors."""
        return 3 if self.color else 1


def build_parts(renderer: Renderer, lights: Sequence[LightParameter]) -> list[SceneTables]:
    """Return the scene lit by each of some lights alone, then by all others.

    Raises:
        ArgumentError: There is no such light, it is named twice, or it cannot be scaled.
    """
    if not lights:
        return [renderer.tables]
    scene = renderer.scene
    chosen = [entry.light for entry in lights]
    for name in chosen:
        if chosen.count(name) > 1:
            raise ArgumentError(f"Fit: light {name!r} is given twice; leave one out")
    dark = np.zeros(3)
    every = light_names(scene)
    tables = bsdf_tables(renderer.device)
    try:
        rest = with_light_factors(scene, dict.fromkeys(chosen, dark))
        lit = [
            with_light_factors(scene, {name: dark for name in every if name != one})
            for one in chosen
        ]
    except ArgumentError as error:
        raise ArgumentError(f"Fit: {error}") from None
    sampling: LightSampling = "tree" if renderer.tables.has_light_tree else "power"
    parts = [SceneTables(renderer.device, part, tables, sampling) for part in lit]
    others = SceneTables(renderer.device, rest, tables, sampling)
    return [*parts, others] if others.may_shine and len(every) > len(chosen) else parts


def scaled_scene(scene: Scene, values: Mapping[str, object], parameters: Sequence[object]) -> Scene:
    """Return a scene with the factors of lights that a fit has found."""
    factors = {
        entry.light: np.broadcast_to(np.asarray(values[entry.name], np.float64), (3,))
        for entry in parameters
        if isinstance(entry, LightParameter) and entry.name in values
    }
    return with_light_factors(scene, factors)
