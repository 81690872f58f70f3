# SPDX-License-Identifier: Apache-2.0
"""The scene of the demo: Suzanne and a torus on a table under a studio's light, three cameras.

Run inside Blender: ``python studio.py FOLDER PHOTOGRAPH``. Writes photos (rendered by Cycles), as
linear light and as a camera would take them, and unknown.blend, whose materials are grey where the
photos' are not; truth.blend and truth.json are for comparison and are not shown to the fit.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

SIZE = (224, 168)
CAMERAS = {"Front": (0.4, -5.6, 2.6), "Left": (-4.4, 2.4, 3.4), "Above": (1.6, -2.8, 5.6)}
UNSEEN = ("Unseen", (4.4, -3.0, 1.8))
LIGHT, OTHER_LIGHT = "studio.exr", "sunset.exr"
GAINS = {"Front": 1.0, "Left": 1.5, "Above": 0.75}
"""How much brighter a camera's pictures are than the light; that of Front is known."""

READ_NOISE, SHOT_NOISE = 0.004, 0.0006
"""Standard deviation in the dark, and variance of a light of 1, of a camera's pictures."""

GLAZE = {"Base Color": (0.72, 0.22, 0.07), "Metallic": 0.35, "Roughness": 0.28}
GREY = {"Base Color": (0.5, 0.5, 0.5), "Metallic": 0.0, "Roughness": 0.5}


def studio_light(name: str) -> str:
    """Return the path of one of Blender's own environment images (CC0)."""
    folder = Path(bpy.utils.resource_path("LOCAL")) / "datafiles" / "studiolights" / "world"
    return str(folder / name)


def set_light(name: str) -> None:
    """Light the scene by one of Blender's own environment images."""
    scene = bpy.context.scene
    if scene.world is None:
        scene.world = bpy.data.worlds.new("World")
        scene.world.use_nodes = True
        tree = scene.world.node_tree
        node = tree.nodes.new("ShaderNodeTexEnvironment")
        tree.links.new(node.outputs["Color"], tree.nodes["Background"].inputs["Color"])
    nodes = scene.world.node_tree.nodes
    node = next(entry for entry in nodes if entry.bl_idname == "ShaderNodeTexEnvironment")
    node.image = bpy.data.images.load(studio_light(name), check_existing=True)


def material(name: str, values: dict[str, object]) -> bpy.types.Material:
    """Return a material with a Principled BSDF."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    set_values(made, values)
    return made


def set_values(entry: bpy.types.Material, values: dict[str, object]) -> None:
    """Set inputs of a material's Principled BSDF."""
    inputs = entry.node_tree.nodes["Principled BSDF"].inputs
    for key, value in values.items():
        inputs[key].default_value = (*value, 1.0) if isinstance(value, tuple) else value


def add_camera(name: str, place: tuple[float, float, float]) -> bpy.types.Object:
    """Add a camera that looks at the middle of the table."""
    data = bpy.data.cameras.new(name)
    data.lens = 50
    camera = bpy.data.objects.new(name, data)
    camera.location = place
    camera.rotation_euler = (
        (Vector((0, 0, 0.6)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    )
    bpy.context.scene.collection.objects.link(camera)
    return camera


def build_scene() -> None:
    """Build geometry, light and cameras; all unknown inputs are grey."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=5)
    bpy.context.object.name = "Table"
    bpy.context.object.data.materials.append(
        material("Cloth", {"Base Color": (0.5, 0.5, 0.5), "Roughness": 0.6})
    )
    bpy.ops.mesh.primitive_monkey_add(location=(0.2, 0.2, 0.85), rotation=(-0.35, 0, 0.25))
    monkey = bpy.context.object
    monkey.modifiers.new("Smooth", "SUBSURF").levels = 2
    monkey.modifiers["Smooth"].render_levels = 2
    bpy.ops.object.shade_smooth()
    monkey.data.materials.append(material("Glaze", GREY))
    bpy.ops.mesh.primitive_torus_add(
        location=(-1.5, -0.9, 0.16), major_radius=0.5, minor_radius=0.16, major_segments=64
    )
    bpy.ops.object.shade_smooth()
    bpy.context.object.data.materials.append(
        material("Brass", {"Base Color": (0.9, 0.65, 0.3), "Metallic": 1.0, "Roughness": 0.5})
    )
    for name, place in (*CAMERAS.items(), UNSEEN):
        add_camera(name, place)
    set_light(LIGHT)
    set_rendering()


def set_rendering() -> None:
    """Set Cycles to what a path tracer without tricks computes."""
    scene = bpy.context.scene
    scene.camera = bpy.data.objects["Front"]
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 256
    scene.cycles.use_denoising = False
    scene.cycles.use_adaptive_sampling = False
    scene.cycles.max_bounces = 3
    scene.cycles.sample_clamp_indirect = 0
    scene.cycles.blur_glossy = 0
    scene.cycles.light_sampling_threshold = 0
    scene.view_settings.view_transform = "AgX"
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"


def make_truth(photograph: str) -> None:
    """Give the scene the materials that the fit is to find."""
    set_values(bpy.data.materials["Glaze"], GLAZE)
    tree = bpy.data.materials["Cloth"].node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = bpy.data.images.load(photograph)
    node.image.pack()
    node.extension = "EXTEND"
    tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])


def take_photo(camera: str, path: Path, samples: int = 128) -> None:
    """Render what a camera sees into an EXR file of linear light."""
    scene = bpy.context.scene
    scene.camera = bpy.data.objects[camera]
    scene.cycles.samples = samples
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)


def read(path: Path, channels: int = 3) -> np.ndarray:
    """Return the numbers of an image file, the top row first."""
    image = bpy.data.images.load(str(path))
    image.colorspace_settings.name = "Non-Color"
    flat = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(flat)
    width, height = image.size
    bpy.data.images.remove(image)
    return flat.reshape(height, width, -1)[::-1, :, :channels]


def pass_through_camera(light: np.ndarray, gain: float, path: Path) -> None:
    """Write an 8-bit PNG as a camera takes it: exposed, noisy, through the scene's tone curve."""
    height, width, _ = light.shape
    exposed = light * gain
    spread = np.sqrt(READ_NOISE**2 + SHOT_NOISE * np.maximum(exposed, 0))
    noise = np.random.default_rng(round(1000 * gain)).normal(size=light.shape)
    image = bpy.data.images.new(path.stem, width, height, float_buffer=True)
    image.colorspace_settings.name = "Linear Rec.709"
    rgba = np.ones((height, width, 4), np.float32)
    rgba[..., :3] = np.maximum(exposed + spread * noise, 0)
    image.pixels.foreach_set(rgba[::-1].ravel())
    scene = bpy.context.scene
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_depth = "8"
    image.save_render(str(path), scene=scene)
    bpy.data.images.remove(image)
    set_rendering()


def main(folder: Path, photograph: str) -> None:
    """Write the photos, the scene with grey materials, and the truth."""
    build_scene()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "unknown.blend"))
    make_truth(photograph)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "truth.blend"))
    for camera in CAMERAS:
        take_photo(camera, folder / f"photo_{camera}.exr")
        light = read(folder / f"photo_{camera}.exr")
        pass_through_camera(light, GAINS[camera], folder / f"shot_{camera}.png")
    set_light(OTHER_LIGHT)
    take_photo(UNSEEN[0], folder / "relit_truth.exr")
    (folder / "truth.json").write_text(json.dumps(GLAZE))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
