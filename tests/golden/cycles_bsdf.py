# SPDX-License-Identifier: Apache-2.0
"""Measure Cycles' Principled BSDF without noise; writes ``tests/golden/bsdf_*.npy``.

Run it with a Python that has bpy 5.0.1 (``pip install bpy==5.0.1``), from the repository's root:

    python tests/golden/cycles_bsdf.py [set ...]

Every pixel is a face of its own: tilted as the case's local frame wants it, with the inputs as
attributes of the face. The camera is orthographic and the sun has no size, so one sample a pixel
sees one pair of directions, and the radiance is f |cos| times the sun's irradiance. Shadows and
bounces are off.
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

from support import bsdf_cases  # noqa: E402

SOCKETS = {
    "baseColor": "Base Color",
    "metallic": "Metallic",
    "roughness": "Roughness",
    "ior": "IOR",
    "alpha": "Alpha",
    "diffuseRoughness": "Diffuse Roughness",
    "specularLevel": "Specular IOR Level",
    "specularTint": "Specular Tint",
    "anisotropic": "Anisotropic",
    "anisotropicRotation": "Anisotropic Rotation",
    "transmissionWeight": "Transmission Weight",
    "coatWeight": "Coat Weight",
    "coatRoughness": "Coat Roughness",
    "coatIor": "Coat IOR",
    "coatTint": "Coat Tint",
    "coatNormal": "Coat Normal",
    "sheenWeight": "Sheen Weight",
    "sheenRoughness": "Sheen Roughness",
    "sheenTint": "Sheen Tint",
    "thinFilmThickness": "Thin Film Thickness",
    "thinFilmIor": "Thin Film IOR",
    "tangent": "Tangent",
    "color": "Color",
    "edgeTint": "Edge Tint",
    "anisotropy": "Anisotropy",
    "rotation": "Rotation",
}

WIDTH = 8
"""Faces in a row. Blender renders no images of fewer than 4 rows."""


def empty_scene(width: int, height: int, samples: int, bounces: int) -> bpy.types.Scene:
    """Make a scene of Cycles without anything that blurs, clamps or denoises."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.resolution_percentage = 100
    scene.render.threads_mode, scene.render.threads = "FIXED", 2
    cycles = scene.cycles
    cycles.device, cycles.samples, cycles.seed = "CPU", samples, 1
    cycles.use_adaptive_sampling = cycles.use_denoising = cycles.use_light_tree = False
    cycles.max_bounces = cycles.diffuse_bounces = cycles.glossy_bounces = bounces
    cycles.transmission_bounces = bounces
    cycles.sample_clamp_direct = cycles.sample_clamp_indirect = cycles.blur_glossy = 0
    cycles.caustics_reflective = cycles.caustics_refractive = True
    cycles.light_sampling_threshold = 0
    cycles.pixel_filter_type = "BOX"
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", float(width)
    camera.data.clip_end, camera.location = 1e4, (width / 2, height / 2, 1000)
    scene.collection.objects.link(camera)
    scene.camera = camera
    world = bpy.data.worlds.new("world")
    scene.world, world.use_nodes = world, True
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.0
    return scene


