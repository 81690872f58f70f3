# SPDX-License-Identifier: Apache-2.0
"""What drives an input of a material: numbers, colours, textures, attributes, functions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Literal

import numpy as np

from weft._native import ArgumentError
from weft._shown import shown
from weft.scene.texture import Texture

Number = float | int
Color = Sequence[float]


class Attribute(Enum):
    """A quantity of the shaded point.

    The value is the expression of shaders/weft/render/surface.slang; lengths are metres, vectors
    are world space.
    """

    UV = "s.uv"
    POSITION = "s.position"
    NORMAL = "s.normal"
    GEOMETRIC_NORMAL = "s.geometricNormal"
    TANGENT = "s.tangent"
    INCOMING = "s.wi"
    BACKFACING = "(s.isBackface ? 1.f : 0.f)"
    PARAMETRIC = "float3(1.f - s.barycentric.x - s.barycentric.y, s.barycentric.x, 0.f)"
    IS_CAMERA_RAY = "((s.ray & 1u) != 0u ? 1.f : 0.f)"
    IS_SHADOW_RAY = "((s.ray & 2u) != 0u ? 1.f : 0.f)"
    IS_DIFFUSE_RAY = "((s.ray & 4u) != 0u ? 1.f : 0.f)"
    IS_GLOSSY_RAY = "((s.ray & 8u) != 0u ? 1.f : 0.f)"
    IS_TRANSMISSION_RAY = "((s.ray & 16u) != 0u ? 1.f : 0.f)"
    IS_REFLECTION_RAY = "((s.ray & 32u) != 0u ? 1.f : 0.f)"
    IS_SINGULAR_RAY = "((s.ray & 64u) != 0u ? 1.f : 0.f)"
    IS_VOLUME_SCATTER_RAY = "((s.ray & 128u) != 0u ? 1.f : 0.f)"
    RAY_LENGTH = "s.rayLength"
    RAY_DEPTH = "float(s.depth)"
    DIFFUSE_DEPTH = "float((s.ray >> 8) & 63u)"
    GLOSSY_DEPTH = "float((s.ray >> 14) & 63u)"
    TRANSMISSION_DEPTH = "float((s.ray >> 20) & 63u)"
    TRANSPARENT_DEPTH = "float(s.passed)"

    @property
    def size(self) -> int:
        """Number of components."""
        if self.is_of_ray or self is Attribute.BACKFACING:
            return 1
        return 2 if self is Attribute.UV else 3

    @property
    def is_of_ray(self) -> bool:
        """Whether it says something of the ray that has met the point: Blender's Light Path."""
        return self.name.endswith(("_RAY", "_DEPTH", "_LENGTH"))


def _require_position(name: str, index: object) -> None:
    is_integer = isinstance(index, (int, np.integer)) and not isinstance(index, bool)
    if not is_integer or not 0 <= index < 1 << 31:  # type: ignore[operator]
        raise ArgumentError(
            f"{name}: the index must be an integer from 0, got {shown(index)}; it counts the "
            "mesh's own from 0"
        )


@dataclass(frozen=True)
class UVSet:
    """Coordinates of one of a mesh's UV sets, by its position among them. Two components.

    Raises:
        ArgumentError: The position is no integer from 0.
    """

    index: int = 0

    def __post_init__(self) -> None:
        """Check the position."""
        _require_position("UVSet", self.index)


@dataclass(frozen=True)
class UVTangent:
    """The tangent of a UV set, along u, of MikkTSpace as normal maps have it: world space, unit.

    For inputs called ``tangent``; the zero vector where the mesh has no UVs.

    Args:
        index: Position among the UV sets of the mesh.
    """

    index: int

    def __post_init__(self) -> None:
        """Check the position."""
        _require_position("UVTangent", self.index)


@dataclass(frozen=True)
class ColorAttribute:
    """A colour attribute of a mesh, by its position among them. Three components, linear RGB.

    Raises:
        ArgumentError: The position is no integer from 0.
    """

    index: int = 0

    def __post_init__(self) -> None:
        """Check the position."""
        _require_position("ColorAttribute", self.index)


