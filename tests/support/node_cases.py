# SPDX-License-Identifier: Apache-2.0
"""Blender's function nodes on a table of inputs: what Cycles and Weft both evaluate.

``tests/golden/cycles_nodes.py`` renders the cases with Cycles;
``tests/shaders/test_nodes_cycles.py`` compiles them with addon/core/graph and evaluates the Slang.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

ROWS = 96
"""Rows of the table of inputs: vectors a, b, c, and the angle of the surface to the viewer."""

FLOATS = ("a.x", "b.x", "c.x", "a.y", "b.y")
VECTORS = ("a", "b", "c")


@dataclass(frozen=True)
class Case:
    """A node with sources of its inputs.

    Args:
        name: Unique.
        kind: ``bl_idname``.
        output: Identifier of the output.
        inputs: Identifier -> source: ``a.x`` is a number, ``kelvin a.x`` 6000 times it, ``vector
            a`` a vector, ``color a`` a colour; or a plain value.
        properties: Of the node; ``curves`` are the points of its curves, ``direction`` what its
            output Normal holds.
        tolerance: Largest difference from Cycles; relative above 1.
    """

    name: str
    kind: str
    output: str
    inputs: dict[str, Any]
    properties: dict[str, Any] = field(default_factory=dict)
    # Both compute in single precision, with other libraries for sines, powers and logarithms.
    tolerance: float = 2e-5


def inputs() -> np.ndarray:
    """Return the vectors a, b, c of each row, shape (ROWS, 3, 3), float32."""
    random = np.random.default_rng(11)
    rows = random.uniform(-2, 2, (ROWS, 3, 3))
    rows[24:72] = random.uniform(0, 1, (48, 3, 3))
    # Edges: zeros, ones, negative and equal numbers, greys.
    special = np.array([0.0, 1.0, -1.0, 0.5, 2.0, -0.5, 3.0])
    rows[72:] = random.choice(special, (ROWS - 72, 3, 3))
    rows[72] = 0
    rows[73] = 1
    rows[74, 0], rows[74, 1] = 0.25, 0.75
    return rows.astype(np.float32)


def slopes() -> tuple[np.ndarray, np.ndarray]:
    """Return the angle to the viewer, radians, and whether the inside is seen, one a row."""
    angles = np.random.default_rng(12).uniform(0, np.radians(85), ROWS)
    angles[:2] = 0
    return angles, np.arange(ROWS) % 3 == 1


def normals() -> np.ndarray:
    """Return the normal on the viewer's side of each row; the viewer is at +z."""
    angles, _ = slopes()
    return np.stack([np.zeros(ROWS), np.sin(angles), np.cos(angles)], 1).astype(np.float32)


def math_cases() -> list[Case]:
    """The Math and Clamp nodes."""
    from addon.core.graph.nodes.math import OPERANDS, SOCKETS

    cases = [
        Case(
            f"math {operation}",
            "ShaderNodeMath",
            "Value",
            dict(zip(SOCKETS[:count], FLOATS[:count], strict=True)),
            {"operation": operation},
        )
        for operation, count in OPERANDS.items()
    ]
    clamped = {"operation": "ADD", "use_clamp": True}
    sources = {"Value": "a.x", "Value_001": "b.x"}
    cases.append(Case("math clamped", "ShaderNodeMath", "Value", sources, clamped))
    for kind in ("MINMAX", "RANGE"):
        sources = {"Value": "a.x", "Min": "b.x", "Max": "c.x"}
        cases.append(
            Case(f"clamp {kind}", "ShaderNodeClamp", "Result", sources, {"clamp_type": kind})
        )
    return cases


def vector_cases() -> list[Case]:
    """Vector Math, Separate XYZ and Combine XYZ."""
    from addon.core.graph.nodes.vector_math import OPERANDS

    sources = {
        "Vector": "vector a",
        "Vector_001": "vector b",
        "Vector_002": "vector c",
        "Scale": "c.x",
    }
    cases = [
        Case(
            f"vector {operation}",
            "ShaderNodeVectorMath",
            "Value" if operation in ("DISTANCE", "DOT_PRODUCT", "LENGTH") else "Vector",
            {name: sources[name] for name in names},
            {"operation": operation},
        )
        for operation, names in OPERANDS.items()
        if operation != "ROUND"  # from Blender 5.1
    ]
    for axis in "XYZ":
        link = {"Vector": "vector a"}
        cases.append(Case(f"separate {axis}", "ShaderNodeSeparateXYZ", axis, link))
    links = {"X": "a.x", "Y": "b.x", "Z": "c.x"}
    return [*cases, Case("combine", "ShaderNodeCombineXYZ", "Vector", links)]


