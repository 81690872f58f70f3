# SPDX-License-Identifier: Apache-2.0
"""Scenes with other values at named inputs of their materials.

Names are those of parameters: ``"<material>.<input>"``, with ``first.`` and ``second.`` on the way
through Mix and Add, and ``.<parameter>`` below an input that a Slang function drives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.scene.materials import Add, Closure, Material, Mix, as_mapping
from weft.scene.parameter_ref import ParameterRef, find_name, names_near, quoted
from weft.scene.texture import Texture
from weft.scene.values import Constant, SlangCall, plain

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import ArrayLike, NDArray

    from weft.scene.materials import Surface
    from weft.scene.scene import Scene
    from weft.scene.values import Value


@dataclass
class _Rebuilder:
    """Copies materials with other values; what does not change stays the same object."""

    inputs: Mapping[str, Value]
    images: Mapping[int, Texture]  # by id of the texture that each replaces
    owner: str = ""  # the material at hand, as names have it
    reached: dict[str, Value] = field(default_factory=dict)
    calls: dict[tuple[str, int], SlangCall] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)

    def value(self, name: str, value: Value) -> Value:
        self.reached[name] = plain(value)
        if isinstance(value, Constant):
            return self.constant(name, value)
        if name in self.inputs:
            return self.inputs[name]
        if isinstance(value, Texture):
            return self.texture(name, value)
        if isinstance(value, SlangCall):
            # Of one object, all uses are one function; its parameters go by the first.
            key = (self.owner, id(value))
            if key not in self.calls:
                self.calls[key] = self.call(name, value)
            return self.calls[key]
        return value

    def constant(self, place: str, value: Constant) -> Value:
        """Return what stands for a constant, which has a name and is found by its place as well."""
        name = f"{self.owner}.{value.name}"
        self.reached[name] = value.value
        given = self.inputs.get(place, self.inputs.get(name, value))
        if isinstance(given, (int, float, Sequence)):
            if name not in self.constants:
                self.constants[name] = replace(value, value=given)
            return self.constants[name]
        return given

    def call(self, name: str, value: SlangCall) -> SlangCall:
        arguments = {
            key: self.value(f"{name}.{key}", entry) for key, entry in value.arguments.items()
        }
        same = all(arguments[key] is entry for key, entry in value.arguments.items())
        return value if same else replace(value, arguments=arguments)

    def texture(self, name: str, texture: Texture) -> Texture:
        uv = None if texture.uv is None else self.value(f"{name}.uv", texture.uv)
        image = self.images.get(id(texture), texture)
        if uv is not texture.uv:
            return replace(image, uv=uv)
        return image

    def closure(self, prefix: str, closure: Closure) -> Closure:
        before = as_mapping(closure)
        after = {key: self.value(f"{prefix}{key}", entry) for key, entry in before.items()}
        changed = {key: entry for key, entry in after.items() if entry is not before[key]}
        given = closure.inputs | changed | closure.options
        return Closure(closure.kind, **given) if changed else closure

    def surface(self, prefix: str, surface: Surface) -> Surface:
        if isinstance(surface, Closure):
            return self.closure(prefix, surface)
        first = self.surface(f"{prefix}first.", surface.first)
        second = self.surface(f"{prefix}second.", surface.second)
        if isinstance(surface, Add):
            same = first is surface.first and second is surface.second
            return surface if same else Add(first, second)
        factor = self.value(f"{prefix}factor", surface.factor)
        same = first is surface.first and second is surface.second and factor is surface.factor
        return surface if same else Mix(first, second, factor)

    def material(self, material: Material) -> Material:
        self.owner = quoted(material.name)
        surface = self.surface(f"{self.owner}.", material.surface)
        volume = material.volume
        if volume is not None:
            volume = self.surface(f"{self.owner}.volume.", volume)
        if surface is material.surface and volume is material.volume:
            return material
        return replace(material, surface=surface, volume=volume)


def inputs_of(scene: Scene) -> dict[ParameterRef, Value]:
    """Return the values of all inputs by name, defaults included."""
    rebuilder = _Rebuilder({}, {})
    for material in scene.materials():
        rebuilder.material(material)
    return {ParameterRef(name): value for name, value in rebuilder.reached.items()}


def names_of_inputs(material: Material, keys: Collection[str]) -> set[str]:
    """Return the names of some inputs of a material's closures, and of all that drives them.

    Args:
        material: Which.
        keys: Such as ``base_color``.
    """
    rebuilder = _Rebuilder({}, {})

    def visit(prefix: str, surface: Surface) -> None:
        if not isinstance(surface, Closure):
            visit(f"{prefix}first.", surface.first)
            visit(f"{prefix}second.", surface.second)
            return
        for key, value in as_mapping(surface).items():
            if key in keys:
                rebuilder.value(f"{prefix}{key}", value)

    rebuilder.owner = quoted(material.name)
    visit(f"{rebuilder.owner}.", material.surface)
    return set(rebuilder.reached)


def plain_value(value: ArrayLike) -> float | list[float]:
    """Return a number, or a list of them, for one input."""
    numbers = [float(entry) for entry in np.asarray(value, np.float64).ravel()]
    return numbers[0] if len(numbers) == 1 else numbers


def with_inputs(scene: Scene, inputs: Mapping[str, Value]) -> Scene:
    """Return a scene whose materials have other values; the one given stays as it is.

    Args:
        scene: Which.
        inputs: Numbers, colours, textures or functions by name. An input that had its default may
            make another program of the material.

    Raises:
        ArgumentError: There is no such input, or a value has another number of components.
    """
    known = inputs_of(scene)
    given: dict[str, Value] = {}
    for name, value in inputs.items():
        found = find_name(name, known)
        if found is None:
            raise ArgumentError(
                f"with_inputs: the scene has no input {name!r}; there are {names_near(name, known)}"
            )
        given[found] = value
    return _rebuilt(scene, _Rebuilder(given, {}))


def with_images(scene: Scene, images: Mapping[str, NDArray[np.float32]]) -> Scene:
    """Return a scene whose textures have other pixels, wherever each is used.

    Args:
        scene: Which.
        images: Pixels by the name of an input that the texture drives, shape
            ``(height, width, channels)``, the top row first.

    Raises:
        ArgumentError: No texture drives an input.
    """
    known = inputs_of(scene)
    replaced: dict[int, Texture] = {}
    for name, pixels in images.items():
        found = find_name(name, known)
        texture = None if found is None else known[found]
        if not isinstance(texture, Texture):
            driven = [entry for entry, value in known.items() if isinstance(value, Texture)]
            raise ArgumentError(
                f"with_images: no texture drives {name!r}; textures drive "
                f"{', '.join(driven) or 'no input of this scene'}"
            )
        replaced[id(texture)] = replace(texture, pixels=pixels)
    return _rebuilt(scene, _Rebuilder({}, replaced))


def _rebuilt(scene: Scene, rebuilder: _Rebuilder) -> Scene:
    materials = {id(entry): rebuilder.material(entry) for entry in scene.materials()}
    objects = []
    for entry in scene.objects:
        own = [materials[id(material)] for material in entry.materials]
        same = all(new is old for new, old in zip(own, entry.materials, strict=True))
        objects.append(entry if same else replace(entry, materials=own))
    return replace(scene, objects=objects)
