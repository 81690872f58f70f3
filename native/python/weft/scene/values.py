# SPDX-License-Identifier: Apache-2.0
"""What drives an input of a material: numbers, colours, textures, attributes, functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

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

    @property
    def size(self) -> int:
        """Number of components."""
        return {"UV": 2, "BACKFACING": 1}.get(self.name, 3)


@dataclass(frozen=True)
class UVSet:
    """Coordinates of one of a mesh's UV sets, by its position among them. Two components."""

    index: int = 0


@dataclass(frozen=True)
class ColorAttribute:
    """A colour attribute of a mesh, by its position among them. Three components, linear RGB."""

    index: int = 0


@dataclass(frozen=True)
class SlangCall:
    """The result of a Slang function, of one to four floats.

    Args:
        function: Name of the function.
        source: Slang text that defines it. Equal texts are compiled once. It may import modules.
        arguments: What each parameter gets, by name and in the order of the parameters. Numbers
            and sequences of them become parameters of the material that can be fitted,
            ``"<material>.<input>.<parameter>"``.
        size: Components of the result: 1, 2, 3 or 4.
        is_differentiable: The function is ``[Differentiable]``. If not, gradients do not pass
            through it.

    Example:
        >>> wave = "[Differentiable] float wave(float2 uv, float n) { return sin(n * uv.x); }"
        >>> SlangCall("wave", wave, {"uv": Attribute.UV, "n": 40.0}).size
        1
    """

    function: str
    source: str
    arguments: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    size: int = 1
    is_differentiable: bool = True


Value = Number | Color | Texture | Attribute | UVSet | ColorAttribute | SlangCall


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
    return len(value) if isinstance(value, Sequence) else 1
