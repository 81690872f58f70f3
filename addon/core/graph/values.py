# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that travel along links, and how a link turns one kind into another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from weft.scene import Add, Closure, Constant, Mix, SlangCall
from weft.scene.materials import Surface
from weft.scene.values import Value

MODULE = "weft.nodes"
"""The Slang module with the functions of Blender's nodes."""

SIZES = {"VALUE": 1, "INT": 1, "BOOLEAN": 1, "VECTOR": 3, "RGBA": 3}
"""Components of each kind of socket that carries numbers. Alpha does not travel along links."""

SURFACES = (Closure, Mix, Add)


@dataclass(frozen=True, eq=False)
class Carried:
    """What a socket carries.

    Args:
        kind: Of the socket.
        content: A value, a surface, or ``None``: the shader that does nothing.
    """

    kind: str
    content: Value | Surface | None


def call(function: str, size: int, differentiable: bool = True, **arguments: Value) -> SlangCall:
    """Return the call of a function of shaders/weft/nodes.

    Args:
        function: Its name.
        size: Components of the result.
        differentiable: It is ``[Differentiable]``.
        arguments: In the order of its parameters.
    """
    return call_with(function, size, arguments, differentiable)


def call_with(
    function: str, size: int, arguments: Mapping[str, Value], differentiable: bool = True
) -> SlangCall:
    """Return call() with arguments that are a mapping."""
    return SlangCall(function, "", arguments, size, differentiable, module=MODULE)


def is_number(value: Value | Surface | None) -> bool:
    """Return whether nothing drives a value: it is one of the material's parameters."""
    return isinstance(value, (Constant, int, float, tuple))


def nothing(kind: str) -> Carried:
    """Return what a socket carries that nothing has reached: 0, as in Cycles."""
    if kind not in SIZES:
        return Carried(kind, None)
    return Carried(kind, 0.0 if SIZES[kind] == 1 else (0.0, 0.0, 0.0))


def convert(carried: Carried, kind: str) -> Carried | None:
    """Return what arrives at a socket of another kind, as in Cycles; ``None``: nothing does.

    Colours become floats by their Rec.709 luminance, vectors by the mean of their components; any
    value becomes a shader that emits it.
    """
    if carried.kind == kind:
        return carried
    content = carried.content
    if kind == "SHADER":
        as_color = convert(carried, "RGBA")
        if as_color is None or isinstance(as_color.content, SURFACES) or as_color.content is None:
            return None
        return Carried(kind, Closure("emission", color=as_color.content, strength=1.0))
    if content is None or isinstance(content, SURFACES):
        return None
    if kind not in SIZES or carried.kind not in SIZES:
        return None
    return Carried(kind, _convert_number(content, carried.kind, kind))


def _convert_number(value: Value, source: str, target: str) -> Value:
    """Return a number or colour as another kind of them."""
    if SIZES[source] == SIZES[target]:
        if target == "INT":
            return call("floatToInt", 1, differentiable=False, x=value)
        return call("floatToBoolean", 1, False, x=value) if target == "BOOLEAN" else value
    if SIZES[target] == 3:
        return call("floatToVector", 3, x=value)
    return call("colorToFloat" if source == "RGBA" else "vectorToFloat", 1, x=value)
