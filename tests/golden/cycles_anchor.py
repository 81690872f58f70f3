# SPDX-License-Identifier: Apache-2.0
"""The anchor scene of ``tests/support/anchor_cases.py`` in Cycles; for scripts of this folder.

Needs bpy 5.0.1 (``pip install bpy==5.0.1``).
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import numpy as np
from cycles_bsdf import empty_scene
from mathutils import Matrix

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support import anchor_cases as anchor  # noqa: E402


def new_material(name: str) -> tuple[bpy.types.Material, bpy.types.NodeTree, bpy.types.NodeSocket]:
    """Return a material without shader, its tree, and the socket of its surface."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    return material, tree, tree.nodes.new("ShaderNodeOutputMaterial").inputs["Surface"]


def add_shape(name: str, shape: anchor.Shape, material: bpy.types.Material) -> None:
    """Place a mesh in the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(shape.positions.tolist(), [], shape.triangles.tolist())
    if shape.normals is not None:
        mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), bool))
        mesh.normals_split_custom_set_from_vertices(shape.normals.tolist())
    mesh.materials.append(material)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, mesh))


def emitter_material() -> bpy.types.Material:
    """Return what shines in front and is black behind."""
    material, tree, surface = new_material("emitter")
    front, back = (tree.nodes.new("ShaderNodeEmission") for _ in range(2))
    front.inputs["Color"].default_value = (*anchor.EMITTER_RADIANCE, 1)
    front.inputs["Strength"].default_value = 1.0
    back.inputs["Strength"].default_value = 0.0
    geometry, mix = tree.nodes.new("ShaderNodeNewGeometry"), tree.nodes.new("ShaderNodeMixShader")
    tree.links.new(geometry.outputs["Backfacing"], mix.inputs[0])
    tree.links.new(front.outputs[0], mix.inputs[1])
    tree.links.new(back.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], surface)
    material.cycles.emission_sampling = "FRONT"
    return material


def add_sky(scene: bpy.types.Scene) -> None:
    """Light the scene by the environment."""
    pixels = anchor.sky()
    height, width = pixels.shape[:2]
    image = bpy.data.images.new("sky", width, height, float_buffer=True, is_data=True)
    opaque = np.dstack([pixels[::-1], np.ones((height, width), np.float32)])
    image.pixels.foreach_set(opaque.ravel())
    image.pack()
    tree = scene.world.node_tree
    node = tree.nodes.new("ShaderNodeTexEnvironment")
    node.image, node.interpolation = image, "Linear"
    background = tree.nodes["Background"]
    background.inputs["Strength"].default_value = 1.0
    tree.links.new(node.outputs[0], background.inputs["Color"])
    scene.world.cycles.sampling_method = "MANUAL"
    scene.world.cycles.sample_map_resolution = width


def place_camera(camera: bpy.types.Object) -> None:
    """Turn a camera to the ball."""
    z = np.subtract(anchor.CAMERA["origin"], anchor.CAMERA["target"])
    z /= np.linalg.norm(z)
    x = np.cross((0, 0, 1), z)
    x /= np.linalg.norm(x)
    matrix = np.eye(4)
    matrix[:3] = np.column_stack([x, np.cross(z, x), z, anchor.CAMERA["origin"]])
    camera.matrix_world = Matrix(matrix.tolist())
    camera.data.type, camera.data.sensor_fit = "PERSP", "HORIZONTAL"
    camera.data.angle = anchor.CAMERA["fov"]


def build(pixels: int, samples: int) -> tuple[bpy.types.Scene, bpy.types.Node]:
    """Return the scene and the Principled node of the ball."""
    scene = empty_scene(pixels, pixels, samples, anchor.BOUNCES - 1)
    place_camera(scene.camera)
    scene.cycles.sampling_pattern = "TABULATED_SOBOL"
    scene.render.use_persistent_data = True
    material, tree, surface = new_material("ball")
    node = tree.nodes.new("ShaderNodeBsdfPrincipled")
    tree.links.new(node.outputs[0], surface)
    node.inputs["Base Color"].default_value = (*anchor.TRUTH["base_color"], 1)
    add_shape("ball", anchor.ball(), material)
    material, tree, surface = new_material("ground")
    diffuse = tree.nodes.new("ShaderNodeBsdfDiffuse")
    diffuse.inputs["Color"].default_value = (*anchor.GROUND_COLOR, 1)
    tree.links.new(diffuse.outputs[0], surface)
    add_shape("ground", anchor.ground(), material)
    add_shape("emitter", anchor.emitter(), emitter_material())
    add_sky(scene)
    return scene, node
