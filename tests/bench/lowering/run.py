# SPDX-License-Identifier: Apache-2.0
"""``./dev bench lower``: how much of a corpus is lowered, how long that takes, what shading costs.

Runs in Blender's Python. Costs are processor time a shade in Cycles: a plane fills the picture, and
what a plane of one color takes is subtracted. All rows are of one run.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from bench.lowering import estimates  # noqa: E402
from bench.lowering.functions import is_lowered, lower, of_group, of_osl  # noqa: E402
from bench.lowering.shading import NodeOf, nanoseconds  # noqa: E402
from support import lowering_corpus as corpus  # noqa: E402


def print_shares() -> None:
    names = corpus.names()
    for label, tree, to in (
        ("shader trees", "shader", "nodes"),
        ("geometry trees", "geometry", "nodes"),
        ("OSL", "shader", "osl"),
    ):
        count = sum(is_lowered(name, tree, to) for name in names)
        print(f"lowered to {label}: {count} of {len(names)}, {100 * count / len(names):.0f} %")


def print_counts() -> None:
    print("\n| function | operations | shader nodes | geometry nodes |")
    print("| --- | --- | --- | --- |")
    for name in corpus.names():
        cells = []
        for tree in ("shader", "geometry"):
            if is_lowered(name, tree, "nodes"):
                found = lower(name, corpus.TEXT, tree)
                cells.append(f"{found.nodes} ({found.nodes / max(found.operations, 1):.2f})")
                operations = str(found.operations)
            else:
                cells.append("refused")
        if cells != ["refused", "refused"]:
            print(f"| {name} | {operations} | {' | '.join(cells)} |")


def print_lowering_time() -> None:
    """Print what lowering takes of this process; Slang's compile, in another, is cached."""
    source = corpus.TEXT
    found = lower("fbm", source, "geometry")
    times = []
    for _ in range(20):
        start = time.process_time()
        lower("fbm", source, "geometry")
        times.append(time.process_time() - start)
    print(
        f"\nlowering {found.operations} operations to {found.nodes} nodes, "
        f"JSON read included: {1e3 * np.median(times):.1f} ms"
    )


def of_texture(kind: str, **settings: float) -> NodeOf:
    def make(tree: bpy.types.NodeTree) -> bpy.types.Node:
        node = tree.nodes.new(kind)
        for name, value in settings.items():
            node.inputs[name].default_value = value
        return node

    return make


WHITE = """
import weft.noise;
float value(float2 p)
{
    float2 c = floor(p), t = p - c;
    t = t * t * (3 - 2 * t);
    float low = lerp(whiteNoise(c), whiteNoise(c + float2(1, 0)), t.x);
    float high = lerp(whiteNoise(c + float2(0, 1)), whiteNoise(c + float2(1, 1)), t.x);
    return lerp(low, high, t.y);
}
float clouds(float2 p)
{
    float s = 0, a = 0.5f;
    for (int i = 0; i < 4; i++) { s += a * value(p); p = p * 2 + 3; a *= 0.5f; }
    return s;
}
"""
HASHED = (
    corpus.TEXT
    + """
float clouds(float2 p)
{
    float s = 0, a = 0.5f;
    for (int i = 0; i < 4; i++) { s += a * valueNoise(p); p = p * 2 + 3; a *= 0.5f; }
    return s;
}
"""
)


def cases() -> list[tuple[str, Callable[[], NodeOf], bool]]:
    """Return rows: what it is, what makes its node once the file is empty, whether it needs OSL."""
    noise = "ShaderNodeTexNoise"
    return [
        ("Noise Texture, detail 0", lambda: of_texture(noise, Detail=0), False),
        ("Noise Texture, detail 3", lambda: of_texture(noise, Detail=3), False),
        ("Voronoi Texture", lambda: of_texture("ShaderNodeTexVoronoi"), False),
        ("Brick Texture", lambda: of_texture("ShaderNodeTexBrick"), False),
        (
            "noise of 4 octaves, White Noise, nodes",
            lambda: of_group(lower("clouds", WHITE)),
            False,
        ),
        (
            "noise of 4 octaves, gradient noise, nodes",
            lambda: of_group(lower("octaves", corpus.PATTERNS)),
            False,
        ),
        ("Mandelbrot, nodes", lambda: of_group(lower("mandelbrot", corpus.TEXT)), False),
        ("brick, nodes", lambda: of_group(lower("brick", corpus.TEXT)), False),
        (
            "noise of 4 octaves, integer hash, OSL",
            lambda: of_osl(lower("clouds", HASHED, to="osl")),
            True,
        ),
        ("Mandelbrot, OSL", lambda: of_osl(lower("mandelbrot", corpus.TEXT, to="osl")), True),
        ("brick, OSL", lambda: of_osl(lower("brick", corpus.TEXT, to="osl")), True),
    ]


TARGETS = (
    ("noise of 4 octaves, gradient noise, nodes", "Noise Texture, detail 3", 2.2),
    ("noise of 4 octaves, integer hash, OSL", "Noise Texture, detail 3", 2.0),
    ("Mandelbrot, OSL", "Mandelbrot, nodes", 1 / 20),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=256, help="pixels a side")
    parser.add_argument("--samples", type=int, default=64)
    arguments = parser.parse_args()
    print(f"Blender {bpy.app.version_string}")
    print_shares()
    print_counts()
    print_lowering_time()
    costs = nanoseconds(cases(), arguments.size, arguments.samples)
    print("\n| shading | ns |\n| --- | --- |")
    for name, cost in costs.items():
        print(f"| {name} | {cost:.0f} |")
    print("\n| ratio | value | wanted |\n| --- | --- | --- |")
    for name, beside, wanted in TARGETS:
        print(f"| {name} / {beside} | {costs[name] / costs[beside]:.3f} | {wanted:.2f} |")
    estimates.print_all(arguments.size, arguments.samples)
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(status)
