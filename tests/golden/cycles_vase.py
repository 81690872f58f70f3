# SPDX-License-Identifier: Apache-2.0
"""Render the vase of ``tests/support/vase_cases.py`` with Cycles; writes ``cycles_vase.npz``.

Run it with a Python that has bpy 4.5 or later (``pip install bpy``), from the repository's root:

    python tests/golden/cycles_vase.py

Four pictures of 128 x 96 pixels and 512 samples, in half floats.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import bpy
import numpy as np
from cycles_anchor import add_shape, add_sky, anchor, new_material
from cycles_bsdf import empty_scene, render
from mathutils import Matrix

from support import vase_cases as cases


def place_camera(camera: bpy.types.Object, view: int) -> None:
    """Turn a camera to the vase."""
    z = np.subtract(cases.origin(view), cases.TARGET)
    z /= np.linalg.norm(z)
    x = np.cross((0, 0, 1), z)
    x /= np.linalg.norm(x)
    matrix = np.eye(4)
    matrix[:3] = np.column_stack([x, np.cross(z, x), z, cases.origin(view)])
    camera.matrix_world = Matrix(matrix.tolist())
    camera.data.type, camera.data.sensor_fit = "PERSP", "HORIZONTAL"
    camera.data.angle = cases.FOV


def add_map(
    tree: bpy.types.NodeTree, socket: bpy.types.NodeSocket, pixels: np.ndarray, name: str
) -> None:
    """Drive an input by an image without a colour space."""
    height, width, channels = pixels.shape
    image = bpy.data.images.new(name, width, height, float_buffer=True, is_data=True)
    rows = np.broadcast_to(pixels, (height, width, 3)) if channels == 1 else pixels
    opaque = np.dstack([rows[::-1], np.ones((height, width), np.float32)])
    image.pixels.foreach_set(opaque.ravel())
    image.pack()
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image, node.interpolation, node.extension = image, "Linear", "REPEAT"
    tree.links.new(node.outputs["Color"], socket)


def add_vase() -> None:
    """Add the vase with its maps."""
    material, tree, surface = new_material("vase")
    node = tree.nodes.new("ShaderNodeBsdfPrincipled")
    tree.links.new(node.outputs[0], surface)
    sockets = ("Base Color", "Roughness", "Metallic")
    maps = cases.ornament()
    for name, socket in zip(cases.INPUTS, sockets, strict=True):
        add_map(tree, node.inputs[socket], maps[name], name)
    shape = cases.vase()
    add_shape("vase", shape, material)
    mesh = bpy.data.objects["vase"].data
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    mesh.uv_layers.new(name="UVMap").data.foreach_set("uv", shape.uvs[corners].ravel())


def main() -> None:
    """Write the file."""
    scene = empty_scene(cases.WIDTH, cases.HEIGHT, 512, cases.BOUNCES - 1)
    scene.cycles.sampling_pattern = "TABULATED_SOBOL"
    add_vase()
    material, tree, surface = new_material("ground")
    diffuse = tree.nodes.new("ShaderNodeBsdfDiffuse")
    diffuse.inputs["Color"].default_value = (*anchor.GROUND_COLOR, 1)
    tree.links.new(diffuse.outputs[0], surface)
    add_shape("ground", anchor.ground(), material)
    add_sky(scene)
    photos = []
    for view in range(4):
        place_camera(scene.camera, view)
        photos.append(render(scene)[::-1].astype(np.float16))
        print(view, photos[-1].mean(axis=(0, 1)), flush=True)
    np.savez_compressed(Path(__file__).with_suffix(".npz"), photos=np.stack(photos))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
