# SPDX-License-Identifier: Apache-2.0
"""Materials: trees of closures whose inputs are numbers, textures or Slang functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weft._native import ArgumentError
from weft.scene.closures import CLOSURES
from weft.scene.texture import Texture
from weft.scene.values import (
    Attribute,
    Bump,
    ColorAttribute,
    Constant,
    NormalMap,
    SlangCall,
    UVSet,
    UVTangent,
    size_of,
)

if TYPE_CHECKING:
    from weft.scene.values import Value


@dataclass(eq=False)
class Closure:
    """One way in which a surface treats light: ``Closure("diffuse", color=(0.8, 0.2, 0.1))``.

    Args:
        kind: One of ``weft.scene.CLOSURES``, which lists the inputs of each with their defaults.
        inputs: Values by the names of the inputs; others keep their defaults.
        options: Choices by name, taken from the same keywords: ``distribution="ggx"``. Others keep
            the first value that ``weft.scene.CLOSURES`` lists.

    Raises:
        ArgumentError: There is no such closure, input or choice, or a value has another number of
            components.
    """

    kind: str
    inputs: dict[str, Value] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)

    def __init__(self, kind: str, **inputs: Value | str) -> None:
        """Check the names and the sizes."""
        if kind not in CLOSURES:
            raise ArgumentError(f"Closure: {kind!r} is not one of {', '.join(CLOSURES)}")
        self.kind = kind
        self.options = {
            name: _checked_option(kind, name, value)
            for name, value in inputs.items()
            if name in CLOSURES[kind].options
        }
        self.inputs = {
            name: _checked_input(kind, name, value)
            for name, value in inputs.items()
            if name not in self.options
        }


def _checked_option(kind: str, name: str, value: object) -> str:
    """Return a choice that the closure has."""
    values = CLOSURES[kind].options[name]
    if value not in values:
        raise ArgumentError(
            f"Closure '{kind}': option '{name}' is one of {', '.join(map(repr, values))}, got "
            f"{value!r}"
        )
    return str(value)


def _checked_input(kind: str, name: str, value: Value | str) -> Value:
    """Return a value that fits the input."""
    spec = CLOSURES[kind].inputs
    normals = (*CLOSURES[kind].normals, *CLOSURES[kind].tangents)
    if name not in spec and name not in normals:
        raise ArgumentError(
            f"Closure '{kind}': there is no input {name!r}; it has "
            f"{', '.join([*spec, *normals, *CLOSURES[kind].options])}"
        )
    if isinstance(value, str):
        raise ArgumentError(
            f"Closure '{kind}': input '{name}' takes numbers, a texture or a function, got "
            f"{value!r}"
        )
    wanted = 3 if name in normals or isinstance(spec[name].default, tuple) else 1
    if name in normals and size_of(value) != 3:
        raise ArgumentError(
            f"Closure '{kind}': input '{name}' takes a vector of 3 numbers, got "
            f"{size_of(value)}; a texture of normals goes through NormalMap"
        )
    if size_of(value) not in {wanted, 4 if wanted == 3 else wanted, 1}:
        raise ArgumentError(
            f"Closure '{kind}': input '{name}' takes {wanted} numbers, got {size_of(value)}"
        )
    return value


@dataclass(eq=False)
class Mix:
    """Part one surface, part another.

    Args:
        first: Weight 1 - `factor`.
        second: Weight `factor`.
        factor: In [0, 1].
    """

    first: Surface
    second: Surface
    factor: Value = 0.5


@dataclass(eq=False)
class Add:
    """The light of two surfaces together; it may exceed what arrives."""

    first: Surface
    second: Surface


Surface = Closure | Mix | Add


@dataclass(eq=False)
class Material:
    """A named surface.

    Args:
        name: Parameters are called ``"<name>.<input>"``; unique in a scene. Names with dots stand
            between quotes there, see ``ParameterRef``.
        surface: What it does with light.
        transparent_shadows: Rays towards lights pass the surface as paths do. If false its shadow
            is that of an opaque one, though paths pass: Blender's setting *Transparent Shadows*.
        volume: What is inside of objects, which are closed meshes: closures ``medium`` (1/m and
            W/(m^3 sr)) and ``emission`` (its radiance a metre), mixed and added; others do nothing.
            The same everywhere: no texture and nothing of the surface drives it. ``None``: nothing.

    Raises:
        ArgumentError: The name is empty, or something of the surface drives the volume.
    """

    name: str
    surface: Surface
    transparent_shadows: bool = True
    volume: Surface | None = None

    def __post_init__(self) -> None:
        """Refuse what has no name, and media that vary."""
        if not self.name:
            raise ArgumentError("Material: a name is needed, got ''")
        if self.volume is not None and varies(self.volume):
            raise ArgumentError(
                f"Material '{self.name}': the volume must be the same everywhere, a texture or "
                "something of the surface drives it; use numbers, or functions of numbers"
            )


def principled(name: str, **inputs: Value | str) -> Material:
    """Return a material with Blender's Principled BSDF.

    Args:
        name: Of the material.
        inputs: As Blender's node has them, in snake case: ``base_color``, ``roughness``,
            ``metallic``, ``ior``, ...;
            ``weft.scene.CLOSURES["principled"]`` lists them with their defaults, and the options:
            ``distribution`` is ``"multi_ggx"`` or ``"ggx"``.
    """
    return Material(name, Closure("principled", **inputs))


def varies(volume: Surface) -> bool:
    """Return whether a volume is not the same everywhere."""
    kinds = (Texture, NormalMap, Bump, Attribute, UVSet, UVTangent, ColorAttribute)
    return any(isinstance(entry, kinds) for entry in walk(volume))


def parts_of_material(material: Material) -> list[Surface]:
    """Return the surface of a material, and its volume if it has one."""
    return [material.surface] + ([] if material.volume is None else [material.volume])


def textures_of(value: Value | Surface) -> list[Texture]:
    """Return the textures of a value or a surface, in a fixed order."""
    return [entry for entry in walk(value) if isinstance(entry, Texture)]


def constants_of(value: Value | Surface) -> list[Constant]:
    """Return the constants of a value or a surface, in a fixed order."""
    return [entry for entry in walk(value) if isinstance(entry, Constant)]


def walk(value: Value | Surface) -> Iterator[Value | Surface]:
    """Yield a value or a surface and all that is in it, functions once."""
    seen: set[int] = set()
    stack: list[Value | Surface] = [value]
    while stack:
        entry = stack.pop()
        if isinstance(entry, SlangCall):
            if id(entry) in seen:
                continue
            seen.add(id(entry))
        yield entry
        stack.extend(reversed(parts_of(entry)))


def parts_of(value: Value | Surface) -> Sequence[Value | Surface]:
    """Return what a value or a surface is made of."""
    if isinstance(value, Texture):
        return [] if value.uv is None else [value.uv]
    if isinstance(value, NormalMap):
        return [value.color, value.strength]
    if isinstance(value, Bump):
        own = [] if value.normal is None else [value.normal]
        return [*own, value.height, value.strength, value.distance]
    if isinstance(value, SlangCall):
        return list(value.arguments.values())
    if isinstance(value, Closure):
        return list(value.inputs.values())
    if isinstance(value, (Mix, Add)):
        own = [value.factor] if isinstance(value, Mix) else []
        return [*own, value.first, value.second]
    return []


def closures_of(surface: Surface) -> Iterator[Closure]:
    """Yield the closures that a surface is made of."""
    if isinstance(surface, Closure):
        yield surface
        return
    yield from closures_of(surface.first)
    yield from closures_of(surface.second)


def calls_below(name: str, call: SlangCall) -> list[tuple[str, SlangCall]]:
    """Return the calls that a call's arguments are, or are looked up by, with their names."""
    found = []
    for key, value in call.arguments.items():
        path, entry = f"{name}.{key}", value
        while isinstance(entry, Texture) and entry.uv is not None:
            path, entry = f"{path}.uv", entry.uv
        if isinstance(entry, SlangCall):
            found.append((path, entry))
    return found


def as_mapping(surface: Closure) -> Mapping[str, Value]:
    """Return all inputs of a closure, defaults filled in."""
    return {
        name: surface.inputs.get(name, entry.default)
        for name, entry in CLOSURES[surface.kind].inputs.items()
    }