@dataclass(frozen=True, eq=False)
class Constant:
    """A number with a name of its own: one parameter, however many inputs it drives.

    Args:
        name: The parameter is called ``"<material>.<name>"``; no input of the material and no other
            constant has that name. It may have several parts, see ``ParameterRef``.
        value: One number, or two to four.
        low: Smallest sensible value, the default bound of fits.
        high: Largest sensible value.

    Raises:
        ArgumentError: The name is empty, or the value is not one to four finite numbers.
    """

    name: str
    value: Number | Color
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        """Check the name and the value."""
        numbers = self.numbers
        if not self.name or not 1 <= len(numbers) <= 4 or not all(map(math.isfinite, numbers)):
            raise ArgumentError(
                "Constant: a name and one to four finite numbers are needed, got "
                f"{self.name!r}, {self.value!r}"
            )

    @property
    def numbers(self) -> tuple[float, ...]:
        """The value as a tuple."""
        given = self.value if isinstance(self.value, Sequence) else (self.value,)
        return tuple(float(entry) for entry in given)


@dataclass(frozen=True)
class SlangCall:
    """The result of a Slang function, of one to four floats.

    One object is evaluated once, and has one set of parameters, wherever it is used in a material;
    they go by the first input that it drives.

    Args:
        function: Name of the function.
        source: Slang text that defines it. Equal texts are compiled once. It may import modules.
            "" if a `module` has it.
        arguments: What each parameter gets, by name and in the order of the parameters. Numbers
            and sequences of them become parameters of the material that can be fitted,
            ``"<material>.<input>.<parameter>"``.
        size: Components of the result: 1, 2, 3 or 4.
        is_differentiable: The function is ``[Differentiable]``. If not, gradients do not pass
            through it.
        module: Name of an importable module that has the function, such as ``weft.nodes``.
        origin: The scene file that it was read from, if nothing but a flag says to trust it; set
            by Scene.load(). Software devices run such a function only if it stays with its numbers.

    Raises:
        ArgumentError: Both or neither of `source` and `module` are given, `function` or `module`
            is no name, or `size` is not 1 to 4.

    Example:
        >>> wave = "[Differentiable] float wave(float2 uv, float n) { return sin(n * uv.x); }"
        >>> SlangCall("wave", wave, {"uv": Attribute.UV, "n": 40.0}).size
        1
    """

    function: str
    source: str = ""
    arguments: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    size: int = 1
    is_differentiable: bool = True
    module: str = ""
    origin: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check where the function comes from."""
        if not FUNCTION_NAME.fullmatch(self.function) or not MODULE_NAME.fullmatch(self.module):
            raise ArgumentError(
                "SlangCall: function must be a name such as 'wave' or 'wave<3>', and module one "
                f"such as 'weft.nodes', got {self.function[:80]!r} and {self.module[:80]!r}"
            )
        if bool(self.source) == bool(self.module) or not 1 <= self.size <= 4:
            raise ArgumentError(
                f"SlangCall '{self.function}': either source or module must be given, and size be "
                f"1 to 4, got {len(self.source)} characters, {self.module!r} and {self.size}"
            )


@dataclass(frozen=True)
class NormalMap:
    """A normal from a colour: Blender's Normal Map node. A unit vector in world space.

    For inputs called ``normal`` and the like. Derivatives do not pass through normals, so nothing
    below them can be fitted.

    Args:
        color: Three components; 0.5 is zero, (0.5, 0.5, 1) the normal of the mesh. A texture should
            be ``raw`` data, not sRGB.
        strength: 0 is the normal of the mesh, 1 the map; 0 and greater.
        space: What the colour's axes are: ``tangent`` (along u, along v, and the normal),
            ``object`` or ``world``.
        uv_set: UV set whose tangents count, by its position among those of the mesh; the texture's
            own ``uv`` should agree. Tangents are those of MikkTSpace (Mikkelsen 2008), which tools
            that bake maps use.
    """

    color: Value
    strength: Value = 1.0
    space: Literal["tangent", "object", "world"] = "tangent"
    uv_set: int = 0

    def __post_init__(self) -> None:
        """Check the sizes and the space."""
        _require_sizes("NormalMap", {"color": (self.color, (3, 4)), "strength": (self.strength, 1)})
        if self.space not in NORMAL_SPACES:
            raise ArgumentError(
                f"NormalMap: space must be one of {', '.join(NORMAL_SPACES)}, got {self.space!r}"
            )


@dataclass(frozen=True)
class Bump:
    """A normal from a height: Blender's Bump node. A unit vector in world space.

    The slope of the height is a difference between points of the surface that are a small step
    apart. For inputs called ``normal`` and the like. Derivatives do not pass through normals, so
    nothing below them can be fitted.

    Args:
        height: One number, in units of `distance`; from a texture or a Slang function. It sees the
            UVs, the place and the attributes of the point; grey is the mean of a colour's channels.
        strength: 0 is `normal`, 1 the full slope; 0 and greater.
        distance: Metres a unit of height; below 0 what is high becomes low.
        normal: What to start from; ``None``: the normal of the mesh.
        step: Between the points, metres. ``None``: `filter_width`.
        filter_width: The same, in widths of the pixel on the way, as Blender's node has it: fine
            detail fades that is smaller. Above 0.
        is_surface: The normal replaces that of the mesh, as Blender's displacement does where it is
            a bump: of closures that have it, or start from it, nothing is dimmed or cut off where
            light comes from beyond the mesh's own.
    """

    height: Value
    strength: Value = 1.0
    distance: Value = 0.001
    normal: Value | None = None
    step: float | None = None
    filter_width: float = 0.1
    is_surface: bool = False

    def __post_init__(self) -> None:
        """Check the sizes and the steps."""
        entries: dict[str, tuple[Value, int | tuple[int, ...]]] = {
            "height": (self.height, (1, 3, 4)),
            "strength": (self.strength, 1),
            "distance": (self.distance, 1),
        }
        if self.normal is not None:
            entries["normal"] = (self.normal, 3)
        _require_sizes("Bump", entries)
        if self.step is not None and not self.step > 0:
            raise ArgumentError(f"Bump: step must be above 0 metres, got {self.step}")
        if not 0 < self.filter_width < math.inf:
            raise ArgumentError(
                f"Bump: filter_width must be above 0 pixels, got {self.filter_width}"
            )


FUNCTION_NAME = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*(?:<[\w, ]*>)?")
MODULE_NAME = re.compile(r"(?:[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)?")
NORMAL_SPACES = ("tangent", "object", "world")

Value = (
    Number
    | Color
    | Constant
    | Texture
    | Attribute
    | UVSet
    | UVTangent
    | ColorAttribute
    | SlangCall
    | NormalMap
    | Bump
)


def plain(value: Value) -> Value:
    """Return the number or colour of a constant, and anything else as it is."""
    return value.value if isinstance(value, Constant) else value


def size_of(value: Value) -> int:
    """Return how many floats a value has."""
    if isinstance(value, (Attribute, SlangCall)):
        return value.size
    if isinstance(value, Texture):
        return value.channels
    if isinstance(value, UVSet):
        return 2
    if isinstance(value, ColorAttribute):
        return 3
    if isinstance(value, (NormalMap, Bump, UVTangent)):
        return 3
    value = plain(value)
    return len(value) if isinstance(value, Sequence) else 1


def _require_sizes(owner: str, entries: Mapping[str, tuple[Value, int | tuple[int, ...]]]) -> None:
    """Refuse values with another number of components."""
    for name, (value, wanted) in entries.items():
        sizes = wanted if isinstance(wanted, tuple) else (wanted,)
        if size_of(value) not in sizes:
            raise ArgumentError(
                f"{owner}: {name} takes {' or '.join(map(str, sizes))} numbers, got "
                f"{size_of(value)}"
            )
