# SPDX-License-Identifier: GPL-3.0-or-later
"""Map Range; functions in nodes/map_range.slang."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..spec import Call, NodeSpec
from ..values import call

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext

_FLOATS = ("Value", "From Min", "From Max", "To Min", "To Max", "Steps")
_VECTORS = ("Vector", *(f"{name.replace(' ', '_')}_FLOAT3" for name in _FLOATS[1:]))


def _map_range(context: NodeContext, output: str) -> Value:
    properties = context.properties
    is_vector = properties["data_type"] == "FLOAT_VECTOR"
    interpolation = str(properties["interpolation_type"])
    if interpolation not in ("LINEAR", "STEPPED", "SMOOTHSTEP", "SMOOTHERSTEP"):
        return context.unsupported(f"the interpolation {interpolation}")
    sockets = _VECTORS if is_vector else _FLOATS
    inputs = sockets if interpolation == "STEPPED" else sockets[:5]
    size = 3 if is_vector else 1
    function = f"mapRange{'Vector' if is_vector else ''}{interpolation.capitalize()}"
    result = context.call(Call(function, inputs, size))
    # Smooth ones stay inside, but for Blender's 0 where the source is empty; it clamps that too.
    if not properties["clamp"] or (is_vector and interpolation.startswith("SMOOTH")):
        return result
    low, high = context.input(sockets[3]), context.input(sockets[4])
    function = "clampRangeVector" if is_vector else "clampRange"
    return call(function, size, a=result, b=low, c=high)


ENTRIES: Mapping[str, NodeSpec] = MappingProxyType(
    {"ShaderNodeMapRange": NodeSpec("Map Range", _map_range)}
)
