# SPDX-License-Identifier: Apache-2.0
"""Render the scenes of ``tests/support/light_cases.py`` with Cycles; writes ``cycles_lights.npz``.

Run it with a Python that has bpy 5.0.1 (``pip install bpy==5.0.1``), from the repository's root:

    python tests/golden/cycles_lights.py [case ...]

The file holds block means of each case, and their standard errors from two seeds.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support import light_cases as cases  # noqa: E402

OUTPUT = Path(__file__).with_name("cycles_lights.npz")
SAMPLES = 1024
SPOT_SAMPLES = 8192
"""Cycles also draws directions outside the cone."""


def new_material(name: str, kind: str) -> tuple[bpy.types.Material, bpy.types.Node]:
    """Make a material of one node."""
    material = bpy.data.materials.new(name)
    if material.node_tree is None:  # to set it is deprecated where it always is
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    node = tree.nodes.new(kind)
    tree.links.new(node.outputs[0], output.inputs["Surface"])
    return material, node


def add_object(name: str, data: bpy.types.ID, matrix: Matrix | None = None) -> bpy.types.Object:
    """Place a mesh, light or camera in the scene."""
    made = bpy.data.objects.new(name, data)
    made.matrix_world = Matrix.Identity(4) if matrix is None else matrix
    bpy.context.scene.collection.objects.link(made)
    return made


def placed(frame: np.ndarray, position: tuple[float, float, float]) -> Matrix:
    """Return a matrix of a frame and a position."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = frame, position
    return Matrix(matrix.tolist())


def add_geometry() -> None:
    """Add floor and ball."""
    half = cases.FLOOR["size"] / 2
    floor = bpy.data.meshes.new("floor")
    corners = [(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)]
    floor.from_pydata(corners, [], [(0, 1, 2), (0, 2, 3)])
    material, node = new_material("floor", "ShaderNodeBsdfDiffuse")
    node.inputs["Color"].default_value = (*cases.FLOOR["color"], 1)
    node.inputs["Roughness"].default_value = 0
    floor.materials.append(material)
    add_object("floor", floor)
    positions, triangles, normals = cases.ball()
    ball = bpy.data.meshes.new("ball")
    ball.from_pydata(positions.tolist(), [], triangles.tolist())
    for polygon in ball.polygons:
        polygon.use_smooth = True
    ball.normals_split_custom_set_from_vertices(normals.tolist())
    material, node = new_material("ball", "ShaderNodeBsdfPrincipled")
    node.inputs["Base Color"].default_value = (*cases.BALL["base_color"], 1)
    node.inputs["Roughness"].default_value = cases.ROUGHNESS
    ball.materials.append(material)
    add_object("ball", ball, Matrix.Translation(cases.BALL["position"]))


def add_light(name: str) -> None:
    """Add the light of a case."""
    case = cases.CASES[name]
    world = bpy.data.worlds.new("world")
    bpy.context.scene.world = world
    world.use_nodes = True
    background = next(n for n in world.node_tree.nodes if n.type == "BACKGROUND")
    background.inputs["Color"].default_value = (0, 0, 0, 1)
    if name == "environment":
        add_sky(world, background, case["euler"])
        return
    kind = {"rectangle": "AREA", "ellipse": "AREA"}.get(name, name.upper())
    light = bpy.data.lights.new(name, kind)
    light.color = cases.COLOR
    light.energy = case.get("power", case.get("strength"))
    frame = np.eye(3)
    if kind in ("POINT", "SPOT"):
        light.shadow_soft_size = case["radius"]
        light.use_soft_falloff = False
    if "direction" in case:
        frame = cases.frame_towards(case["direction"])
    if kind == "SUN":
        light.angle = case["angle"]
    if kind == "SPOT":
        light.spot_size, light.spot_blend = case["angle"], case["blend"]
    if kind == "AREA":
        light.shape = "RECTANGLE" if name == "rectangle" else "ELLIPSE"
        light.size, light.size_y = case["size"]
        frame = cases.area_frame(case)
    made = add_object(name, light, placed(frame, case.get("position", (0, 0, 3))))
    made.visible_camera = False


def add_sky(world: bpy.types.World, background: bpy.types.Node, euler: tuple[float, ...]) -> None:
    """Light the scene by the image of light_cases.py."""
    pixels = cases.sky()
    height, width = pixels.shape[:2]
    image = bpy.data.images.new("sky", width, height, float_buffer=True, is_data=True)
    opaque = np.dstack([pixels[::-1], np.ones((height, width), np.float32)])
    image.pixels.foreach_set(opaque.ravel())
    image.pack()
    tree = world.node_tree
    node = tree.nodes.new("ShaderNodeTexEnvironment")
    node.image, node.interpolation = image, "Linear"
    mapping = tree.nodes.new("ShaderNodeMapping")
    mapping.inputs["Rotation"].default_value = euler
    coordinates = tree.nodes.new("ShaderNodeTexCoord")
    tree.links.new(coordinates.outputs["Generated"], mapping.inputs["Vector"])
    tree.links.new(mapping.outputs[0], node.inputs["Vector"])
    tree.links.new(node.outputs[0], background.inputs["Color"])


def set_up_render() -> None:
    """Set the camera, and Cycles without anything that blurs, clamps or denoises."""
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("camera")
    camera.sensor_fit, camera.angle = "HORIZONTAL", cases.CAMERA["fov"]
    towards = np.subtract(cases.CAMERA["target"], cases.CAMERA["origin"])
    scene.camera = add_object(
        "camera", camera, placed(cases.frame_towards(towards), cases.CAMERA["origin"])
    )
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x = render.resolution_y = cases.PIXELS
    render.resolution_percentage = 100
    render.image_settings.file_format = "OPEN_EXR"
    render.image_settings.color_depth = "32"
    scene.view_settings.view_transform = "Raw"
    cycles.device, cycles.samples = "CPU", SAMPLES
    cycles.use_adaptive_sampling = cycles.use_denoising = cycles.use_light_tree = False
    cycles.max_bounces = cycles.diffuse_bounces = cycles.glossy_bounces = cases.BOUNCES
    cycles.sample_clamp_direct = cycles.sample_clamp_indirect = 0
    cycles.blur_glossy = cycles.light_sampling_threshold = 0
    cycles.pixel_filter_type, cycles.filter_width = "BOX", 1.0


def render_case(name: str, seed: int, folder: str) -> np.ndarray:
    """Return block means of a case."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    add_geometry()
    add_light(name)
    set_up_render()
    bpy.context.scene.cycles.seed = seed
    if name == "spot":
        bpy.context.scene.cycles.samples = SPOT_SAMPLES
    return render_blocks(str(Path(folder) / f"{name}.exr"))


def render_blocks(path: str) -> np.ndarray:
    """Render to a file, and return block means."""
    bpy.context.scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    values = np.empty(cases.PIXELS**2 * 4, np.float32)
    image.pixels.foreach_get(values)
    picture = values.reshape(cases.PIXELS, cases.PIXELS, 4)[::-1, :, :3]
    return cases.block_means(picture)


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
