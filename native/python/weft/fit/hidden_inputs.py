# SPDX-License-Identifier: Apache-2.0
"""Inputs of closures that others switch off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.scene.changes import inputs_of
from weft.scene.closures import CLOSURES
from weft.scene.materials import Add, Closure, Mix, walk
from weft.scene.parameter_ref import owner_of, quoted, rest_of
from weft.scene.texture import Texture
from weft.scene.values import Constant, SlangCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.scene import Scene
    from weft.scene.materials import Surface
    from weft.scene.values import Value

LEVEL_TOLERANCE = 0.01


# Functions of shaders/weft/nodes/volume.slang whose result is in proportion to their `y`.
BY_DENSITY = ("volumeAbsorption", "volumeScattering", "principledAbsorption")


@dataclass(frozen=True)
class Place:
    """Where an input lies: in which closure, under which name, below which prefix."""

    closure: Closure
    name: str
    prefix: str


def find_place(surface: Surface, path: str, prefix: str) -> Place | None:
    """Return the place of an input of a surface; None: it belongs to no closure."""
    path = _place_of_constant(surface, path) or path
    first, _, rest = path.partition(".")
    if isinstance(surface, Closure):
        is_input = first in CLOSURES[surface.kind].inputs
        return Place(surface, first, prefix) if is_input else None
    if first in ("first", "second"):
        return find_place(getattr(surface, first), rest, f"{prefix}{first}.")
    return None


def _place_of_constant(surface: Surface, name: str) -> str | None:
    """Return the path of the input that a constant drives by itself; None: there is none."""
    if isinstance(surface, Closure):
        for key, value in surface.inputs.items():
            if isinstance(value, Constant) and value.name == name:
                return key
        return None
    for side in ("first", "second"):
        found = _place_of_constant(getattr(surface, side), name)
        if found is not None:
            return f"{side}.{found}"
    return None


VOLUME = "volume."
"""Begin of the paths of inputs of a medium."""


def _has_constant(value: Value | Surface, name: str) -> bool:
    return any(isinstance(entry, Constant) and entry.name == name for entry in walk(value))


def _find_closures(scene: Scene, name: str) -> tuple[Surface | None, str, str]:
    """Return the surface or the medium that an input is of, its prefix, and the path in it."""
    owner, path = owner_of(name), rest_of(name)
    material, head = next((m for m in scene.materials() if m.name == owner), None), quoted(owner)
    if material is None:
        return None, "", path
    volume = material.volume
    if volume is not None and path.startswith(VOLUME):
        return volume, f"{head}.{VOLUME}", path.removeprefix(VOLUME)
    if volume is not None and _has_constant(volume, path):
        if _place_of_constant(material.surface, path) is None:
            return volume, f"{head}.{VOLUME}", _place_of_constant(volume, path) or path
    return material.surface, f"{head}.", path


def has_own_value(scene: Scene, name: str) -> bool:
    """Return whether the scene gives an input a value; False: it has its default."""
    surface, prefix, path = _find_closures(scene, name)
    place = None if surface is None else find_place(surface, path, prefix)
    return place is None or place.name in place.closure.inputs


def find_hiding_input(
    scene: Scene, name: str, values: Mapping[str, NDArray[np.float64]]
) -> str | None:
    """Return in words which other input leaves one without effect; None: none does.

    Args:
        scene: That the input is in.
        name: ``"<material>.<input>"``.
        values: That a fit has found instead of those of the scene, by name.
    """
    surface, prefix, path = _find_closures(scene, name)
    if surface is None:
        return None
    thin = _hiding_density(surface, path, prefix, values)
    if thin is not None:
        return thin
    path = _place_of_constant(surface, path) or path
    known = _values_by_place(scene, surface, prefix, values)
    mixed = _hiding_mix(surface, prefix, path, known)
    place = find_place(surface, path, prefix)
    return mixed if mixed is not None or place is None else _hiding_levels(place, known)


def _hiding_levels(place: Place, known: Mapping[str, object]) -> str | None:
    """Return which levels of other inputs of its closure leave an input without effect."""
    for rule in CLOSURES[place.closure.kind].hiding:
        levels = {f"{place.prefix}{other}": level for other, level in rule.when.items()}
        if rule.hides(place.name) and all(
            _is_near(known.get(other), level) for other, level in levels.items()
        ):
            words = " and ".join(
                f"{other.partition('.')[2]} is {level:g}" for other, level in levels.items()
            )
            return f"it has no effect while {words}"
    return None


def _hiding_density(
    surface: Surface, path: str, prefix: str, values: Mapping[str, NDArray[np.float64]]
) -> str | None:
    """Return that the density of a medium's only function that an input reaches is 0."""
    if not isinstance(surface, Closure) or surface.kind != "medium":
        return None
    material = quoted(owner_of(prefix))
    reached = {key: value for key, value in surface.inputs.items() if _has_constant(value, path)}
    if "anisotropy" in reached or path == "anisotropy":
        reached = {"scattering": surface.inputs.get("scattering", 0.0)}
    words = None
    for value in reached.values():
        name = _name_of_absent_density(value, path, material, values)
        if name is None:
            return None
        words = f"it has no effect while {name} is 0"
    return words


def _name_of_absent_density(
    value: object, path: str, material: str, values: Mapping[str, NDArray[np.float64]]
) -> str | None:
    """Return what a density is called by which a function multiplies, and which is 0.

    None: the function has no density, it is not 0, or the input at `path` is the density.
    """
    if not isinstance(value, SlangCall) or value.function not in BY_DENSITY:
        return None
    density = value.arguments["y"]
    name = density.name if isinstance(density, Constant) else "the density"
    level = density.value if isinstance(density, Constant) else density
    is_own = isinstance(density, Constant) and density.name == path
    is_absent = not is_own and _is_near(values.get(f"{material}.{name}", level), 0)
    return name if is_absent else None


def _values_by_place(
    scene: Scene, surface: Surface, prefix: str, values: Mapping[str, NDArray[np.float64]]
) -> dict[str, object]:
    """Return the values of inputs by path, those that a fit has found among them."""
    known: dict[str, object] = dict(inputs_of(scene)) | dict(values)
    for name, value in values.items():
        is_own = owner_of(name) == owner_of(prefix)
        place = _place_of_constant(surface, rest_of(name)) if is_own else None
        if place is not None:
            known[f"{prefix}{place}"] = value
    return known


def _hiding_mix(
    surface: Surface, prefix: str, path: str, known: Mapping[str, object]
) -> str | None:
    """Return which Mix on the way to an input leaves out its side."""
    first, _, rest = path.partition(".")
    if first not in ("first", "second") or not isinstance(surface, (Mix, Add)):
        return None
    if isinstance(surface, Mix):
        level = 1.0 if first == "first" else 0.0
        place = f"{prefix}factor"
        if _is_near(known.get(place), level):
            return f"it has no effect while {rest_of(place)} is {level:g}"
    return _hiding_mix(getattr(surface, first), f"{prefix}{first}.", rest, known)


def _is_near(value: object, level: float) -> bool:
    """Return whether all of a value lies near a level; what a function makes is not known."""
    if isinstance(value, Texture):
        value = value.pixels[..., :3]
    if not isinstance(value, (int, float, list, tuple, np.ndarray)):
        return False
    return bool(np.all(np.abs(np.asarray(value, np.float64) - level) <= LEVEL_TOLERANCE))
