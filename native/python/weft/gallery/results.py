# SPDX-License-Identifier: Apache-2.0
"""Which result of a function is drawn, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.gallery.shading import grey, isolines, relief

if TYPE_CHECKING:
    from weft.gallery.shading import Array

VALUES = ("value", "mask", "wear", "light", "wave", "all")
"""Fields that say most of what a function without colour is for."""


def vector_of(found: dict[str, Array], names: tuple[str, ...] = ("color", "")) -> Array | None:
    """Return the colour (N, 3) of a result, ``None`` if it has none."""
    for name in names:
        if name in found and found[name].ndim == 2 and found[name].shape[1] == 3:
            return found[name]
    return None


def colour_of(found: dict[str, Array]) -> Array | None:
    """Return the colour of a result; without one its first field of three numbers that is light."""
    names = ("color", "transmittance", "glow", "emission", "base_color", "")
    return vector_of(found, names)


def number_of(found: dict[str, Array]) -> Array:
    """Return the number (N,) that is drawn of a result without colour."""
    for name in (*VALUES, "", *found):
        if name in found and found[name].ndim == 1:
            return found[name]
    first = next(iter(found.values()))
    lengths: Array = np.linalg.norm(first, axis=-1)
    return lengths


def picture_of(found: dict[str, Array], shape: tuple[int, int], extent: float) -> Array:
    """Draw results at the samples of a plane, `shape` of them, as wide as `extent`."""

    def grid(name: str) -> Array | None:
        return found[name].reshape(*shape, -1).squeeze(-1) if _is_number(found, name) else None

    value, height, distance = grid("value"), grid("height"), grid("distance")
    colour = colour_of(found)
    if value is not None and next(iter(found)) == "value":
        return grey(value)
    if colour is not None:
        light = 1.0 if height is None else relief(height)[..., None]
        return colour.reshape(*shape, 3) * light
    if height is not None:
        return 0.55 * np.repeat(relief(height)[..., None], 3, -1) * (0.35 + 0.65 * grey(height))
    if any(_is_number(found, name) for name in VALUES):
        return grey(number_of(found).reshape(shape))
    if distance is not None:
        return isolines(distance, extent / shape[1], extent / 24)
    for name in ("position", "coordinate"):
        if name in found and found[name].ndim == 2:
            return _rings(found, name, shape, extent)
    return grey(number_of(found).reshape(shape))


def _is_number(found: dict[str, Array], name: str) -> bool:
    return name in found and found[name].ndim == 1


def _rings(found: dict[str, Array], name: str, shape: tuple[int, int], extent: float) -> Array:
    """Draw a place that a function gives by the distances of a disc there."""
    place = found[name]
    distance = (np.linalg.norm(place[:, :2], axis=-1) - extent / 12).reshape(shape)
    rings = isolines(distance, extent / shape[1], extent / 40)
    random = found.get("random")
    if random is None:
        return rings
    return rings * (0.35 + 0.65 * random.reshape(shape))[..., None]
