# SPDX-License-Identifier: Apache-2.0
"""``./dev bench lower``: how much of a corpus is lowered, how long that takes, what shading costs.

Runs in Blender's Python. Costs are processor time a shade in Cycles: a plane fills the picture, and
what a plane of one color takes is subtracted. All rows are of one run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from addon.blender.lowered_groups import build_group  # noqa: E402

import weft  # noqa: E402
from blender import osl_rows  # noqa: E402
from support import lowering_corpus as corpus  # noqa: E402

NodeOf = Callable[[bpy.types.NodeTree], bpy.types.Node]
VERSION = bpy.app.version[:2]


def lower(name: str, text: str, tree: str = "shader", to: str = "nodes") -> weft.Lowered:
    return weft.lower(None, name, text=text, tree=tree, to=to, blender=VERSION)


def is_lowered(name: str, tree: str, to: str) -> bool:
    try:
        lower(name, corpus.TEXT, tree, to)
    except weft.ArgumentError:
        return False
    return True


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


def of_group(lowered: weft.Lowered) -> NodeOf:
    group = build_group(lowered.tree, lowered.name)

    def make(tree: bpy.types.NodeTree) -> bpy.types.Node:
        node = tree.nodes.new("ShaderNodeGroup")
        node.node_tree = group
        return node

    return make


def of_osl(lowered: weft.Lowered) -> NodeOf:
    def make(tree: bpy.types.NodeTree) -> bpy.types.Node:
        return osl_rows.script_node(tree, lowered.text, osl_rows.parameters(lowered.text))

    return make


def of_texture(kind: str, **settings: float) -> NodeOf:
    def make(tree: bpy.types.NodeTree) -> bpy.types.Node:
        node = tree.nodes.new(kind)
        for name, value in settings.items():
            node.inputs[name].default_value = value
        return node

    return make


def shading_material(make: NodeOf | None) -> bpy.types.Material:
    """Return a material that shines in a node's first output, or in one color."""
    material = bpy.data.materials.new("measured")
    if material.node_tree is None:  # to set it is deprecated where it always is
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    emission = tree.nodes.new("ShaderNodeEmission")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(emission.outputs[0], end.inputs["Surface"])
    if make is not None:
        node = make(tree)
        place = tree.nodes.new("ShaderNodeNewGeometry")
        tree.links.new(place.outputs["Position"], node.inputs[0])
        tree.links.new(node.outputs[0], emission.inputs["Color"])
    return material


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


def nanoseconds(size: int, samples: int) -> dict[str, float]:
    """Return the cost of each case a shade, of what more samples take: set-up is left out."""
    few = samples // 8
    shades = size * size * (samples - few)
    found = {}
    with tempfile.TemporaryDirectory() as folder:

        def least(make: Callable[[], NodeOf] | None, osl: bool) -> float:
            times: dict[int, list[float]] = {few: [], samples: []}
            for _ in range(3):
                for count, taken in times.items():
                    bpy.ops.wm.read_factory_settings(use_empty=True)
                    taken.append(picture(make, osl=osl, size=size, samples=count, folder=folder))
            return min(times[samples]) - min(times[few])

        plain = {osl: least(None, osl) for osl in (False, True)}
        for name, make, osl in cases():
            found[name] = 1e9 * (least(make, osl) - plain[osl]) / shades
    return found


def picture(
    make: Callable[[], NodeOf] | None, *, osl: bool, size: int, samples: int, folder: str
) -> float:
    """Return the processor time of a picture of what `make` makes in an empty file."""
    material = shading_material(None if make is None else make())
    mesh = bpy.data.meshes.new("plane")
    mesh.from_pydata([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], [], [[0, 1, 2, 3]])
    mesh.materials.append(material)
    scene = bpy.context.scene
    scene.collection.objects.link(bpy.data.objects.new("plane", mesh))
    osl_rows.set_up(size, size)
    scene.camera.data.ortho_scale = 4
    scene.camera.location = (0, 0, 10)
    scene.cycles.shading_system = osl
    scene.cycles.samples = samples
    scene.cycles.filter_width = 1
    scene.render.filepath = str(Path(folder) / "picture.exr")
    start = time.process_time()
    bpy.ops.render.render(write_still=True)
    return time.process_time() - start


TARGETS = (
    ("noise of 4 octaves, White Noise, nodes", "Noise Texture, detail 3", 2.2),
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
    costs = nanoseconds(arguments.size, arguments.samples)
    print("\n| shading | ns |\n| --- | --- |")
    for name, cost in costs.items():
        print(f"| {name} | {cost:.0f} |")
    print("\n| ratio | value | wanted |\n| --- | --- | --- |")
    for name, beside, wanted in TARGETS:
        print(f"| {name} / {beside} | {costs[name] / costs[beside]:.3f} | {wanted:.2f} |")
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(status)
