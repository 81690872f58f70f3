# SPDX-License-Identifier: Apache-2.0
"""Pictures of the open scene by Cycles and by Weft, and how far they are apart."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import bpy
import numpy as np
from addon.blender.export import SceneExporter
from addon.blender.path_settings import film_exposure
from mathutils import Matrix

import weft
from weft.render import PathSettings

SIZE = (64, 48)
BLOCK = 16
BOUNCES = 2


class Difference(NamedTuple):
    """Of two pictures, relative to the mean of Cycles' picture."""

    mean: float
    block: float
    pixel: float


def set_paths(bounces: int = BOUNCES, **settings) -> None:
    """Give the scene paths without limits, but for some settings of Cycles."""
    cycles = bpy.context.scene.cycles
    cycles.max_bounces = cycles.diffuse_bounces = cycles.glossy_bounces = bounces
    cycles.transmission_bounces = cycles.volume_bounces = bounces
    cycles.sample_clamp_direct = cycles.sample_clamp_indirect = 0
    cycles.blur_glossy = cycles.light_sampling_threshold = 0
    cycles.caustics_reflective = cycles.caustics_refractive = True
    for name, value in settings.items():
        setattr(cycles, name, value)


def by_cycles(folder: Path, samples: int = 64, **paths) -> np.ndarray:
    """Return the scene's picture, shape ``(height, width, 3)``, linear, the top row first.

    `paths` are those of set_paths().
    """
    scene = bpy.context.scene
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.image_settings.file_format = "OPEN_EXR"
    render.image_settings.color_depth = "32"
    render.filepath = str(folder / "cycles.exr")
    cycles.device, cycles.samples, cycles.seed = "CPU", samples, 1
    cycles.use_adaptive_sampling = cycles.use_denoising = cycles.use_light_tree = False
    set_paths(**paths)
    cycles.pixel_filter_type, cycles.filter_width = "BOX", 1.0
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(render.filepath)
    image.colorspace_settings.name = "Non-Color"
    width, height = image.size
    values = np.empty(width * height * 4, np.float32)
    image.pixels.foreach_get(values)
    bpy.data.images.remove(image)
    return values.reshape(height, width, 4)[::-1, :, :3]


def by_weft(device: weft.Device, samples: int = 64, exporter: SceneExporter | None = None, **paths):
    """Return the scene's picture and what the export said; `paths` as of by_cycles()."""
    set_paths(**paths)
    exporter = exporter or SceneExporter(lambda: device)
    exported = exporter.export(bpy.context.evaluated_depsgraph_get())
    renderer = weft.Renderer(device, exported.scene)
    exposure = film_exposure(bpy.context.scene)
    settings = PathSettings(
        samples=samples, bounces=paths.get("bounces", BOUNCES) + 1, exposure=exposure
    )
    return renderer.render(settings=settings), exported


def block_means(picture: np.ndarray, side: int = BLOCK) -> np.ndarray:
    """Return means over whole blocks, shape ``(rows, columns, 3)``."""
    rows, columns = (extent // side for extent in picture.shape[:2])
    whole = picture[: rows * side, : columns * side]
    return whole.reshape(rows, side, columns, side, 3).mean(axis=(1, 3))


def difference(picture: np.ndarray, reference: np.ndarray) -> Difference:
    """Return how far a picture is from Cycles', relative to the mean of the latter."""
    assert picture.shape == reference.shape
    level = reference.mean()
    return Difference(
        float(abs(picture.mean() / level - 1)),
        float(np.abs(block_means(picture) - block_means(reference)).max() / level),
        float(np.abs(picture - reference).mean() / level),
    )


def add_object(name, data, matrix=None):
    """Place a mesh, light or camera in the scene."""
    made = bpy.data.objects.new(name, data)
    made.matrix_world = Matrix.Identity(4) if matrix is None else matrix
    bpy.context.scene.collection.objects.link(made)
    return made


def add_camera(origin=(0, -5, 3), target=(0, 0, 0.5)):
    """Add the scene's camera and set the size of the picture."""
    camera = add_object("camera", bpy.data.cameras.new("camera"))
    camera.matrix_world = Matrix(
        np.vstack([weft.scene.Camera.look_at(origin, target), (0, 0, 0, 1)]).tolist()
    )
    scene = bpy.context.scene
    scene.camera = camera
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    return camera


def add_world(color=(0, 0, 0), strength=1.0):
    """Add a world of one colour and return its tree."""
    world = bpy.data.worlds.new("world")
    bpy.context.scene.world = world
    if world.node_tree is None:
        world.use_nodes = True
    background = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    background.inputs["Color"].default_value = (*color, 1)
    background.inputs["Strength"].default_value = strength
    return world.node_tree


def add_sun(direction=(0.4, 0.6, -1.0), strength=2.0, angle=0.2):
    """Add a sun."""
    light = bpy.data.lights.new("sun", "SUN")
    light.energy, light.angle = strength, angle
    view = weft.scene.Camera.look_at((0, 0, 0), direction)
    return add_object("sun", light, Matrix(np.vstack([view, (0, 0, 0, 1)]).tolist()))


def add_plane(size=10.0):
    """Add a floor."""
    bpy.ops.mesh.primitive_plane_add(size=size)
    return bpy.context.object


def add_material(name, color, roughness=0.5):
    """Return a Principled material."""
    material = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    node = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    node.inputs["Base Color"].default_value = (*color, 1)
    node.inputs["Roughness"].default_value = roughness
    return material


def add_diffuse(name, color):
    """Return a material of one Diffuse BSDF."""
    material = add_material(name, color)
    tree = material.node_tree
    node = tree.nodes.new("ShaderNodeBsdfDiffuse")
    node.inputs["Color"].default_value = (*color, 1)
    output = next(n for n in tree.nodes if n.type == "OUTPUT_MATERIAL")
    tree.links.new(node.outputs["BSDF"], output.inputs["Surface"])
    return material
