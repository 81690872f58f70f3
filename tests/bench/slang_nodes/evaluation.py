# SPDX-License-Identifier: Apache-2.0
"""``./dev bench evaluate``: what Slang Evaluate costs, and what Blender does of it anyway.

Runs in Blender's Python. Times of processors (all threads) and of clocks; ratios are of one run.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ.setdefault("WEFT_TRUST_DIR", tempfile.mkdtemp(prefix="weft-trust-"))

import bpy  # noqa: E402
import numpy as np  # noqa: E402

import addon  # noqa: E402
import weft_blender  # noqa: E402
from blender.evaluating import add, evaluator, give, grid, text_block, update  # noqa: E402

REPEATS = 7
POINTS = 1000
"""Vertices along a side of the large grid."""

FLOPS = """
void flops(inout float3 position, float gain)
{
    float3 p = position;
    for (int i = 0; i < 5; i++)
        p = p * (1.5 - 0.25 * p) + gain * p.yzx * 0.125 + position * 0.0625;
    position = position + 0.01 * p;
}
"""
"""About 100 operations: 5 times 3 components of 7."""

FBM = """
import demo.noise;
float hashed(float3 position, float scale) { return fbm(position.xy * scale, 5); }
"""
"""The noise of Weft's demo: five octaves, four integer hashes each."""


def measure(work, repeats: int = REPEATS) -> tuple[float, float]:
    """Return the median of wall and of processor time, milliseconds."""
    walls, cpus = [], []
    for number in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        work(number)
        cpus.append(1e3 * (time.process_time() - cpu))
        walls.append(1e3 * (time.perf_counter() - wall))
    return statistics.median(walls), statistics.median(cpus)


def row(name: str, times: tuple[float, float], rest: str = "") -> None:
    print(f"{name:58} wall {times[0]:8.1f} ms  cpu {times[1]:8.1f} ms  {rest}".rstrip(), flush=True)


def engine_share(work) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return times of a piece of work, and of the function in it."""
    from addon.core.evaluation.program import Program

    plain = Program.evaluate
    spent = []

    def timed(self, *given):
        wall, cpu = time.perf_counter(), time.process_time()
        found = plain(self, *given)
        spent.append((1e3 * (time.perf_counter() - wall), 1e3 * (time.process_time() - cpu)))
        return found

    Program.evaluate = timed
    try:
        whole = measure(work)
    finally:
        Program.evaluate = plain
    return whole, (
        statistics.median(wall for wall, _ in spent),
        statistics.median(cpu for _, cpu in spent),
    )


def fresh() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if not hasattr(bpy.types.WindowManager, "weft_session"):
        addon.register()


def measure_direct() -> None:
    """A slider of a direct evaluation: edit to result."""
    fresh()
    thing = grid(POINTS)
    modifier = add(thing, FLOPS, gain=0.0)

    def edit(number: int) -> None:
        give(thing, modifier, "gain", 0.1 + number)
        update()

    whole, engine = engine_share(edit)
    addon.unregister()

    def evaluate(_number: int) -> None:
        thing.data.update_tag()
        update()

    blender = measure(evaluate)
    addon.register()
    row("direct, 1M points, 100 flops: edit to result", whole)
    row("  of it the engine", engine)
    row("  of it outside", (whole[0] - engine[0], whole[1] - engine[1]))
    row("  Blender's evaluation of the modifier alone", blender)


def native_fbm(thing: bpy.types.Object):
    """Put the same noise, as Blender's nodes, into a modifier; return its modifier's input."""
    tree = bpy.data.node_groups.new("Native", "GeometryNodeTree")
    for name, way in (("Geometry", "OUTPUT"), ("Geometry", "INPUT")):
        tree.interface.new_socket(name, in_out=way, socket_type="NodeSocketGeometry")
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    text = text_block(FBM, "native.slang")
    node = weft_blender.add_node(tree, text, scale=7.0)
    place = tree.nodes.new("GeometryNodeInputPosition")
    store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
    store.inputs["Name"].default_value = "result"
    tree.links.new(place.outputs[0], node.inputs["Position"])
    tree.links.new(begin.outputs[0], store.inputs["Geometry"])
    tree.links.new(node.outputs[0], next(s for s in store.inputs if s.name == "Value"))
    tree.links.new(store.outputs[0], end.inputs[0])
    thing.modifiers.new("Native", "NODES").node_group = tree
    print(f"fBm as Blender's nodes: {node_count(node)} nodes")
    return node


def node_count(node: bpy.types.Node) -> int:
    from addon.blender.slang_nodes.tags import read_tag

    return read_tag(node.node_tree).nodes


def values(thing: bpy.types.Object) -> np.ndarray:
    mesh = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    found = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes["result"].data.foreach_get("value", found)
    return found


def measure_noise() -> None:
    """The same noise by the engine and by Blender's nodes."""
    fresh()
    thing = grid(POINTS)
    node = native_fbm(thing)
    update()

    def edit_native(number: int) -> None:
        node.inputs["Scale"].default_value = 7.0 + number
        update()

    native = measure(edit_native)
    expected = values(thing)
    thing.modifiers.clear()
    modifier = add(thing, FBM, scale=7.0)

    def edit(number: int) -> None:
        give(thing, modifier, "scale", 7.0 + number)
        update()

    whole, engine = engine_share(edit)
    apart = float(np.abs(values(thing) - expected).max())
    row("fBm of 5 octaves, 1M points: Blender's nodes", native)
    row("fBm, engine, edit to result", whole, f"differs by {apart:.1e}")
    row("  of it the engine", engine, f"{engine[1] / native[1]:.3f} of the nodes' cpu")


def measure_carried() -> None:
    """A slider behind a subdivision, beside two evaluations of the modifiers."""
    fresh()
    thing = grid(POINTS // 4)
    before = thing.modifiers.new("Subdivision", "SUBSURF")
    before.subdivision_type, before.levels = "SIMPLE", 2
    modifier = add(thing, FLOPS, gain=0.0)

    def edit(number: int) -> None:
        give(thing, modifier, "gain", 0.1 + number)
        update()

    whole, engine = engine_share(edit)
    count = evaluator().evaluations
    addon.unregister()

    def evaluate(_number: int) -> None:
        thing.update_tag()
        update()

    once = measure(evaluate)
    addon.register()
    limit = 1.15 * 2 * once[1] + 12
    row("carrier, 1M points behind a subdivision: edit to result", whole, f"{count} evaluations")
    row("  of it the engine", engine)
    row("  two evaluations of the modifiers", (2 * once[0], 2 * once[1]), f"limit {limit:.0f} ms")


def measure_playback() -> None:
    """100 frames at 100,000 points."""
    fresh()
    thing = grid(316)
    add(thing, FLOPS.replace("float gain", "float time").replace("gain", "time"))
    start, cpu = time.perf_counter(), time.process_time()
    for frame in range(2, 102):
        bpy.context.scene.frame_set(frame)
    wall = time.perf_counter() - start
    cpu = time.process_time() - cpu
    print(
        f"playback, 100 frames, 100k points: {100 / wall:.0f} frames a second, "
        f"{10 * cpu:.1f} ms cpu a frame"
    )


PARTS = {
    "direct": measure_direct,
    "noise": measure_noise,
    "carried": measure_carried,
    "playback": measure_playback,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; none: all")
    chosen = parser.parse_args().parts or list(PARTS)
    print("Blender", bpy.app.version_string, "load", os.getloadavg())
    for name in chosen:
        PARTS[name]()
    sys.stdout.flush()
    os._exit(0)


main()
