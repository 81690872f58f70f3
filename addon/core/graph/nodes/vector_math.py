# SPDX-License-Identifier: GPL-3.0-or-later
"""Vector Math, and vectors taken apart and together; functions in nodes/vector_math.slang."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..spec import Call, Calls, NodeSpec, function_node
from .math import camel_case

_A, _B, _C = "Vector", "Vector_001", "Vector_002"
OPERANDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(
            "ABSOLUTE CEIL COSINE FLOOR FRACTION LENGTH NORMALIZE ROUND SIGN SINE TANGENT".split(),
            (_A,),
        ),
        **dict.fromkeys(
            (
                "ADD CROSS_PRODUCT DISTANCE DIVIDE DOT_PRODUCT MAXIMUM MINIMUM MODULO MULTIPLY "
                "POWER PROJECT REFLECT SNAP SUBTRACT"
            ).split(),
            (_A, _B),
        ),
        **dict.fromkeys("FACEFORWARD MULTIPLY_ADD WRAP".split(), (_A, _B, _C)),
        "REFRACT": (_A, _B, "Scale"),
        "SCALE": (_A, "Scale"),
    }
)
"""The inputs of each operation of the Vector Math node."""

_NUMBERS = ("DISTANCE", "DOT_PRODUCT", "LENGTH")


def _vector_math(properties: Mapping[str, Any]) -> Calls:
    operation = str(properties["operation"])
    if operation not in OPERANDS:
        return {}
    is_number = operation in _NUMBERS
    call = Call(camel_case("vector", operation), OPERANDS[operation], 1 if is_number else 3)
    return {"Value" if is_number else "Vector": call}


ENTRIES: Mapping[str, NodeSpec] = MappingProxyType(
    {
        "ShaderNodeCombineXYZ": function_node(
            "Combine XYZ", {"Vector": Call("combineXyz", ("X", "Y", "Z"), 3)}
        ),
        "ShaderNodeSeparateXYZ": function_node(
            "Separate XYZ",
            {axis: Call(f"separate{axis}", ("Vector",)) for axis in ("X", "Y", "Z")},
        ),
        "ShaderNodeVectorMath": function_node("Vector Math", choose=_vector_math),
    }
)
