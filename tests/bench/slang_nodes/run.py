# SPDX-License-Identifier: Apache-2.0
"""``./dev bench nodes``: what Slang nodes cost Blender's main thread, and a user who waits.

Runs in Blender's Python. Ratios are of one run; times of processors unless it says otherwise.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import bpy

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from addon.core.steps import last_value  # noqa: E402

import addon  # noqa: E402
import weft_blender  # noqa: E402

REPEATS = 5


def source(operations: int, shift: float = 0.0) -> str:
    """Return a function of about so many operations."""
    lines = "".join(
        f"    x = sin(x * {k % 7 + 1}.5f + y) + cos(y - x) * a;\n" for k in range(operations // 5)
    )
    return (
        "float large(float3 p, float a = 0.5f)\n"
        f"{{\n    float x = p.x, y = p.y + {shift};\n{lines}    return x;\n}}\n"
    )


def new_tree(kind: str = "ShaderNodeTree") -> bpy.types.NodeTree:
    return bpy.data.node_groups.new("t", kind)


def write(text: bpy.types.Text, content: str) -> None:
    text.clear()
    text.write(content)


def median_of(measure) -> float:
    return statistics.median(measure(number) for number in range(REPEATS))


def print_following(operations: int) -> None:
    """Print the time from the last letter until the node is what the text says."""
    from addon.ui.slang_nodes import following

    text = bpy.data.texts.new("large.slang")
    write(text, source(operations))
    node = weft_blender.add_node(new_tree(), text)
    updater = following.updater()
    steps: list[float] = []

    def rest() -> None:
        while not updater.is_idle:
            tick()

    def tick() -> None:
        start = time.perf_counter()
        pause = following.tick()
        steps.append(time.perf_counter() - start)
        time.sleep(pause or 0)

    def one(number: int) -> float:
        for _ in range(3):
            tick()
        rest()
        before = updater.updated
        write(text, source(operations, number + 1.0))
        start = time.perf_counter()
        while updater.updated == before:
            tick()
        return time.perf_counter() - start

    one(100)
    steps.clear()
    seconds = median_of(one)
    print(
        f"{operations} operations, {len(node.node_tree.nodes)} nodes outside: last letter to new "
        f"node {seconds:.2f} s (.3), longest step {1000 * max(steps):.0f} ms (16)"
    )


def script_of(tree: bpy.types.NodeTree) -> float:
    """Return what the same nodes, sockets and links cost a plain script, in equal groups."""
    parts = {
        node.node_tree.name: node.node_tree for node in tree.nodes if hasattr(node, "node_tree")
    }
    plans = [plan_of(group) for group in (*parts.values(), tree)]
    made: dict[str, bpy.types.NodeTree] = {}
    start = time.process_time()
    for name, sockets, nodes, links in plans:
        group = made[name] = bpy.data.node_groups.new("s", "ShaderNodeTree")
        for label, direction, kind in sockets:
            group.interface.new_socket(label, in_out=direction, socket_type=kind)
        known = {}
        for label, kind, operation, part in nodes:
            node = known[label] = group.nodes.new(kind)
            if part:
                node.node_tree = made[part]
            if operation:
                node.operation = operation
        for source_name, output, target, place in links:
            group.links.new(known[source_name].outputs[output], known[target].inputs[place])
    return time.process_time() - start


def plan_of(group: bpy.types.NodeTree) -> tuple:
    """Return a group's name, sockets, nodes and links."""
    sockets = [(item.name, item.in_out, item.socket_type) for item in group.interface.items_tree]
    nodes = [
        (node.name, node.bl_idname, getattr(node, "operation", None),
         node.node_tree.name if hasattr(node, "node_tree") else "")
        for node in group.nodes
    ]  # fmt: skip
    links = [
        (link.from_node.name, list(link.from_node.outputs).index(link.from_socket),
         link.to_node.name, list(link.to_node.inputs).index(link.to_socket))
        for link in group.links
    ]  # fmt: skip
    return group.name, sockets, nodes, links


def print_building(operations: int) -> None:
    """Print the cost of a group beside that of a script that makes the same nodes."""
    from addon.blender.slang_nodes.build import new_group
    from addon.blender.slang_nodes.nodes import request_for
    from addon.blender.slang_nodes.reading import key_of
    from addon.core.slang_nodes.preparing import prepare

    text = bpy.data.texts.new("built.slang")
    write(text, source(operations))
    prepared = prepare(request_for(key_of(text), "large", "ShaderNodeTree"))

    def own(_: int) -> float:
        start = time.process_time()
        last_value(new_group(prepared))
        return time.process_time() - start

    tree = last_value(new_group(prepared))
    seconds, script = median_of(own), median_of(lambda _: script_of(tree))
    print(
        f"{operations} operations: group {1000 * seconds:.0f} ms, script {1000 * script:.0f} ms: "
        f"{seconds / script:.2f} (1.3)"
    )


def print_many() -> None:
    """Print the cost of a thousand nodes, in one tree and over twenty."""
    text = bpy.data.texts.new("many.slang")
    write(text, source(20))
    group = weft_blender.add_node(new_tree(), text).node_tree

    def own(trees: int) -> float:
        made = [new_tree() for _ in range(trees)]
        start = time.process_time()
        for number in range(1000):
            tree = made[number % trees]
            weft_blender.add_node(tree, text, a=number)
        return time.process_time() - start

    def blender(trees: int) -> float:
        made = [new_tree() for _ in range(trees)]
        start = time.process_time()
        for number in range(1000):
            node = made[number % trees].nodes.new("ShaderNodeGroup")
            node.node_tree = group
            node.inputs[1].default_value = number
        return time.process_time() - start

    for trees, bar in ((20, "2 s"), (1, "1.2 of Blender's own")):
        mine, theirs = own(trees), blender(trees)
        print(f"1000 nodes in {trees} trees: {mine:.2f} s, Blender's own {theirs:.2f} s ({bar})")


def print_opening(count: int) -> None:
    """Print what a file of many Slang nodes takes to open, with the extension and without."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    text = bpy.data.texts.new("open.slang")
    text.use_fake_user = True
    write(
        text,
        "float f(float x, [Build] int k) { return x * k; }\n".join(["import weft.node;\n", ""]),
    )
    tree = new_tree()
    tree.use_fake_user = True
    for number in range(count):
        weft_blender.add_node(tree, text, build={"k": number})
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "scene.blend")
        bpy.ops.wm.save_as_mainfile(filepath=file)

        def opened(_: int) -> float:
            start = time.process_time()
            bpy.ops.wm.open_mainfile(filepath=file)
            return time.process_time() - start

        own = median_of(opened)
        addon.unregister()
        without = median_of(opened)
        addon.register()
    print(f"{count} groups: opening takes {1000 * (own - without):.0f} ms more (100)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--templates", nargs="*", metavar="NAME", help="measure these node templates alone, or all"
    )
    given = parser.parse_args()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon.register()
    print(f"Blender {bpy.app.version_string}")
    if given.templates is not None:
        from bench.slang_nodes.template_costs import print_templates

        print_templates(given.templates)
        sys.stdout.flush()
        os._exit(0)  # as below
    for operations in (20, 100, 500):
        print_following(operations)
    for operations in (100, 1000):
        print_building(operations)
    print_many()
    print_opening(200)
    sys.stdout.flush()
    os._exit(0)  # Blender's own clean-up can hang


main()
