# SPDX-License-Identifier: Apache-2.0
"""What drives an input of a material: numbers, colours, textures, attributes, functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

import numpy as np

from weft._native import (
    ArgumentError,
    attribute_table,
    check_bump,
    check_constant,
    check_normal_map,
    check_pixels,
    check_slang_call,
    size_of_value,
    texture_names,
)
from weft._shown import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

Number = float | int
Color = Sequence[float]
Wrap = Literal["repeat", "extend", "clip", "mirror"]
Filter = Literal["linear", "closest", "mipmap"]

WRAPS: tuple[Wrap, ...]
FILTERS: tuple[Filter, ...]
WRAPS, FILTERS = texture_names()
"""In the order of their numbers in the kernels."""


_ATTRIBUTES = attribute_table()


def _expression(name: str) -> str:
    return _ATTRIBUTES[name][0]


class Attribute(Enum):
    """A quantity of the shaded point.

    The value is the expression of shaders/weft/render/surface.slang; lengths are metres, vectors
    are world space.
    """

    UV = _expression("UV")
    POSITION = _expression("POSITION")
    NORMAL = _expression("NORMAL")
    GEOMETRIC_NORMAL = _expression("GEOMETRIC_NORMAL")
    TANGENT = _expression("TANGENT")
    INCOMING = _expression("INCOMING")
    BACKFACING = _expression("BACKFACING")
    PARAMETRIC = _expression("PARAMETRIC")
    IS_CAMERA_RAY = _expression("IS_CAMERA_RAY")
    IS_SHADOW_RAY = _expression("IS_SHADOW_RAY")
    IS_DIFFUSE_RAY = _expression("IS_DIFFUSE_RAY")
    IS_GLOSSY_RAY = _expression("IS_GLOSSY_RAY")
    IS_TRANSMISSION_RAY = _expression("IS_TRANSMISSION_RAY")
    IS_REFLECTION_RAY = _expression("IS_REFLECTION_RAY")
    IS_SINGULAR_RAY = _expression("IS_SINGULAR_RAY")
    IS_VOLUME_SCATTER_RAY = _expression("IS_VOLUME_SCATTER_RAY")
    RAY_LENGTH = _expression("RAY_LENGTH")
    RAY_DEPTH = _expression("RAY_DEPTH")
    DIFFUSE_DEPTH = _expression("DIFFUSE_DEPTH")
    GLOSSY_DEPTH = _expression("GLOSSY_DEPTH")
    TRANSMISSION_DEPTH = _expression("TRANSMISSION_DEPTH")
    TRANSPARENT_DEPTH = _expression("TRANSPARENT_DEPTH")

    @property
    def size(self) -> int:
        """Number of components."""
        return _ATTRIBUTES[self.name][1]

    @property
    def is_of_ray(self) -> bool:
        """Whether it says something of the ray that has met the point: Blender's Light Path."""
        return _ATTRIBUTES[self.name][2]


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
        check_constant(self.name, self.numbers, self.value)

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
        check_slang_call(self.function, self.source, self.module, self.size)


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
        check_normal_map(self)


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
        check_bump(self)


@dataclass(eq=False)
class Texture:
    """An image that drives an input of a material.

    Args:
        pixels: Shape ``(height, width, channels)``, 1, 3 or 4 channels, the top row first, linear
            numbers. Integers are
            divided by their largest value.
        wrap: What lies outside the unit square: copies (``repeat``), the edge (``extend``), zero
            (``clip``) or
            mirror images (``mirror``).
        filter: Between texels: ``linear`` or ``closest``; ``mipmap`` is linear, and takes means of
            texels where a ray is wider than one, which distant textures need: less noise, and
            less memory to wait for. The width is that of a cone around the ray; it is the same in
            all directions, so textures seen at grazing angles get smoother than they need be. Such
            a texture cannot be fitted.
        uv: Where to look it up, two components; ``None`` is the first UV set. (0, 0) is the lower
            left corner.
        name: What messages and parameters call it.

    Raises:
        ArgumentError: The pixels have another shape, or are not finite.
    """

    pixels: NDArray[np.float32]
    wrap: Wrap = "repeat"
    filter: Filter = "linear"
    uv: Value | None = None
    name: str = field(default="texture", kw_only=True)

    def __post_init__(self) -> None:
        """Check and convert the pixels."""
        array = np.asarray(self.pixels)
        scale = np.iinfo(array.dtype.name).max if array.dtype.kind in "ui" else 1
        values = np.ascontiguousarray(array, np.float32) / np.float32(scale)
        if values.ndim == 2:
            values = values[..., None]
        if values.ndim != 3 or values.shape[2] not in (1, 3, 4) or values.size == 0:
            raise ArgumentError(
                f"Texture '{self.name}': pixels must be (height, width, channels) with 1, 3 "
                f"or 4 channels, "
                f"got shape {array.shape}"
            )
        check_pixels(f"Texture '{self.name}'", values)
        if self.wrap not in WRAPS or self.filter not in FILTERS:
            raise ArgumentError(
                f"Texture '{self.name}': wrap must be one of {', '.join(WRAPS)} and filter "
                f"one of {', '.join(FILTERS)}, "
                f"got {self.wrap!r} and {self.filter!r}"
            )
        self.pixels = values

    @property
    def channels(self) -> int:
        """Components of a texel: 1, 3 or 4."""
        return int(self.pixels.shape[2])


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
    return size_of_value(value)