def other_cases() -> list[Case]:
    """Vector Rotate, Normal, Blackbody."""
    from addon.core.graph.nodes.vector_math import AXES

    sources = {"Vector": "vector a", "Center": "vector b", "Axis": "vector c", "Angle": "c.x"}
    sources["Rotation"] = "vector c"
    cases = []
    for kind, inputs in AXES.items():
        links = {name: sources[name] for name in ("Vector", "Center", *inputs)}
        for inverts in (False, True):
            options = {"rotation_type": kind, "invert": inverts}
            name = f"rotate {kind} {inverts}"
            cases.append(Case(name, "ShaderNodeVectorRotate", "Vector", links, options))
    way = {"direction": (0.3, -0.5, 0.8)}
    for output in ("Normal", "Dot"):
        links = {"Normal": "vector a"}
        cases.append(Case(f"normal {output}", "ShaderNodeNormal", output, links, way))
    links = {"Temperature": "kelvin a.x"}
    glow = Case("blackbody", "ShaderNodeBlackbody", "Color", links, tolerance=2e-3)
    return [*cases, glow]


def mix_cases() -> list[Case]:
    """Mix and Mix (Legacy)."""
    from addon.core.graph.nodes.mix import BLENDS

    sources = {"Factor_Float": "c.x", "A_Color": "color a", "B_Color": "color b"}
    free = {"data_type": "RGBA", "clamp_factor": False}
    cases = [
        Case(f"mix {mode}", "ShaderNodeMix", "Result_Color", sources, {**free, "blend_type": mode})
        for mode in sorted(BLENDS)
    ]
    clamped = {"data_type": "RGBA", "blend_type": "ADD", "clamp_result": True}
    cases.append(Case("mix clamped", "ShaderNodeMix", "Result_Color", sources, clamped))
    for clamps in (False, True):
        links = {"Factor_Float": "c.x", "A_Float": "a.x", "B_Float": "b.x"}
        name, options = f"clamped {clamps}", {"clamp_factor": clamps}
        cases.append(Case(f"mix floats {name}", "ShaderNodeMix", "Result_Float", links, options))
        links = {"Factor_Float": "c.x", "A_Vector": "vector a", "B_Vector": "vector b"}
        options = {"data_type": "VECTOR", **options}
        cases.append(Case(f"mix vectors {name}", "ShaderNodeMix", "Result_Vector", links, options))
        links = {"Factor_Vector": "vector c", "A_Vector": "vector a", "B_Vector": "vector b"}
        options = {"factor_mode": "NON_UNIFORM", **options}
        cases.append(
            Case(f"mix by vector {name}", "ShaderNodeMix", "Result_Vector", links, options)
        )
    links = {"Fac": "c.x", "Color1": "color a", "Color2": "color b"}
    for mode in ("OVERLAY", "VALUE"):
        options = {"blend_type": mode, "use_clamp": mode == "VALUE"}
        cases.append(Case(f"legacy mix {mode}", "ShaderNodeMixRGB", "Color", links, options))
    return cases


def range_cases() -> list[Case]:
    """Map Range."""
    floats = {
        "Value": "a.x",
        "From Min": "b.x",
        "From Max": "c.x",
        "To Min": "b.y",
        "To Max": "a.y",
    }
    vectors = {
        "Vector": "vector a",
        "From_Min_FLOAT3": "vector b",
        "From_Max_FLOAT3": "vector c",
        "To_Min_FLOAT3": (0.25, -1.0, 2.0),
        "To_Max_FLOAT3": (2.0, 1.5, -1.0),
    }
    cases = []
    for mode in ("LINEAR", "STEPPED", "SMOOTHSTEP", "SMOOTHERSTEP"):
        for clamps in (False, True):
            options = {"interpolation_type": mode, "clamp": clamps}
            name = f"range {mode} {clamps}"
            cases.append(Case(name, "ShaderNodeMapRange", "Result", floats, options))
            options = {**options, "data_type": "FLOAT_VECTOR"}
            name = f"vector {name}"
            cases.append(Case(name, "ShaderNodeMapRange", "Vector", vectors, options))
    return cases


