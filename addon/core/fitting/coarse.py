# SPDX-License-Identifier: GPL-3.0-or-later
"""The first draws of a fit on small pictures: values move at once, and in the right direction."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weft import ArgumentError
from weft.fit import Exposure, LightParameter, Parameter, TextureParameter
from weft.fit.target_files import resized

from .plan import FitPlan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.fit import Target

    from .plan import WeftParameter

COARSE_PIXELS = 8192  # of all pictures together
COARSE_DRAWS = 2
WORTH = 0.5  # of the side: pictures that would hardly be smaller are used as they are


def coarse_plan(plan: FitPlan) -> FitPlan | None:
    """Return the plan on small pictures; ``None`` if that would gain nothing."""
    # Numbers say nothing before the light is known.
    if plan.environment is not None or all(
        isinstance(entry, TextureParameter) for entry in plan.parameters
    ):
        return None
    pixels = sum(target.image.shape[0] * target.image.shape[1] for target in plan.targets)
    scale = float(np.sqrt(COARSE_PIXELS / pixels))
    if scale > WORTH:
        return None
    targets = [_smaller(target, scale) for target in plan.targets]
    if any(target is None for target in targets):
        return None
    small = [target for target in targets if target is not None]
    cameras = []
    for target in small:
        height, width = target.image.shape[:2]
        cameras.append(replace(plan.scene.camera(target.camera), width=width, height=height))
    # Two targets may share a camera, at one size.
    own = list({camera.name: camera for camera in cameras}.values())
    return replace(plan, scene=replace(plan.scene, cameras=own), targets=small)


def _smaller(target: Target, scale: float) -> Target | None:
    """Return a target whose pixels are means of several; ``None`` if none is left that counts."""
    height, width = target.image.shape[:2]
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    try:
        small = resized(target, size)
    except ArgumentError:
        return None
    # Pixels that are means of several are as wide as a box.
    return replace(small, filter="box", filter_width=1.0)


def started_at(
    parameters: list[WeftParameter], values: Mapping[str, NDArray[np.float64]]
) -> list[WeftParameter]:
    """Return parameters that begin where another fit of them has come to."""
    return [_started(entry, values) for entry in parameters]


def _started(entry: WeftParameter, values: Mapping[str, NDArray[np.float64]]) -> WeftParameter:
    if isinstance(entry, Parameter) and entry.name in values:
        found = np.atleast_1d(values[entry.name])
        return replace(entry, start=tuple(map(float, found)) if len(found) > 1 else float(found[0]))
    if isinstance(entry, LightParameter):
        found = values.get(entry.name, np.ones(1))
    elif isinstance(entry, Exposure) and entry.target is not None:
        found = values.get(f"{entry.target}.exposure", np.ones(1))
    else:
        return entry
    return replace(entry, start=float(np.clip(np.mean(found), *entry.bounds)))
