# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement and Vector Displacement; functions in nodes/displacement.slang."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from ..spec import NodeSpec
from ..values import call_with
from .spaces import TO_WORLD, columns_of

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext

_AS_BUMP = "acts as a bump"


def _displacement(context: NodeContext, _output: str) -> Value:
    arguments: dict[str, Value] = {
        name.lower(): context.input(name) for name in ("Height", "Midlevel", "Scale")
    }
    linked = context.direction("Normal")
    arguments["normal"] = context.normal if linked is None else linked
    if context.properties["space"] == "WORLD":
        return call_with("displaceWorld", 3, arguments)
    return call_with("displaceObject", 3, arguments | columns_of(context, "OBJECT", TO_WORLD, 3))


_SHIFTS = MappingProxyType(
    {"WORLD": "shiftWorld", "OBJECT": "shiftObject", "TANGENT": "shiftTangent"}
)


def _vector_displacement(context: NodeContext, _output: str) -> Value:
    space = str(context.properties["space"])
    arguments: dict[str, Value] = {
        name.lower(): context.input(name) for name in ("Vector", "Midlevel", "Scale")
    }
    if space == "TANGENT":
        arguments["normal"] = context.normal
    if space != "WORLD":
        arguments |= columns_of(context, "OBJECT", TO_WORLD, 3)
    return call_with(_SHIFTS[space], 3, arguments)


ENTRIES = MappingProxyType(
    {
        "ShaderNodeDisplacement": NodeSpec("Displacement", _displacement, _AS_BUMP),
        "ShaderNodeVectorDisplacement": NodeSpec(
            "Vector Displacement",
            _vector_displacement,
            f"{_AS_BUMP}; in Tangent Space by its part along the normal",
        ),
    }
)
