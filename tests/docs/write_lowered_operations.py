# SPDX-License-Identifier: Apache-2.0
"""Write ``docs/lowered_operations.md``: what each operation of Slang becomes in Blender.

Run it from the repository's root after a change of native/lower:

    ./dev python tests/docs/write_lowered_operations.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import weft

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "lowered_operations.md"

HEAD = """# What lowers to what

The nodes that one operation of a Slang function becomes ([how to lower](guide/lowering.md)).
Several nodes are joined by +; a product that is only added to, and bounds on both sides, become one
node with what uses them. "refused" is an error that says what to do. The last column is OSL, in
which all of Slang's numbers of 32 bits compute as they do in Slang. Trees of the compositor are
those of shaders. This page is written by `tests/docs/write_lowered_operations.py`.

| Slang | shader tree | geometry tree | OSL |
| --- | --- | --- | --- |
"""

REALS = (
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "a * b + c",
    "-a",
    "abs(a)",
    "sign(a)",
    "min(a, b)",
    "clamp(a, 0.f, 1.f)",
    "lerp(a, b, c)",
    "step(a, b)",
    "smoothstep(a, b, c)",
    "floor(a)",
    "ceil(a)",
    "trunc(a)",
    "round(a)",
    "frac(a)",
    "fmod(a, b)",
    "sqrt(a)",
    "rsqrt(a)",
    "pow(a, b)",
    "exp(a)",
    "exp2(a)",
    "log(a)",
    "log2(a)",
    "sin(a)",
    "cos(a)",
    "tan(a)",
    "asin(a)",
    "acos(a)",
    "atan(a)",
    "atan2(a, b)",
    "sinh(a)",
    "cosh(a)",
    "tanh(a)",
    "a < b ? a : c",
    "a <= b ? a : c",
    "a == b ? a : c",
    "float(half(a))",
    "float(asint(a))",
    "float(int(a))",
)
PATTERNS = (
    "whiteNoise(p)",
    "whiteNoiseColor(p)",
    "perlinNoise(p)",
    "perlinNoiseColor(p, 3)",
    "voronoi(p).distance",
    "voronoi(p).color",
    "voronoi(p).position",
    "voronoiSecond(p).color",
    "voronoiEdge(p)",
)
INTEGERS = (
    "a + b",
    "a * b",
    "a / b",
    "a & b",
    "a ^ b",
    "~a",
    "a << 3",
    "a >> 3",
    "min(a, b)",
    "a < b ? a : b",
)


def nodes_of(source: str, tree: str) -> str:
    """Return the nodes that a function becomes, or that it is refused."""
    try:
        lowered = weft.lower(None, "f", text=source, tree=tree)
    except weft.ArgumentError:
        return "refused"
    assert lowered.tree is not None
    names = []
    for node in lowered.tree["nodes"][1:]:
        kind = node["type"].removeprefix("ShaderNode").removeprefix("FunctionNode")
        what = node["properties"].get("operation") or node["properties"].get("rounding_mode")
        names.append(kind.removeprefix("GeometryNode") + (f" {what}" if what else ""))
    return " + ".join(names) or "a link"


def osl_of(source: str) -> str:
    """Return whether OSL has it."""
    try:
        weft.lower(None, "f", text=source, to="osl")
    except weft.ArgumentError:
        return "refused"
    return "yes"


def page() -> str:
    """Return the text of the page."""
    lines = []
    for kind, expressions in (("float", REALS), ("int", INTEGERS), ("uint", INTEGERS)):
        for expression in expressions:
            source = f"{kind} f({kind} a, {kind} b, {kind} c) {{ return {expression}; }}"
            cells = [nodes_of(source, tree) for tree in ("shader", "geometry")]
            lines.append(
                f"| {kind}: `{expression}` | {cells[0]} | {cells[1]} | {osl_of(source)} |\n"
            )
    for expression in PATTERNS:
        is_vector = expression.endswith("or") or "Color" in expression or "position" in expression
        result = "float3" if is_vector else "float"
        source = f"import weft.noise; {result} f(float3 p) {{ return {expression}; }}"
        cells = [nodes_of(source, tree) for tree in ("shader", "geometry")]
        lines.append(f"| float3: `{expression}` | {cells[0]} | {cells[1]} | {osl_of(source)} |\n")
    return HEAD + "".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}\n")
    PAGE.write_text(page(), encoding="utf-8")
