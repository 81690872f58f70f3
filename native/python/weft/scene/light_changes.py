# SPDX-License-Identifier: Apache-2.0
"""Scenes whose lights are brighter, dimmer or of another colour."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.scene.changes import with_inputs
from weft.scene.lights import SunLight
from weft.scene.materials import Closure, as_mapping
from weft.scene.parameter_ref import quoted
from weft.scene.values import plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.scene.lights import Environment, Light
    from weft.scene.materials import Material, Surface
    from weft.scene.scene import Scene
    from weft.scene.values import Value

    Factor = NDArray[np.float64]  # shape (3,)

EMISSIONS = (("color", "strength"), ("emission_color", "emission_strength"))


def _emissions(prefix: str, surface: Surface) -> dict[str, Value]:
    """Return colours and strengths of what a surface gives off, by the names of the inputs."""
    if not isinstance(surface, Closure):
        first = _emissions(f"{prefix}first.", surface.first)
        return first | _emissions(f"{prefix}second.", surface.second)
    color, strength = EMISSIONS[surface.kind != "emission"]
    inputs = {name: plain(value) for name, value in as_mapping(surface).items()}
    if strength not in inputs or inputs[strength] == 0:
        return {}
    return {f"{prefix}{color}": inputs[color], f"{prefix}{strength}": inputs[strength]}


def emissions_of(material: Material) -> dict[str, Value]:
    """Return colours and strengths of what a material gives off, by the names of parameters."""
    return _emissions(f"{quoted(material.name)}.", material.surface)


def light_names(scene: Scene) -> list[str]:
    """Return the names of all that emits: lights, the environment, and emissive materials."""
    names = [light.name for light in scene.lights]
    if scene.environment is not None:
        names.append(scene.environment.name)
    return names + [entry.name for entry in scene.materials() if emissions_of(entry)]


def _scaled_emission(material: Material, factor: Factor) -> dict[str, Value]:
    """Return other inputs for an emissive material by a factor."""
    changed: dict[str, Value] = {}
    emissions = list(emissions_of(material).items())
    for (color_name, color), (strength_name, strength) in zip(
        emissions[::2], emissions[1::2], strict=True
    ):
        is_grey = bool(np.ptp(factor) == 0)
        if is_grey and isinstance(strength, (int, float)):
            changed[strength_name] = float(strength) * float(factor[0])
        elif isinstance(color, Sequence):
            changed[color_name] = [float(c * f) for c, f in zip(color, factor, strict=False)]
        else:
            wanted = "strength" if is_grey else "colour"
            raise ArgumentError(
                f"the light of material '{material.name}' cannot be scaled: its {wanted} is no "
                f"constant; give '{strength_name if is_grey else color_name}' a value"
            )
    return changed


def _scaled_light(light: Light, factor: Factor) -> Light:
    if np.ptp(factor) != 0:
        return replace(
            light, color=[float(c * f) for c, f in zip(light.color, factor, strict=True)]
        )
    if isinstance(light, SunLight):
        return replace(light, strength=light.strength * float(factor[0]))
    return replace(light, power=light.power * float(factor[0]))


def _scaled_environment(environment: Environment, factor: Factor) -> Environment:
    strength = np.broadcast_to(np.asarray(environment.strength, np.float64), (3,)) * factor
    value = float(strength[0]) if np.ptp(strength) == 0 else [float(entry) for entry in strength]
    return replace(environment, strength=value)


def with_light_factors(scene: Scene, factors: Mapping[str, Factor]) -> Scene:
    """Return a scene whose lights are scaled; the one given stays as it is.

    Args:
        scene: Which.
        factors: By the name of a light, of the environment, or of an emissive material: linear
            RGB, shape ``(3,)``.

    Raises:
        ArgumentError: There is no such light, several have the name, or the light of a material is
            not the same everywhere.
    """
    _require_single(light_names(scene), factors)
    given = {name: np.asarray(factor, np.float64) for name, factor in factors.items()}
    inputs: dict[str, Value] = {}
    for material in scene.materials():
        if material.name in given and emissions_of(material):
            inputs |= _scaled_emission(material, given[material.name])
    lights = [
        _scaled_light(light, given[light.name]) if light.name in given else light
        for light in scene.lights
    ]
    environment = scene.environment
    if environment is not None and environment.name in given:
        environment = _scaled_environment(environment, given[environment.name])
    return replace(with_inputs(scene, inputs), lights=lights, environment=environment)


def _require_single(names: Sequence[str], wanted: Iterable[str]) -> None:
    """Refuse a name that is not that of one light."""
    for name in wanted:
        if names.count(name) != 1:
            found = "no light" if name not in names else f"{names.count(name)} lights"
            raise ArgumentError(
                f"{found} of the scene {'is' if name not in names else 'are'} called {name!r}; "
                f"there are {', '.join(map(repr, names)) or 'none'}"
            )
