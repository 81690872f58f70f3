# SPDX-License-Identifier: Apache-2.0
"""Values of compiled nodes at points, without a scene: the text of a material as a function."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from addon.core.graph.compile import CompiledMaterial, compile_material
from addon.core.graph.model import Graph

from support.node_graphs import GraphBuilder
from support.texture_cases import CASES, Case, points
from weft.scene.program import print_program


@dataclass
class NodeFunction:
    """A value as a Slang function of three floats.

    Args:
        text: Of the module.
        drivers: Names of the points that it takes, in order.
        numbers: The material's parameters, which follow, one argument a float.
        compiled: The material.
    """

    text: str
    drivers: list[str]
    numbers: list[float]
    compiled: CompiledMaterial


def case_graph(name: str, output: str) -> Graph:
    """Return a case's node as the colour of an emission."""
    case = CASES[name]
    builder = GraphBuilder(hashes_by_lookup3=case.is_old)
    links: dict[str, Any] = {}
    for identifier, value in case.inputs.items():
        links[identifier] = value
        if isinstance(value, str):
            source = builder.add("ShaderNodeAttribute", f"From {value}", attribute_name=value)
            links[identifier] = (source, "Vector" if points()[value].ndim == 2 else "Fac")
    node = builder.add(case.node, "Node", inputs=links, **_properties(case))
    glow = builder.add("ShaderNodeEmission", inputs={"Color": (node, output)})
    surface = {"Surface": (glow, "Emission")}
    builder.add("ShaderNodeOutputMaterial", inputs=surface, is_active_output=True)
    return builder.graph()


def _properties(case: Case) -> dict[str, Any]:
    """Return a case's properties as addon/blender/graphs.py reads them."""
    found = dict(case.properties)
    if "stops" not in found:
        return found
    stops = found.pop("stops")
    ramp = {
        **found,
        "positions": tuple(stop[0] for stop in stops),
        "colors": tuple(stop[1:] for stop in stops),
    }
    return {"color_ramp": ramp}


def print_value(name: str, output: str, function: str = "evaluate") -> NodeFunction:
    """Return the output of a case's node as a function."""
    compiled = compile_material(case_graph(name, output), {}, "Case")
    assert compiled.problems == [], compiled.problems
    program = print_program(compiled.material)
    # Text of the graph's own, of ramps for example, lies in a namespace that the program names.
    owners = sorted(set(re.findall(r"\buser_\w+(?=::)", program.text)))
    assert len(program.sources) == len(owners) <= 1
    sources = [f"namespace {o}\n{{\n{s}\n}}" for o, s in zip(owners, program.sources, strict=True)]
    # The program of an emission is its color, times a strength; the rest of the surface goes.
    lines = [line.strip() for line in program.text.splitlines()]
    emission = [line for line in lines if line.startswith("surface.emission = ")]
    (color,) = re.findall(r"^surface\.emission = \(.*?\) \* (\w+);$", "".join(emission))
    kept = [line for line in lines if re.match(r"const (float|uint|int|bool)", line)]
    numbers = [number for slot in program.slots for number in slot.values]
    requests = compiled.attributes
    body = "\n".join([*(line for line in kept if " wi = " not in line), f"return {color};"])
    body = re.sub(r"(?:no_diff )?loadColor\(m\.scene\.geometry, s, (\d+)\)", r"a\1", body)
    body = re.sub(r"parameter\(m, (\d+)\)", r"p\1", body)
    inputs = [f"no_diff float3 a{k}" for k in range(len(requests))]
    inputs += [f"float p{k}" for k in range(len(numbers))]
    text = f"[Differentiable]\npublic float3 {function}({', '.join(inputs)})\n{{\n{body}\n}}\n"
    imports = {f"import {module};" for module in (*program.modules, "weft.nodes")}
    return NodeFunction(
        "\n".join([*sorted(imports), *sources, text]),
        [request.name for request in requests],
        numbers,
        compiled,
    )


def driver_arrays(function: NodeFunction, rows: slice = slice(None)) -> list[np.ndarray]:
    """Return what a function's drivers are at the points."""
    named = points()
    wide = {k: v if v.ndim == 2 else np.repeat(v[:, None], 3, axis=1) for k, v in named.items()}
    return [np.ascontiguousarray(wide[name][rows]) for name in function.drivers]
