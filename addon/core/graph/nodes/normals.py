# SPDX-License-Identifier: GPL-3.0-or-later
"""Normal Map and Bump, which are values of weft.scene."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from weft.scene import Attribute, Bump, NormalMap

from ..spec import NodeSpec
from ..values import call

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext

_SPACES: MappingProxyType[str, Literal["tangent", "object", "world"]] = MappingProxyType(
    {
        "TANGENT": "tangent",
        "OBJECT": "object",
        "WORLD": "world",
        "BLENDER_OBJECT": "object",
        "BLENDER_WORLD": "world",
    }
)


def _normal_map(context: NodeContext, _output: str) -> Value:
    kind = str(context.properties["space"])
    color = context.input("Color")
    if kind.startswith("BLENDER"):
        color = call("blenderNormal", 3, color=color)
    if context.properties.get("convention", "OPENGL") == "DIRECTX":
        color = call("directxNormal", 3, color=color)
    index = 0
    if kind == "TANGENT":
        index = context.attribute("uv", str(context.properties.get("uv_map") or ""))
    return NormalMap(color, context.input("Strength"), _SPACES[kind], index)


def _bump(context: NodeContext, _output: str) -> Value:
    normal = context.direction("Normal") or context.relief
    if not context.is_linked("Height"):
        return Attribute.NORMAL if normal is None else normal
    distance = context.input("Distance")
    if context.properties.get("invert"):
        distance = call("negated", 1, x=distance)
    width = _filter_width(context)
    if width <= 0:
        return Attribute.NORMAL if normal is None else normal
    height, strength = context.input("Height"), context.input("Strength")
    return Bump(height, strength, distance, normal, filter_width=width)


def _filter_width(context: NodeContext) -> float:
    """Return over how much of a pixel differences are taken; before Blender 4.3: all of it."""
    if not context.has("Filter Width"):
        return 1.0
    # The number counts even where something drives the input, as in Cycles.
    value = context.socket("Filter Width").value
    return float(value) if isinstance(value, (int, float)) else 1.0


ENTRIES = MappingProxyType(
    {
        "ShaderNodeNormalMap": NodeSpec(
            "Normal Map", _normal_map, "derivatives do not pass through normals"
        ),
        "ShaderNodeBump": NodeSpec(
            "Bump",
            _bump,
            "derivatives do not pass through normals",
        ),
    }
)
