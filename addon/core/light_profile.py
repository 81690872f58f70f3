# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a light as factors of its light.

A sphere shines with them, and a camera at its centre takes a picture of all directions: what it
sees in one is what a light there sends back along it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.scene import Closure, Constant, LightProfile
from weft.scene.materials import walk
from weft.scene.values import Attribute, SlangCall

from .sky import draw_sky

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    import weft
    from weft.scene.materials import Surface
    from weft.scene.values import Value

    from .graph.compile import CompiledMaterial

WIDTH = 1024
ALIKE = 1e-4
"""Of its largest factor: a profile that varies by less is one colour."""


@dataclass(frozen=True)
class Factors:
    """Factors of a light's radiance by direction.

    Args:
        color: Linear RGB.
        profile: What differs with where light goes; ``None``: nothing.
        missing: What of the nodes is not followed; "": they are.
    """

    color: NDArray[np.float64]
    profile: LightProfile | None = None
    missing: str = ""


ONE = np.ones(3)


def light_factors(
    compiled: CompiledMaterial,
    axes: NDArray[np.float64],
    *,
    has_own_normal: bool,
    device: Callable[[], weft.Device],
) -> Factors:
    """Return what the nodes of a light multiply its light by.

    Args:
        compiled: Its graph, compiled for a light.
        axes: Of the light, unit rows in world space.
        has_own_normal: Its normal is that of its surface, as an area light's, not the direction
            that light takes.
        device: Returns the device that draws.
    """
    surface = compiled.material.surface
    if isinstance(surface, Closure) and surface.kind == "none":
        return Factors(np.zeros(3))
    power, smooth = next(iter(compiled.falloffs), (0.0, 0.0))
    if len(compiled.falloffs) > 1 or (compiled.falloffs and not _is_factor(surface)):
        return Factors(ONE, missing="a Light Falloff that is no plain factor is not supported")
    color = _constant(surface)
    if color is not None:
        flat = np.asarray(color, np.float32).reshape(1, 1, 3)
        return _flat_factors(color, flat, power, smooth)
    missing = _what_varies(compiled, has_own_normal)
    if missing:
        return Factors(ONE, missing=missing)
    image = draw_sky(compiled, device(), WIDTH, axes).image
    # A picture looks where light comes from.
    image = np.ascontiguousarray(np.roll(image[::-1], image.shape[1] // 2, axis=1))
    highest = image.max(axis=(0, 1)).astype(np.float64)
    if np.ptp(image, axis=(0, 1)).max() <= ALIKE * max(highest.max(), 1e-20):
        return _flat_factors(highest, image[:1, :1], power, smooth)
    return Factors(ONE, LightProfile(image, power, smooth))


def _flat_factors(
    color: NDArray[np.float64], pixel: NDArray[np.float32], power: float, smooth: float
) -> Factors:
    """Return the factors of a light that is alike in all directions."""
    if power > 0 or smooth > 0:
        return Factors(ONE, LightProfile(pixel, power, smooth))
    return Factors(color)


def _constant(surface: Surface) -> NDArray[np.float64] | None:
    """Return the light of an Emission of plain numbers; ``None``: it is something else."""
    if not isinstance(surface, Closure) or surface.kind != "emission":
        return None
    parts = [_number(surface.inputs.get(name, 1.0)) for name in ("color", "strength")]
    return None if parts[0] is None or parts[1] is None else ONE * parts[0] * parts[1]


def _number(value: object) -> NDArray[np.float64] | None:
    """Return what an input of a closure is, ``None`` if nodes drive it."""
    if isinstance(value, Constant):
        value = value.value
    if isinstance(value, SlangCall) and value.function == "lightFalloff":
        return _number(value.arguments["strength"])
    if isinstance(value, (int, float, tuple, list)):
        return np.asarray(value, np.float64)
    return None


def _is_factor(surface: Surface) -> bool:
    """Return whether a Light Falloff scales all light of an Emission."""
    if not isinstance(surface, Closure) or surface.kind != "emission":
        return False
    value: Value | str = surface.inputs.get("strength", 1.0)
    while isinstance(value, SlangCall) and value.function == "mathMultiply":
        parts = [part for part in value.arguments.values() if _has_falloff(part)]
        if len(parts) != 1:
            return False
        value = parts[0]
    return isinstance(value, SlangCall) and value.function == "lightFalloff"


def _has_falloff(value: Value) -> bool:
    return any(
        isinstance(part, SlangCall) and part.function == "lightFalloff" for part in walk(value)
    )


_DIRECTIONS = (Attribute.INCOMING,)
_NORMALS = (Attribute.NORMAL, Attribute.GEOMETRIC_NORMAL, Attribute.BACKFACING)


def _what_varies(compiled: CompiledMaterial, has_own_normal: bool) -> str:
    """Return why nodes cannot be drawn as factors by direction; "": they can."""
    used = {part for part in walk(compiled.material.surface) if isinstance(part, Attribute)}
    kinds = {request.kind for request in compiled.attributes}
    if used & set(_NORMALS) or "normal" in kinds:
        if has_own_normal:
            return "nodes that read the normal of an area light are not supported"
        used -= set(_NORMALS)
        kinds -= {"normal"}
    if used - set(_DIRECTIONS) or kinds:
        return "nodes that vary over a light, or with the place that it lights, are not supported"
    return ""