def add_faces(
    scene: bpy.types.Scene,
    width: int,
    frames: np.ndarray,
    flipped: np.ndarray,
    attributes: dict[str, np.ndarray],
    *,
    node: str = "Principled",
    multiscatter: bool = True,
    distribution: str = "",
    coplanar: bool = False,
) -> None:
    """Add a tilted face for each pixel, row by row from below, and its material.

    Faces that are ``coplanar``, all tilted alike, do not see each other.
    """
    count = len(frames)
    corner = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
    offset = corner - 0.5 if coplanar else corner * 0.98 - 0.49
    xy = np.stack([np.arange(count) % width, np.arange(count) // width], -1) + 0.5
    normal = frames[:, 2]
    height = -(offset @ normal[:, :2].T).T / normal[:, 2:]
    if coplanar:
        height -= (xy * normal[:, :2]).sum(axis=1, keepdims=True) / normal[:, 2:]
    points = np.concatenate([xy[:, None] + offset, height[..., None]], axis=2)
    faces = np.arange(4 * count).reshape(count, 4)
    faces[flipped] = faces[flipped, ::-1]
    mesh = bpy.data.meshes.new("faces")
    mesh.from_pydata(points.reshape(-1, 3).tolist(), [], faces.tolist())
    material = bpy.data.materials.new("material")
    material.use_nodes = True
    tree = material.node_tree
    kind = "Sheen" if node == "Velvet" else node
    shader = tree.nodes.new(f"ShaderNodeBsdf{kind}")
    if node == "Velvet":
        shader.distribution = "ASHIKHMIN"
    if node in ("Principled", "Glossy", "Metallic", "Glass"):
        shader.distribution = distribution or ("MULTI_GGX" if multiscatter else "GGX")
    if node == "Refraction":
        shader.distribution = distribution or "GGX"
    if node == "Metallic":
        shader.fresnel_type = "F82"
    tree.links.new(shader.outputs[0], tree.nodes["Material Output"].inputs["Surface"])
    for name, values in attributes.items():
        vector = values.ndim == 2
        # Not the bare name: Cycles has a "tangent" of its own.
        attribute = f"input_{name}"
        mesh.attributes.new(
            attribute, "FLOAT_VECTOR" if vector else "FLOAT", "FACE"
        ).data.foreach_set("vector" if vector else "value", values.astype(np.float32).ravel())
        source = tree.nodes.new("ShaderNodeAttribute")
        source.attribute_name = attribute
        socket = source.outputs["Vector" if vector else "Fac"]
        target = "Base Color" if (node, name) == ("Metallic", "color") else SOCKETS[name]
        tree.links.new(socket, shader.inputs[target])
    mesh.materials.append(material)
    scene.collection.objects.link(bpy.data.objects.new("faces", mesh))


def add_sun(scene: bpy.types.Scene, direction: np.ndarray) -> None:
    """Add a sun of irradiance 1 without size; `direction` points towards it."""
    light = bpy.data.lights.new("sun", "SUN")
    light.energy, light.angle, light.use_shadow = 1.0, 0.0, False
    sun = bpy.data.objects.new("sun", light)
    # A sun shines along its -z.
    z = direction / np.linalg.norm(direction)
    x = np.cross((0.0, 1.0, 0.0), z)
    x /= np.linalg.norm(x)
    matrix = np.eye(4)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2] = x, np.cross(z, x), z
    sun.matrix_world = Matrix(matrix.tolist())
    scene.collection.objects.link(sun)


def render(scene: bpy.types.Scene) -> np.ndarray:
    """Return linear radiance (H, W, 3), the lowest row first."""
    scene.view_settings.view_transform = "Raw"
    settings = scene.render.image_settings
    settings.file_format, settings.color_depth, settings.color_mode = "OPEN_EXR", "32", "RGB"
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = str(Path(folder) / "image.exr")
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath)
        image.colorspace_settings.name = "Non-Color"
        pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
        image.pixels.foreach_get(pixels)
    return pixels.reshape(image.size[1], image.size[0], 4)[:, :, :3]


def measure(cases: bsdf_cases.Cases, case_set: bsdf_cases.CaseSet) -> np.ndarray:
    """Return f |cos| (N, 3) of the cases; one render for each direction of the sun."""
    result = np.empty((len(cases.frames), 3), np.float32)
    for sun in np.unique(cases.suns, axis=0):
        rows = np.flatnonzero((cases.suns == sun).all(axis=1))
        scene = empty_scene(WIDTH, len(rows) // WIDTH, samples=1, bounces=0)
        attributes = {name: values[rows] for name, values in cases.inputs.items()}
        frames = cases.frames[rows]
        if "anisotropic" in attributes or "anisotropy" in attributes:
            attributes["tangent"] = frames[:, 0]
        if "coatNormal" in attributes:
            attributes["coatNormal"] = np.einsum("ni,nij->nj", attributes["coatNormal"], frames)
        add_faces(
            scene,
            WIDTH,
            frames,
            cases.backfacing[rows],
            attributes,
            node=case_set.node,
            multiscatter=case_set.multiscatter,
            distribution=case_set.distribution,
        )
        add_sun(scene, sun)
        result[rows] = render(scene).reshape(-1, 3)
    return result


def furnace() -> np.ndarray:
    """Return the albedos (N, 3) of the furnace's materials under a white sky.

    A material has a row of 256 faces with 1024 samples each: errors of about 5e-4.
    """
    inputs = bsdf_cases.furnace_inputs()
    rows, side = len(inputs["roughness"]), 256
    scene = empty_scene(side, rows, samples=1024, bounces=1)
    background = scene.world.node_tree.nodes["Background"].inputs
    background["Color"].default_value = (1.0, 1.0, 1.0, 1.0)
    background["Strength"].default_value = 1.0
    scene.world.cycles.sampling_method = "NONE"
    x, _, z = bsdf_cases.FURNACE_VIEW
    frame = np.array([[z, 0.0, x], [0.0, 1.0, 0.0], [-x, 0.0, z]])
    attributes = {name: np.repeat(values, side, axis=0) for name, values in inputs.items()}
    frames = np.repeat(frame[None], rows * side, axis=0)
    flipped = np.zeros(len(frames), bool)
    add_faces(scene, side, frames, flipped, attributes, coplanar=True)
    return render(scene).mean(axis=1)


def main() -> None:
    """Write the files of the sets that were asked for, of all by default."""
    names = sys.argv[1:] or [*bsdf_cases.SETS, "furnace"]
    if "furnace" in names:
        names.remove("furnace")
        np.save(ROOT / "tests" / "golden" / "bsdf_furnace.npy", furnace())
    for name in names:
        values = measure(bsdf_cases.draw(name), bsdf_cases.SETS[name])
        np.save(ROOT / "tests" / "golden" / f"bsdf_{name}.npy", values)
        print(name, values.shape, values.mean(axis=0))
    sys.stdout.flush()
    # bpy may hang when the interpreter ends.
    os._exit(0)


if __name__ == "__main__":
    main()
