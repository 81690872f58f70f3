# SPDX-License-Identifier: GPL-3.0-or-later
"""The Color Ramp: stops are parameters, the function for their number is printed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weft.scene import SlangCall

from ..model import Socket
from ..spec import NodeSpec
from ..values import call

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext

HUES = ("NEAR", "FAR", "CW", "CCW")
"""In the order of shaders/weft/nodes/ramp.slang."""

KINDS = MappingProxyType({"LINEAR": 0, "EASE": 1, "HSV": 2, "HSL": 3})


def stop_socket(number: int, what: str, value: float | tuple[float, ...]) -> Socket:
    """Return a stop's number as if it were an input: ``color_ramp.elements[0].position``.

    Args:
        number: Of the stop, from 0.
        what: ``position``, ``color`` or ``alpha``.
        value: It, colours without alpha.
    """
    kind = "RGBA" if what == "color" else "VALUE"
    name = f"Stop {number + 1} {what.capitalize()}"
    return Socket(f"color_ramp.elements[{number}].{what}", name, kind, value)


def ramp_source(ramp: Mapping[str, Any]) -> str:
    """Return the Slang function ``ramp`` for the interpolation and number of stops of a ramp."""
    count = len(ramp["positions"])
    stops = [f"float p{k}, float3 c{k}, float a{k}" for k in range(count)]
    names = [f"p{k}, c{k}, a{k}" for k in range(count)]
    spans = "\n".join(f"    color = {span};" for span in _spans(ramp, count))
    head = f"no_diff float x, {', '.join(stops)}"
    return f"""import weft.nodes;

[Differentiable]
float4 rampAt({head})
{{
    float4 color = float4(c0, a0);
{spans}
    return color;
}}

[Differentiable]
float4 ramp(float factor, {", ".join(stops)})
{{
    const float2 at = no_diff rampEntries(factor);
    return {_look_up(ramp, ", ".join(names))};
}}
"""


def _look_up(ramp: Mapping[str, Any], names: str) -> str:
    first = f"rampAt(at.x, {names})"
    if ramp["interpolation"] == "CONSTANT":
        return first
    return f"lerp({first}, rampAt(at.y, {names}), float4(rampShare(factor)))"


def _spans(ramp: Mapping[str, Any], count: int) -> list[str]:
    """Return the expressions that carry a colour across the stops."""
    colors = [f"float4(c{k}, a{k})" for k in range(count)]
    mode, interpolation = ramp["color_mode"], ramp["interpolation"]
    if mode == "RGB" and interpolation == "CONSTANT":
        return [f"rampStep(color, x, p{k}, {colors[k]})" for k in range(1, count)]
    if mode == "RGB" and interpolation in ("CARDINAL", "B_SPLINE") and count > 1:
        return _spline(interpolation == "CARDINAL", colors)
    kind = KINDS[mode] if mode in KINDS else KINDS.get(interpolation, 0)
    hues = HUES.index(ramp["hue_interpolation"])
    return [
        f"rampSpan<{kind}, {hues}>(color, x, p{k - 1}, {colors[k - 1]}, p{k}, {colors[k]})"
        for k in range(1, count)
    ]


def _spline(is_cardinal: bool, colors: list[str]) -> list[str]:
    """Return spans from before the first stop to behind the last, each bent by four stops."""
    last = len(colors) - 1
    ends = ["0.f", *(f"p{k}" for k in range(last + 1)), "1.f"]
    spans = []
    for k in range(last + 2):
        near = ", ".join(colors[min(max(k + d, 0), last)] for d in (-2, -1, 0, 1))
        flags = f"{is_cardinal}, {k == last + 1}".lower()
        name = f"rampSpline<{flags}>"
        spans.append(f"{name}(color, x, {ends[k]}, {ends[k + 1]}, {near})")
    return spans


def _stops(context: NodeContext, ramp: Mapping[str, Any]) -> dict[str, Value]:
    """Return positions and colours as arguments; what has no effect is no parameter."""
    moves = ramp["interpolation"] != "CONSTANT" and len(ramp["positions"]) > 1
    arguments: dict[str, Value] = {}
    for k, (position, color) in enumerate(zip(ramp["positions"], ramp["colors"], strict=True)):
        place = stop_socket(k, "position", position)
        arguments[f"p{k}"] = context.own_number(place) if moves else position
        arguments[f"c{k}"] = context.own_number(stop_socket(k, "color", tuple(color[:3])))
        alpha = stop_socket(k, "alpha", color[3])
        arguments[f"a{k}"] = context.own_number(alpha) if context.is_used("Alpha") else color[3]
    return arguments


def _ramp(context: NodeContext, output: str) -> Value:
    ramp = context.properties["color_ramp"]

    def look_up() -> Value:
        arguments = {"factor": context.input("Fac"), **_stops(context, ramp)}
        return SlangCall("ramp", ramp_source(ramp), arguments, 4)

    color = context.once("ramp", look_up)
    if output == "Alpha":
        return call("alphaOf", 1, color=color)
    return call("colorOf", 3, color=color)


ENTRIES = MappingProxyType({"ShaderNodeValToRGB": NodeSpec("Color Ramp", _ramp)})
