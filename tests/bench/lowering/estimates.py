# SPDX-License-Identifier: Apache-2.0
"""What lowered functions are estimated to cost, beside what they are measured to cost.

OSL has no estimate: what its compiler leaves of a function is not told by counts of operations.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import bpy
import numpy as np
from addon.blender.lowered_groups import build_group

import weft
from bench.lowering.functions import is_lowered, lower, of_group
from bench.lowering.shading import NodeOf, nanoseconds
from blender import lowered_values
from support import lowering_corpus as corpus

POINTS = 200_000
MIN_NS, MIN_MS = 40, 4
"""Less than that is lost in what a plane, or a mesh, of one value takes."""

Measured = dict[str, tuple[float, float]]


PASSED = "float passed(float2 p) { return p.x; }"


def lowered_to(tree: str) -> dict[str, weft.Lowered]:
    """Return the functions of the corpus that such trees compute."""
    names = [name for name in corpus.names() if is_lowered(name, tree, "nodes")]
    return {name: lower(name, corpus.TEXT, tree) for name in names}


def in_cycles(size: int, samples: int) -> Measured:
    """Return estimated and measured nanoseconds a shade of the corpus."""

    def maker(name: str, text: str) -> Callable[[], NodeOf]:
        return lambda: of_group(lower(name, text))

    functions = lowered_to("shader")
    cases = [(name, maker(name, corpus.TEXT), False) for name in functions]
    # What feeds a node, and the Separate XYZ that every estimate has, is no cost of the functions.
    costs = nanoseconds([("passed", maker("passed", PASSED), False), *cases], size, samples)
    feeding = costs.pop("passed") - (lower("passed", PASSED).cost or 0)
    return {name: (functions[name].cost, cost - feeding) for name, cost in costs.items()}


def in_geometry_nodes() -> Measured:
    """Return estimated and measured milliseconds a million points of the corpus.

    Of functions of one result: others are evaluated once for each attribute that is stored.
    """
    found = {}
    for name, function in lowered_to("geometry").items():
        if len(function.outputs) > 1:
            continue
        bpy.ops.wm.read_factory_settings(use_empty=True)
        cost = seconds_of_points(function, build_group(function.tree, name))
        (output,) = function.outputs
        nothing = {"NodeSocketVector": (0, 0, 0), "NodeSocketColor": (0, 0, 0, 1)}
        results = [nothing.get(output.type, False)]
        empty = build_group({**function.tree, "nodes": [], "results": results}, "empty")
        cost -= seconds_of_points(function, empty)
        found[name] = (function.cost, 1e3 * cost * 1e6 / POINTS)
    return found


def seconds_of_points(function: weft.Lowered, group: bpy.types.NodeTree) -> float:
    """Return the processor time of evaluating a group at all points."""
    values = {variable.name: corpus.drawn(variable, 1, POINTS) for variable in function.parameters}
    times = []
    with lowered_values.evaluated_points(function, group, values) as evaluate:
        for _ in range(4):
            start = time.process_time()
            evaluate()
            times.append(time.process_time() - start)
    return min(times)


def print_measured(label: str, unit: str, least: float, measured: Measured) -> None:
    """Print a table of what takes longest, and how far estimates are from what was measured."""
    print(f"\n| {label} | estimate, {unit} | measured | estimate / measured |")
    print("| --- | --- | --- | --- |")
    for name, (estimate, cost) in sorted(measured.items(), key=lambda entry: -entry[1][1]):
        print(f"| {name} | {estimate:.1f} | {cost:.1f} | {estimate / max(cost, 1e-9):.2f} |")
    ratios = [estimate / cost for estimate, cost in measured.values() if cost >= least]
    if ratios:
        low, middle, high = np.percentile(ratios, [10, 50, 90])
        print(
            f"{label}: estimate / measured of the {len(ratios)} that take {least} {unit} or more: "
            f"median {middle:.2f}, from {low:.2f} to {high:.2f} for 8 of 10"
        )


def print_all(size: int, samples: int) -> None:
    """Print estimates beside measurements: Cycles and geometry nodes."""
    print_measured("shader nodes", "ns a shade", MIN_NS, in_cycles(size, samples))
    print_measured("geometry nodes", "ms a million points", MIN_MS, in_geometry_nodes())
