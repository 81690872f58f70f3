# SPDX-License-Identifier: Apache-2.0
"""Render scenes of ``tests/support/surface_cases.py`` with Cycles; writes ``cycles_surfaces.npz``.

Run it with a Python that has bpy 5.0.1 (``pip install bpy==5.0.1``), from the repository's root:

    python tests/golden/cycles_surfaces.py [case ...]

The file holds block means of each case, and their standard errors from two seeds.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

sys.path.insert(0, str(Path(__file__).parents[1]))

import cycles_lights as lights

from support import light_cases
from support import surface_cases as cases

OUTPUT = Path(__file__).with_name("cycles_surfaces.npz")
NODES = {"emission": "ShaderNodeEmission"}
SOCKETS = {"ior": "IOR"}


def socket_name(name: str) -> str:
    """Return Blender's name of an input."""
    return SOCKETS.get(name, name.replace("_", " ").title())


def image_node(tree: bpy.types.NodeTree, pixels: np.ndarray) -> bpy.types.Node:
    """Add a texture of pixels whose rows begin at the top."""
    height, width, channels = pixels.shape
    image = bpy.data.images.new("texture", width, height, float_buffer=True, is_data=True)
    full = np.ones((height, width, 4), np.float32)
    full[..., :3] = pixels if channels == 3 else np.repeat(pixels, 3, axis=2)
    image.pixels.foreach_set(full[::-1].ravel())
    image.pack()
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image, node.interpolation, node.extension = image, "Linear", "REPEAT"
    return node


def driver(tree: bpy.types.NodeTree, entry: dict[str, Any]) -> bpy.types.NodeSocket:
    """Add what drives an input, and return its output."""
    color = image_node(tree, cases.PIXELS[entry["kind"]]()).outputs["Color"]
    if "strength" not in entry:
        return color
    if entry["kind"] == "normal_map":
        node = tree.nodes.new("ShaderNodeNormalMap")
        node.inputs["Strength"].default_value = entry["strength"]
        tree.links.new(color, node.inputs["Color"])
        return node.outputs[0]
    node = tree.nodes.new("ShaderNodeBump")
    node.inputs["Strength"].default_value = entry["strength"]
    node.inputs["Distance"].default_value = entry["distance"]
    tree.links.new(color, node.inputs["Height"])
    return node.outputs[0]


def add_ball(name: str) -> None:
    """Add the ball with the material of a case."""
    kind, numbers, drivers = cases.CASES[name]
    positions, triangles, normals = light_cases.ball()
    mesh = bpy.data.meshes.new("ball")
    mesh.from_pydata(positions.tolist(), [], triangles.tolist())
    for polygon in mesh.polygons:
        polygon.use_smooth = True
    layer = mesh.uv_layers.new(name="UVMap")
    layer.data.foreach_set("uv", cases.ball_uvs()[triangles.ravel()].astype(np.float32).ravel())
    mesh.normals_split_custom_set_from_vertices(normals.tolist())
    material, node = lights.new_material("ball", NODES.get(kind, f"ShaderNodeBsdf{kind.title()}"))
    material.use_transparent_shadow = name not in cases.OPAQUE_SHADOWS
    if kind == "diffuse":
        node.inputs["Roughness"].default_value = 0
    for key, value in numbers.items():
        entry = (*value, 1) if isinstance(value, tuple) else value
        node.inputs[socket_name(key)].default_value = entry
    for key, entry in drivers.items():
        material.node_tree.links.new(
            driver(material.node_tree, entry), node.inputs[socket_name(key)]
        )
    mesh.materials.append(material)
    lights.add_object("ball", mesh, Matrix.Translation(light_cases.BALL["position"]))


def add_floor() -> None:
    """Add the floor."""
    half = light_cases.FLOOR["size"] / 2
    floor = bpy.data.meshes.new("floor")
    corners = [(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)]
    floor.from_pydata(corners, [], [(0, 1, 2), (0, 2, 3)])
    material, node = lights.new_material("floor", "ShaderNodeBsdfDiffuse")
    node.inputs["Color"].default_value = (*light_cases.FLOOR["color"], 1)
    node.inputs["Roughness"].default_value = 0
    floor.materials.append(material)
    lights.add_object("floor", floor)


def add_light() -> None:
    """Add the sky and the light."""
    world = bpy.data.worlds.new("world")
    bpy.context.scene.world = world
    world.use_nodes = True
    background = next(n for n in world.node_tree.nodes if n.type == "BACKGROUND")
    background.inputs["Color"].default_value = (cases.SKY, cases.SKY, cases.SKY, 1)
    light = bpy.data.lights.new("light", "POINT")
    light.energy, light.shadow_soft_size = cases.LIGHT["power"], cases.LIGHT["radius"]
    light.use_soft_falloff = False
    placed = lights.placed(np.eye(3), cases.LIGHT["position"])
    lights.add_object("light", light, placed).visible_camera = False


def render_case(name: str, seed: int, folder: str) -> np.ndarray:
    """Return block means of a case."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    add_floor()
    add_ball(name)
    add_light()
    lights.set_up_render()
    cycles = bpy.context.scene.cycles
    cycles.seed, cycles.samples = seed, cases.SAMPLES
    cycles.transmission_bounces, cycles.transparent_max_bounces = light_cases.BOUNCES, 8
    return lights.render_blocks(str(Path(folder) / f"{name}.exr"))


def main() -> None:
    """Render the cases that were asked for, and keep the others."""
    chosen = sys.argv[1:] or list(cases.CASES)
    arrays = dict(np.load(OUTPUT)) if OUTPUT.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            pair = np.stack([render_case(name, seed, folder) for seed in (1, 2)])
            arrays[name] = pair.mean(axis=0).astype(np.float32)
            arrays[f"{name}_error"] = (np.abs(pair[0] - pair[1]) / 2).astype(np.float32)
            print(name, arrays[name].mean(axis=(0, 1)), flush=True)
    np.savez_compressed(OUTPUT, **arrays)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
