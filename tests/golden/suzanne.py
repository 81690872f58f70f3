# SPDX-License-Identifier: Apache-2.0
"""Write the mesh of Blender's monkey, subdivided twice, as ``suzanne.npz``.

Run it with a Python that has bpy 5.0.1 (``pip install bpy==5.0.1``), from the repository's root:

    python tests/golden/suzanne.py

The file holds positions in steps of the largest extent / 65535, ``extent``, and ``quads``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import bpy
import numpy as np

STEPS = 65535


def main() -> None:
    """Write the file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_monkey_add(size=2.0)
    monkey = bpy.context.object
    monkey.modifiers.new("smooth", "SUBSURF").levels = 2
    graph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.meshes.new_from_object(monkey.evaluated_get(graph))
    positions = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", positions)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    assert all(polygon.loop_total == 4 for polygon in mesh.polygons)
    positions = positions.reshape(-1, 3) - positions.reshape(-1, 3).min(axis=0)
    extent = positions.max()
    np.savez_compressed(
        Path(__file__).with_suffix(".npz"),
        positions=np.round(positions * (STEPS / extent)).astype(np.uint16),
        extent=np.float32(extent),
        quads=corners.reshape(-1, 4).astype(np.uint16),
    )


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
