# SPDX-License-Identifier: Apache-2.0
"""Refraction without roughness: its direction is a constant of the derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.fit.hidden_inputs import find_place
from weft.scene.closures import CLOSURES
from weft.scene.parameter_ref import owner_of, quoted, rest_of
from weft.scene.texture import Texture
from weft.scene.values import Constant, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fit.parameters import Parameter
    from weft.scene import Closure, Scene

MIRROR = 0.0038  # roughness up to which facets are a mirror, see shaders/weft/bsdf/ggx.slang
REFRACTING = ("glass", "refraction", "principled")


def require_known_directions(scene: Scene, parameters: Sequence[Parameter]) -> None:
    """Refuse the index of refraction of smooth glass.

    A change of it moves what is seen through the glass, and no derivative says where to.

    Raises:
        ArgumentError: It is among the parameters.
    """
    names = [name for entry in parameters for name in (entry.name, *entry.tied)]
    materials = {material.name: material.surface for material in scene.materials()}
    for name in names:
        material, path = owner_of(name), rest_of(name)
        place = find_place(materials[material], path, f"{quoted(material)}.")
        if place is None or place.name != "ior" or place.closure.kind not in REFRACTING:
            continue
        if _is_clear(place.closure, place.prefix, names) and _is_smooth(
            place.closure, place.prefix, names
        ):
            raise ArgumentError(
                f"Fit: {name!r} bends the light of a surface without roughness, and the direction "
                f"has no derivative; give '{place.prefix}roughness' 0.02 or more, or leave it out"
            )


def _is_fitted(closure: Closure, prefix: str, name: str, fitted: Sequence[str]) -> bool:
    value = closure.inputs.get(name)
    own = f"{quoted(owner_of(prefix))}.{value.name}" if isinstance(value, Constant) else ""
    return f"{prefix}{name}" in fitted or own in fitted


def _smallest(closure: Closure, name: str) -> float:
    """Return the smallest value of an input; infinity where a function makes it."""
    value = plain(closure.inputs.get(name, CLOSURES[closure.kind].inputs[name].default))
    if isinstance(value, Texture):
        return float(value.pixels.min())
    return float(np.min(value)) if isinstance(value, (int, float)) else np.inf


def _is_smooth(closure: Closure, prefix: str, fitted: Sequence[str]) -> bool:
    if _is_fitted(closure, prefix, "roughness", fitted):
        return False
    return _smallest(closure, "roughness") <= MIRROR


def _is_clear(closure: Closure, prefix: str, fitted: Sequence[str]) -> bool:
    """Return whether light may be refracted."""
    if closure.kind != "principled":
        return True
    if _is_fitted(closure, prefix, "transmission_weight", fitted):
        return True
    value = plain(closure.inputs.get("transmission_weight", 0.0))
    return not isinstance(value, (int, float)) or value > 0