def color_cases() -> list[Case]:
    """Colours taken apart, put together and changed, and conversions between sockets."""
    cases = []
    for mode in ("RGB", "HSV", "HSL"):
        for channel in ("Red", "Green", "Blue"):
            name, links = f"separate {mode} {channel}", {"Color": "color a"}
            cases.append(Case(name, "ShaderNodeSeparateColor", channel, links, {"mode": mode}))
        links = {"Red": "a.x", "Green": "b.x", "Blue": "c.x"}
        cases.append(
            Case(f"combine {mode}", "ShaderNodeCombineColor", "Color", links, {"mode": mode})
        )
    hsv = {"Hue": "b.x", "Saturation": "b.y", "Value": "c.x", "Fac": "a.y", "Color": "color a"}
    bright = {"Color": "color a", "Bright": "b.x", "Contrast": "c.x"}
    add = {"operation": "ADD"}
    return [
        *cases,
        Case("hue", "ShaderNodeHueSaturation", "Color", hsv),
        Case("brightness", "ShaderNodeBrightContrast", "Color", bright),
        Case("gamma", "ShaderNodeGamma", "Color", {"Color": "color a", "Gamma": "b.x"}),
        Case("invert", "ShaderNodeInvert", "Color", {"Fac": "b.x", "Color": "color a"}),
        Case("grey", "ShaderNodeRGBToBW", "Val", {"Color": "color a"}),
        Case("color to float", "ShaderNodeMath", "Value", {"Value": "color a"}, add),
        Case("vector to float", "ShaderNodeMath", "Value", {"Value": "vector a"}, add),
        Case("float to vector", "ShaderNodeVectorMath", "Vector", {"Vector": "a.x"}, add),
        Case("float to color", "ShaderNodeInvert", "Color", {"Color": "a.x"}),
        Case("fresnel", "ShaderNodeFresnel", "Fac", {"IOR": "a.x"}),
        Case("layer weight fresnel", "ShaderNodeLayerWeight", "Fresnel", {"Blend": "a.x"}),
        Case("layer weight facing", "ShaderNodeLayerWeight", "Facing", {"Blend": "a.x"}),
    ]


S_SHAPE = [(0.0, 0.1), (0.3, 0.2), (0.7, 0.9), (1.0, 0.8)]
BEYOND = [(-0.5, -0.3), (0.5, 0.9), (1.5, 0.4)]
STRAIGHT = [(0.0, 0.0), (1.0, 1.0)]


def curve_cases() -> list[Case]:
    """RGB Curves, Vector Curves, Float Curve: ``curves`` are the points of each."""
    number = {"Factor": "b.x", "Value": "a.x"}
    color, vector = ({"Fac": "b.x", name: f"{name.lower()} a"} for name in ("Color", "Vector"))
    cases = []
    for extend in ("EXTRAPOLATED", "HORIZONTAL"):
        rgb = {"curves": [S_SHAPE, STRAIGHT, BEYOND, S_SHAPE], "extend": extend}
        xyz = {"curves": [BEYOND, S_SHAPE, STRAIGHT], "extend": extend}
        one = {"curves": [BEYOND], "extend": extend}
        cases += [
            Case(f"rgb curves {extend}", "ShaderNodeRGBCurve", "Color", color, rgb),
            Case(f"vector curves {extend}", "ShaderNodeVectorCurve", "Vector", vector, xyz),
            Case(f"float curve {extend}", "ShaderNodeFloatCurve", "Value", number, one),
        ]
    return cases


def topics() -> dict[str, list[Case]]:
    """Return all cases by topic."""
    return {
        "math": math_cases(),
        "vector": vector_cases(),
        "mix": mix_cases(),
        "range": range_cases(),
        "color": color_cases(),
        "curve": curve_cases(),
        "other": other_cases(),
    }
