# SPDX-License-Identifier: Apache-2.0
"""Makes addon/sample: a scene whose materials are grey, three photos of it, and the panel filled.

Run inside Blender 4.5, the oldest that has to open it: ``python packaging/sample/make.py``. The
photos are Cycles' pictures of the scene with the materials that the fit is to find.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "addon" / "sample"
sys.path.insert(0, str(ROOT))
os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="weft-sample-")
os.environ["HOME"] = "/"  # file browsers keep it in the .blend

import bpy  # noqa: E402
from mathutils import Vector  # noqa: E402

SIZE = (240, 180)
SAMPLES = 512
CAMERAS = {"Front": (0.3, -5.0, 2.2), "Left": (-4.0, -1.6, 2.8), "Right": (4.2, -1.2, 2.0)}
LIGHTS = {"Key": ((2.5, -2.5, 4.0), 260.0, 1.0), "Rim": ((-3.0, 2.5, 3.0), 160.0, 1.5)}
GLAZE = {"Base Color": (0.75, 0.21, 0.05, 1.0), "Metallic": 0.4, "Roughness": 0.27}
TABLE = {"Base Color": (0.10, 0.24, 0.33, 1.0), "Roughness": 0.55}
GREY = {"Base Color": (0.5, 0.5, 0.5, 1.0), "Metallic": 0.0, "Roughness": 0.5}
UNKNOWN = {"Glaze": tuple(GLAZE), "Table": tuple(TABLE)}


def aim(shown: bpy.types.Object, place: tuple[float, float, float]) -> None:
    """Put an object somewhere and let its -z look at the middle of the scene."""
    shown.location = place
    direction = Vector((0, 0, 0.6)) - Vector(place)
    shown.rotation_euler = direction.to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(shown)


def material(name: str) -> bpy.types.Material:
    """Return a grey material of one Principled BSDF."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    set_values(made, GREY)
    return made


def set_values(entry: bpy.types.Material, values: dict[str, object]) -> None:
    """Set inputs of a material."""
    for key, value in values.items():
        entry.node_tree.nodes["Principled BSDF"].inputs[key].default_value = value


def build() -> None:
    """Build geometry, lights, cameras and settings of the open file."""
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_plane_add(size=9)
    bpy.context.object.name = "Table"
    bpy.context.object.data.materials.append(material("Table"))
    bpy.ops.mesh.primitive_monkey_add(location=(0, 0, 0.75), rotation=(-0.55, 0, 0.2))
    monkey = bpy.context.object
    smooth = monkey.modifiers.new("Subdivision", "SUBSURF")
    smooth.levels = smooth.render_levels = 2
    bpy.ops.object.shade_smooth()
    monkey.data.materials.append(material("Glaze"))
    for name, place in CAMERAS.items():
        camera = bpy.data.cameras.new(name)
        aim(bpy.data.objects.new(name, camera), place)
    for name, (place, power, side) in LIGHTS.items():
        light = bpy.data.lights.new(name, "AREA")
        light.energy, light.size = power, side
        aim(bpy.data.objects.new(name, light), place)
    scene.world = bpy.data.worlds.new("World")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.2, 0.2, 0.2, 1)
    scene.camera = bpy.data.objects["Front"]
    scene.render.engine = "CYCLES"
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.image_settings.file_format = "PNG"
    scene.cycles.samples = SAMPLES
    scene.cycles.use_denoising = scene.cycles.use_adaptive_sampling = False
    scene.cycles.sample_clamp_indirect = scene.cycles.blur_glossy = 0
    scene.cycles.max_bounces = 4


def photograph() -> None:
    """Write the photos."""
    scene = bpy.context.scene
    for name in CAMERAS:
        scene.camera = bpy.data.objects[name]
        scene.render.filepath = str(FOLDER / f"photo_{name.lower()}.png")
        bpy.ops.render.render(write_still=True)
    scene.camera = bpy.data.objects["Front"]
    scene.render.filepath = "/tmp/"


def fill_panel() -> None:
    """List the photos and what is not known, as a user would."""
    for name in CAMERAS:
        bpy.ops.weft.add_target(filepath=str(FOLDER / f"photo_{name.lower()}.png"), camera=name)
    for target in bpy.context.scene.weft_fit.targets:
        target.through_view = True
        target.image.filepath = f"//{Path(target.image.filepath).name}"
    for material_name, inputs in UNKNOWN.items():
        for key in inputs:
            bpy.ops.weft.add_input(
                material=material_name, node="Principled BSDF", socket=key, kind="NUMBER"
            )


def main() -> None:
    """Write everything."""
    import addon

    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon.register()
    build()
    set_values(bpy.data.materials["Glaze"], GLAZE)
    set_values(bpy.data.materials["Table"], TABLE)
    photograph()
    set_values(bpy.data.materials["Glaze"], GREY)
    set_values(bpy.data.materials["Table"], GREY)
    fill_panel()
    bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / "sample.blend"), compress=True)
    print(f"{sum(file.stat().st_size for file in FOLDER.iterdir()) / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender's own clean-up can hang
