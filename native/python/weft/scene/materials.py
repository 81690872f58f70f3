# SPDX-License-Identifier: Apache-2.0
"""Materials: trees of closures whose inputs are numbers, textures or Slang functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from weft import _native
from weft._native import check_material, split_inputs
from weft.scene.closures import CLOSURES
from weft.scene.texture import Texture
from weft.scene.values import Bump, Constant, NormalMap, SlangCall

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
        self.kind = kind
        self.inputs, self.options = split_inputs(kind, inputs)


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
        check_material(self.name, self.volume)


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
    return _native.varies(volume)


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


def as_mapping(surface: Closure) -> Mapping[str, Value]:
    """Return all inputs of a closure, defaults filled in."""
    return {
        name: surface.inputs.get(name, entry.default)
        for name, entry in CLOSURES[surface.kind].inputs.items()
    }
