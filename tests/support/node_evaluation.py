# SPDX-License-Identifier: Apache-2.0
"""Compiled nodes as Slang functions of their inputs, without a scene around them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from addon.core.graph.compile import AttributeTable, Compiler, Scope
from addon.core.graph.model import Node, Socket

from support.node_graphs import GraphBuilder
from weft.scene import Attribute, Constant, SlangCall, Texture
from weft.scene.parameter_ref import quoted

if TYPE_CHECKING:
    from support.node_cases import Case
    from weft.scene.values import Value

GOLDEN = Path(__file__).parents[1] / "golden" / "cycles_nodes.npz"
KINDS = {"color": "RGBA", "vector": "VECTOR"}
ATTRIBUTES = {
    Attribute.NORMAL: "normal",
    Attribute.INCOMING: "float3(0.f, 0.f, 1.f)",
    Attribute.BACKFACING: "backfacing",
}
TYPES = {1: "float", 3: "float3"}


def source_node(text: str) -> Node:
    """Return a node that holds a source's number; its name is the source."""
    kind = KINDS.get(text.split()[0], "VALUE")
    value = 0.0 if kind == "VALUE" else (0.0, 0.0, 0.0)
    return Node(text, "ShaderNodeValue", outputs=(Socket("Out", "Out", kind, value),))


def compile_case(case: Case) -> tuple[Value, str, dict[str, str]]:
    """Return the value of a case, its kind, and the Slang expressions of its sources by name."""
    builder = GraphBuilder()
    inputs = {}
    for identifier, source in case.inputs.items():
        inputs[identifier] = (source, "Out") if isinstance(source, str) else source
        if isinstance(source, str):
            builder.put(source_node(source))
    node = builder.add(case.kind, "Node", inputs=inputs, **properties_of(case))
    compiler = Compiler("Case", {}, AttributeTable())
    graph = builder.graph()
    carried = compiler.output(Scope(graph, "Case"), graph.nodes[node], case.output)
    assert carried is not None, compiler.problems
    assert compiler.problems == []
    names = (source for source in case.inputs.values() if isinstance(source, str))
    sources = {f"{quoted(name)}.Out": expression(name) for name in names}
    return carried.content, carried.kind, sources


def expression(source: str) -> str:
    """Return a source in Slang."""
    name = source.split()[-1]
    return f"({name} * 6000.f)" if source.startswith("kelvin") else name


def properties_of(case: Case) -> dict[str, Any]:
    """Return the properties of a case as addon/blender/graphs.py reads them."""
    if "direction" in case.properties:
        return {"output": case.properties["direction"]}
    if "curves" not in case.properties:
        return case.properties
    rows = np.load(GOLDEN)[f"curves {case.name}"].tolist()
    low, high = rows[0][:2]
    samples = tuple(tuple(row[2:]) for row in rows)
    extend = case.properties["extend"]
    return {"mapping": {"low": low, "high": high, "extend": extend, "samples": samples}}


def printed_texture(value: Texture, sources: dict[str, str], texels: list[float]) -> str:
    """Return a lookup in a texture of one row, whose texels join the others."""
    assert (value.wrap, value.filter, value.pixels.shape[0]) == ("extend", "linear", 1)
    assert value.uv is not None
    uv, row = printed(value.uv, sources, texels), value.pixels[0, :, 0].tolist()
    texels += row
    return f"lookUp(texels, {len(texels) - len(row)}, {len(row)}, {uv})"


LOOK_UP = """
float texelOf(Tensor<float, 1> texels, int first, int count, float place)
{
    return texels[first + clamp(int(place), 0, count - 1)];
}

[Differentiable]
float lookUp(no_diff Tensor<float, 1> texels, no_diff int first, no_diff int count, float2 uv)
{
    const float place = uv.x * count - 0.5f;
    const float before = no_diff floor(place);
    const float left = no_diff texelOf(texels, first, count, before);
    const float right = no_diff texelOf(texels, first, count, before + 1.f);
    return left + (right - left) * (place - before);
}
"""


def printed(value: Value, sources: dict[str, str], texels: list[float]) -> str:
    """Return a value as a Slang expression."""
    if isinstance(value, Constant):
        numbers = ", ".join(f"{number!r}f" for number in value.numbers)
        return sources.get(value.name, f"{TYPES[len(value.numbers)]}({numbers})")
    if isinstance(value, Attribute):
        return ATTRIBUTES[value]
    if isinstance(value, Texture):
        return printed_texture(value, sources, texels)
    if isinstance(value, (float, tuple)):
        numbers = value if isinstance(value, tuple) else (value,)
        return f"{TYPES[len(numbers)]}({', '.join(f'{number!r}f' for number in numbers)})"
    assert isinstance(value, SlangCall), value
    assert value.module == "weft.nodes"
    arguments = ", ".join(printed(entry, sources, texels) for entry in value.arguments.values())
    return f"{value.function}({arguments})"


def module_of(cases: list[Case]) -> tuple[str, np.ndarray]:
    """Return a module with `evaluate`, which computes the case of a number, and its texels."""
    branches: list[str] = []
    texels: list[float] = [0.0]
    for number, case in enumerate(cases):
        value, kind, sources = compile_case(case)
        text = printed(value, sources, texels)
        wide = f"float3({text})" if kind == "VALUE" else text
        branches.append(f"    case {number}: return {wide};")
    lines = [
        "import weft.nodes;",
        LOOK_UP,
        "[Differentiable]",
        "public float3 evaluate(no_diff int number, float3 a, float3 b, float3 c,",
        "                       no_diff float3 normal, no_diff float backfacing,",
        "                       no_diff Tensor<float, 1> texels)",
        "{",
        "    switch (number)",
        "    {",
        *branches,
        "    default: return float3(0.f);",
        "    }",
        "}",
    ]
    return "\n".join(lines), np.array(texels, np.float32)
