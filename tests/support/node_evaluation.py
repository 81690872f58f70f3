# SPDX-License-Identifier: Apache-2.0
"""Compiled nodes as Slang functions of their inputs, without a scene around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from addon.core.graph.compile import AttributeTable, Compiler, Scope, dotless
from addon.core.graph.model import Node, Socket

from support.node_graphs import GraphBuilder
from weft.scene import Attribute, Constant, SlangCall

if TYPE_CHECKING:
    from support.node_cases import Case
    from weft.scene.values import Value

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
    node = builder.add(case.kind, "Node", inputs=inputs, **case.properties)
    compiler = Compiler("Case", {}, AttributeTable(), parameter_prefix="Case")
    graph = builder.graph()
    carried = compiler.output(Scope(graph, "Case"), graph.nodes[node], case.output)
    assert carried is not None, compiler.problems
    assert compiler.problems == []
    names = (source for source in case.inputs.values() if isinstance(source, str))
    sources = {f"{dotless(name)}/Out": name.split()[-1] for name in names}
    return carried.content, carried.kind, sources


def printed(value: Value, sources: dict[str, str]) -> str:
    """Return a value as a Slang expression."""
    if isinstance(value, Constant):
        numbers = ", ".join(f"{number!r}f" for number in value.numbers)
        return sources.get(value.name, f"{TYPES[len(value.numbers)]}({numbers})")
    if isinstance(value, Attribute):
        return ATTRIBUTES[value]
    assert isinstance(value, SlangCall), value
    assert value.module == "weft.nodes"
    arguments = ", ".join(printed(entry, sources) for entry in value.arguments.values())
    return f"{value.function}({arguments})"


def module_of(cases: list[Case]) -> str:
    """Return a module with `evaluate`, which computes the case of a number."""
    branches = []
    for number, case in enumerate(cases):
        value, kind, sources = compile_case(case)
        text = printed(value, sources)
        branches.append(
            f"    case {number}: return {text if kind != 'VALUE' else f'float3({text})'};"
        )
    return "\n".join(
        [
            "import weft.nodes;",
            "[Differentiable]",
            "public float3 evaluate(no_diff int number, float3 a, float3 b, float3 c,",
            "                       no_diff float3 normal, no_diff float backfacing)",
            "{",
            "    switch (number)",
            "    {",
            *branches,
            "    default: return float3(0.f);",
            "    }",
            "}",
        ]
    )
