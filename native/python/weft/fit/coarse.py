# SPDX-License-Identifier: Apache-2.0
"""Small pictures for the first iterations of a fit: values move at once, the right way.

A fit of the small pictures and the one of the whole pictures share a renderer, see Fit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.fit.exposure import Exposure
from weft.fit.lights import LightParameter
from weft.fit.parameters import Parameter
from weft.fit.target_files import resized
from weft.fit.texture_parameters import TextureParameter
from weft.fit.unknown_environment import environment_parameter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.given import AnyParameter
    from weft.fit.target import Target
    from weft.scene import Camera, Scene

COARSE_PIXELS = 8192  # of all pictures together
COARSE_ITERATIONS = 2
MAX_COARSE_SCALE = 0.5  # of the side: pictures that would hardly be smaller are used as they are


def coarse_targets(
    scene: Scene, targets: Sequence[Target], parameters: Sequence[object]
) -> list[Target] | None:
    """Return targets with about COARSE_PIXELS pixels in all, each with a camera of its size.

    Args:
        scene: With the cameras of the targets.
        targets: Pictures; they stay as they are.
        parameters: Of the fit.

    Returns:
        ``None`` if small pictures would gain nothing: they would hardly be smaller, one of them
        has no pixel that counts, textures alone are fitted, or the environment is not known,
        without which scalars say nothing.
    """
    are_textures = all(isinstance(entry, TextureParameter) for entry in parameters)
    if are_textures or environment_parameter(parameters) is not None:
        return None
    pixels = sum(target.image.shape[0] * target.image.shape[1] for target in targets)
    scale = float(np.sqrt(COARSE_PIXELS / pixels))
    if scale > MAX_COARSE_SCALE:
        return None
    try:
        return [_smaller(target, scene.camera(target.camera), scale) for target in targets]
    except ArgumentError:  # no pixel is left that counts
        return None


def _smaller(target: Target, camera: Camera, scale: float) -> Target:
    """Return a target whose pixels are means of several.

    Raises:
        ArgumentError: None of them counts.
    """
    height, width = target.image.shape[:2]
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    small = resized(target, size)
    # Pixels that are means of several are as wide as a box.
    own = replace(camera, width=size[0], height=size[1])
    return replace(small, camera=own, filter="box", filter_width=1.0)


def started_at(
    parameters: Sequence[AnyParameter], values: Mapping[str, NDArray[np.float64]]
) -> list[AnyParameter]:
    """Return parameters that begin where another fit of them has come to.

    Args:
        parameters: Of any kind; textures begin where they did.
        values: Of the scalar parameters, by name.
    """
    return [_started(entry, values) for entry in parameters]


def _started(entry: AnyParameter, values: Mapping[str, NDArray[np.float64]]) -> AnyParameter:
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
