# SPDX-License-Identifier: GPL-3.0-or-later
"""Vector Math, and vectors turned, taken apart and together.

Functions in nodes/vector_math.slang, nodes/vector_rotate.slang.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..spec import Call, Calls, NodeSpec, function_node
from ..values import call
from .math import camel_case

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext

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


AXES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "AXIS_ANGLE": ("Axis", "Angle"),
        "EULER_XYZ": ("Rotation",),
        "X_AXIS": ("Angle",),
        "Y_AXIS": ("Angle",),
        "Z_AXIS": ("Angle",),
    }
)
"""The inputs of each kind of the Vector Rotate node, after Vector and Center."""


def _rotate(context: NodeContext, output: str) -> Value:
    kind = str(context.properties["rotation_type"])
    if kind not in AXES:
        return context.unsupported(f"the rotation {kind}")
    function, inputs = camel_case("vectorRotate", kind), ("Vector", "Center", *AXES[kind])
    if not context.properties["invert"]:
        return context.call(Call(function, inputs, 3))
    if kind == "EULER_XYZ":
        return context.call(Call(f"{function}Inverse", inputs, 3))
    back = call("mathMultiply", 1, a=context.input("Angle"), b=-1.0)
    vector, center = context.input("Vector"), context.input("Center")
    if kind != "AXIS_ANGLE":
        return call(function, 3, vector=vector, center=center, angle=back)
    return call(function, 3, vector=vector, center=center, axis=context.input("Axis"), angle=back)


def _normal(context: NodeContext, output: str) -> Value:
    direction = context.number_of_output("Normal")
    if output == "Normal":
        return call("normalDirection", 3, direction=direction)
    return call("normalDot", 1, direction=direction, normal=context.input("Normal"))


VECTORS: Mapping[str, NodeSpec] = MappingProxyType(
    {
        "ShaderNodeNormal": NodeSpec("Normal", _normal, bounds={"Normal": (-1.0, 1.0)}),
        "ShaderNodeVectorRotate": NodeSpec("Vector Rotate", _rotate),
    }
)

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
