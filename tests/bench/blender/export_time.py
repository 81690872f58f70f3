# SPDX-License-Identifier: Apache-2.0
"""Measure the export of a mesh of a million triangles; run it inside the bpy environment.

PYTHONPATH=build/dev/stage:. build/venv-bpy-4.5/bin/python tests/bench/blender/export_time.py
"""

from __future__ import annotations

import os
import statistics
import sys
import time

import bpy
import numpy as np
from addon.blender.export import SceneExporter

RUNS = 5


def add_wave() -> None:
    """Add a million triangles: quads with smooth normals, and a UV map."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=708, y_subdivisions=708)
    bpy.ops.object.shade_smooth()
    mesh = bpy.context.object.data
    positions = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", positions)
    positions[2::3] = 0.1 * np.sin(20 * positions[::3] * positions[1::3])
    mesh.vertices.foreach_set("co", positions)
    mesh.update()


def add_ball() -> None:
    """Add a million triangles, with custom normals at their corners."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=9)
    bpy.ops.object.shade_smooth()
    mesh = bpy.context.object.data
    mesh.normals_split_custom_set_from_vertices([(0, 0, 1)] * len(mesh.vertices))


def seconds(exporter: SceneExporter) -> float:
    """Return how long an export of the scene takes."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    start = time.perf_counter()
    exporter.export(depsgraph)
    return time.perf_counter() - start


def main() -> None:
    """Print one line a mesh."""
    for build in (add_wave, add_ball):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        build()
        first, again = [], []
        for _ in range(RUNS):
            exporter = SceneExporter()
            first.append(seconds(exporter))
            again.append(seconds(exporter))
        print(
            f"{build.__name__}: first {statistics.median(first):.3f} s, "
            f"unchanged {statistics.median(again):.3f} s"
        )


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
