# SPDX-License-Identifier: Apache-2.0
"""Which materials shine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.scene.closures import CLOSURES
from weft.scene.materials import Add, Closure, Mix, as_mapping
from weft.scene.values import plain

if TYPE_CHECKING:
    from weft.scene.materials import Surface
    from weft.scene.values import Value


@dataclass(frozen=True)
class Emission:
    """Light that a surface gives off.

    Args:
        radiance: Linear RGB.
        both_sides: Not only the front shines.
        varies: The radiance is 1 here, and is evaluated where light comes from.
    """

    radiance: tuple[float, float, float]
    both_sides: bool
    varies: bool = False


def _number(value: Value) -> float | None:
    value = plain(value)
    return float(value) if isinstance(value, (int, float)) else None


def _color(value: Value) -> tuple[float, float, float] | None:
    value = plain(value)
    if isinstance(value, Sequence):
        return (float(value[0]), float(value[1]), float(value[2]))
    number = _number(value)
    return None if number is None else (number, number, number)


LAYERS = ("alpha", "coat_weight", "sheen_weight")
"""Inputs of what lies above the light of the Principled BSDF and dims it."""


def may_shine(surface: Surface) -> bool:
    """Return whether a surface may give off light that emitted_radiance() does not tell."""
    if isinstance(surface, Closure):
        if surface.kind == "principled":
            return "emission_strength" in surface.inputs and not _is_black(surface)
        return surface.kind == "emission" and not _is_black(surface)
    return may_shine(surface.first) or may_shine(surface.second)


def _is_black(surface: Closure) -> bool:
    values = as_mapping(surface)
    prefix = "" if surface.kind == "emission" else "emission_"
    color = _color(values[f"{prefix}color"])
    return _number(values[f"{prefix}strength"]) == 0 or (color is not None and max(color) <= 0)


def emitted_radiance(surface: Surface) -> Emission | None:
    """Return the light of a surface if it is the same everywhere, and not black."""
    if isinstance(surface, Closure):
        if not CLOSURES[surface.kind].emission:
            return None
        if any(name in surface.inputs for name in LAYERS):
            return None
        values = as_mapping(surface)
        name = "color" if surface.kind == "emission" else "emission_color"
        strength = _number(
            values["strength" if surface.kind == "emission" else "emission_strength"]
        )
        color = _color(values[name])
        if strength is None or color is None or strength * max(color) <= 0:
            return None
        both = surface.kind != "emission" or _number(values["both_sides"]) != 0
        return Emission((strength * color[0], strength * color[1], strength * color[2]), both)
    first, second = emitted_radiance(surface.first), emitted_radiance(surface.second)
    if isinstance(surface, Mix):
        factor = _number(surface.factor)
        if factor is None:
            return None
        weights = (1 - factor, factor)
    else:
        assert isinstance(surface, Add)
        weights = (1.0, 1.0)
    found = [
        (entry, w)
        for entry, w in ((first, weights[0]), (second, weights[1]))
        if entry is not None and w > 0
    ]
    if not found or len({entry.both_sides for entry, _ in found}) > 1:
        return None
    sums = [sum(entry.radiance[k] * w for entry, w in found) for k in range(3)]
    return Emission((sums[0], sums[1], sums[2]), found[0][0].both_sides)


def light_of(surface: Surface) -> Emission | None:
    """Return the light of a surface as it is sampled; ``None``: it gives off none."""
    same = emitted_radiance(surface)
    if same is not None or not may_shine(surface):
        return same
    return Emission((1.0, 1.0, 1.0), both_sides=True, varies=True)
