# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes Math and Clamp; shaders/weft/nodes/math.slang has the functions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..spec import Call, Calls, function_node

_TWO = (
    "ADD SUBTRACT MULTIPLY DIVIDE POWER LOGARITHM MINIMUM MAXIMUM LESS_THAN GREATER_THAN MODULO "
    "FLOORED_MODULO SNAP PINGPONG ARCTAN2"
)
_THREE = "MULTIPLY_ADD COMPARE SMOOTH_MIN SMOOTH_MAX WRAP"
_ONE = (
    "SQRT INVERSE_SQRT ABSOLUTE EXPONENT SIGN ROUND FLOOR CEIL TRUNC FRACT SINE COSINE TANGENT "
    "ARCSINE ARCCOSINE ARCTANGENT SINH COSH TANH RADIANS DEGREES"
)
OPERANDS: Mapping[str, int] = MappingProxyType(
    {
        operation: count
        for count, names in ((1, _ONE), (2, _TWO), (3, _THREE))
        for operation in names.split()
    }
)
"""How many inputs each operation of the Math node has."""

SOCKETS = ("Value", "Value_001", "Value_002")


def camel_case(prefix: str, operation: str) -> str:
    """Return the Slang function of an operation: ``("math", "LESS_THAN")`` -> ``mathLessThan``."""
    return prefix + "".join(part.capitalize() for part in operation.split("_"))


def _math(properties: Mapping[str, Any]) -> Calls:
    operation = str(properties["operation"])
    if operation not in OPERANDS:
        return {}
    inputs = SOCKETS[: OPERANDS[operation]]
    function = camel_case("math", operation)
    return {"Value": Call(function, inputs, clamps=bool(properties.get("use_clamp")))}


def _clamp(properties: Mapping[str, Any]) -> Calls:
    function = camel_case("clamp", str(properties.get("clamp_type", "MINMAX")))
    return {"Result": Call(function, ("Value", "Min", "Max"))}


ENTRIES = MappingProxyType(
    {
        "ShaderNodeMath": function_node("Math", choose=_math),
        "ShaderNodeClamp": function_node("Clamp", choose=_clamp),
    }
)
