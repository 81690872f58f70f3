# SPDX-License-Identifier: Apache-2.0
"""Measure where Cycles' cameras look; writes ``cycles_cameras.npz``.

Run it with a Python that has bpy 5.0.1 (``pip install bpy==5.0.1``), from the repository's root:

    python tests/golden/cycles_cameras.py

A box shines with the position of its walls, and the pixel filter is so narrow that all rays go
through the centres of pixels. The file has the positions that the pixels of each case see.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import bpy
import numpy as np
from cycles_bsdf import empty_scene, render
from mathutils import Matrix, Vector

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import camera_cases as cases


def add_box() -> None:
    """Add walls that shine with their position."""
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    box = bpy.context.object
    low, high = cases.BOX
    box.matrix_world = Matrix.Translation(Vector((low + high) / 2)) @ Matrix.Diagonal(
        (*(high - low), 1.0)
    )
    material = bpy.data.materials.new("walls")
    material.use_nodes = True
    tree = material.node_tree
    geometry, emission = (
        tree.nodes.new("ShaderNodeNewGeometry"),
        tree.nodes.new("ShaderNodeEmission"),
    )
    scaled = tree.nodes.new("ShaderNodeVectorMath")
    scaled.operation = "MULTIPLY_ADD"
    scaled.inputs[1].default_value = (cases.GAIN,) * 3
    scaled.inputs[2].default_value = (cases.OFFSET,) * 3
    tree.links.new(geometry.outputs["Position"], scaled.inputs[0])
    tree.links.new(scaled.outputs[0], emission.inputs["Color"])
    tree.links.new(emission.outputs[0], tree.nodes["Material Output"].inputs["Surface"])
    box.data.materials.append(material)


def set_camera(camera: bpy.types.Object, case: dict) -> None:
    """Make the camera that of a case."""
    towards = Vector(cases.TARGET) - Vector(cases.ORIGIN)
    camera.matrix_world = (
        Matrix.Translation(cases.ORIGIN) @ towards.to_track_quat("-Z", "Y").to_matrix().to_4x4()
    )
    data = camera.data
    kind = case.get("kind", "perspective")
    data.type = {"perspective": "PERSP", "orthographic": "ORTHO", "equirectangular": "PANO"}[kind]
    data.sensor_fit = case.get("sensor_fit", "auto").upper()
    data.shift_x, data.shift_y = case.get("shift", (0.0, 0.0))
    data.clip_start = 1e-3
    if kind == "equirectangular":
        data.panorama_type = "EQUIRECTANGULAR"
    if "fov" in case:
        data.angle = case["fov"]
    if "scale" in case:
        data.ortho_scale = case["scale"]


def main() -> None:
    """Write the file."""
    arrays = {}
    for name, case in cases.CASES.items():
        scene = empty_scene(*case["size"], samples=1, bounces=0)
        scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BLACKMAN_HARRIS", 0.01
        add_box()
        set_camera(scene.camera, case)
        arrays[name] = ((render(scene)[::-1] - cases.OFFSET) / cases.GAIN).astype(np.float32)
        print(
            name, arrays[name].reshape(-1, 3).min(axis=0), arrays[name].reshape(-1, 3).max(axis=0)
        )
    np.savez_compressed(Path(__file__).with_suffix(".npz"), **arrays)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
