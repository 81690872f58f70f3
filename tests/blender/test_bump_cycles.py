# SPDX-License-Identifier: Apache-2.0
"""Bumps of fine detail beside Cycles: slopes are taken over the same part of a pixel."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from blender.beside_cycles import (
    add_camera,
    add_material,
    add_sun,
    add_world,
    block_means,
    by_cycles,
    by_weft,
)

BLOCK = 8
# Scale of the noise and metres to the camera. Filter width and detail go with them.
FINE = [
    (5.0, 4.0, 0.1, 0.0),
    (50.0, 4.0, 0.1, 2.0),
    (250.0, 2.5, 0.1, 0.0),
    (250.0, 8.0, 0.1, 0.0),
    (250.0, 4.0, 1.0, 0.0),
    (500.0, 4.0, 0.3, 0.0),
]


def noise(tree, scale, detail):
    """Return the output of a noise in object space."""
    place = tree.nodes.new("ShaderNodeTexCoord")
    node = tree.nodes.new("ShaderNodeTexNoise")
    node.inputs["Scale"].default_value = scale
    node.inputs["Detail"].default_value = detail
    tree.links.new(place.outputs["Object"], node.inputs["Vector"])
    return node.outputs[0]


def pixels(tree):
    """Return the output of an image of 256 x 256 random heights."""
    image = bpy.data.images.new("height", 256, 256, float_buffer=True, is_data=True)
    full = np.ones((256, 256, 4), np.float32)
    full[..., :3] = np.random.default_rng(0).random((256, 256, 1), np.float32)
    image.pixels.foreach_set(full.ravel())
    image.pack()
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    return node.outputs["Color"]


def make_scene(away, filter_width, height, depth):
    """A bumpy ball; `height` adds what drives the bump, `depth` metres high."""
    add_camera((0, -away, 0.6 * away), (0, 0, 0))
    add_world((0.3, 0.35, 0.4))
    add_sun()
    bpy.ops.mesh.primitive_uv_sphere_add(radius=1, segments=64, ring_count=32)
    ball = bpy.context.object
    for face in ball.data.polygons:
        face.use_smooth = True
    material = add_material("bumpy", (0.7, 0.5, 0.3), 0.4)
    ball.data.materials.append(material)
    tree = material.node_tree
    bump = tree.nodes.new("ShaderNodeBump")
    bump.inputs["Filter Width"].default_value = filter_width
    bump.inputs["Distance"].default_value = depth
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    tree.links.new(height(tree), bump.inputs["Height"])
    tree.links.new(bump.outputs[0], shader.inputs["Normal"])


def blocks(image):
    return block_means(image, BLOCK)


def require_equal_pictures(device, folder):
    """Compare means and blocks; 256 samples a pixel leave 0.2 % of noise in a block."""
    expected = by_cycles(folder, samples=256)
    picture, exported = by_weft(device, samples=256)

    assert exported.problems == []
    assert picture.mean() == pytest.approx(expected.mean(), rel=0.003)
    level = np.maximum(blocks(expected), expected.mean() / 2)
    assert np.abs(blocks(picture) - blocks(expected)).max() < 0.01 * level.max()
    assert (np.abs(blocks(picture) - blocks(expected)) / level).max() < 0.015


@pytest.mark.parametrize(("scale", "away", "filter_width", "detail"), FINE)
def test_fine_noise_is_as_deep_as_in_cycles(device, tmp_path, scale, away, filter_width, detail):
    make_scene(away, filter_width, lambda tree: noise(tree, scale, detail), 0.5 / scale)

    require_equal_pictures(device, tmp_path)


@pytest.mark.parametrize("filter_width", [0.1, 2.0])
def test_a_fine_image_is_as_deep_as_in_cycles(device, tmp_path, filter_width):
    make_scene(4.0, filter_width, pixels, 0.01)

    require_equal_pictures(device, tmp_path)


def test_a_filter_width_of_zero_leaves_the_mesh_smooth(device, tmp_path):
    make_scene(4.0, 0.0, lambda tree: noise(tree, 5.0, 0.0), 0.1)

    require_equal_pictures(device, tmp_path)


def test_an_orthographic_camera_has_pixels_of_one_size(device, tmp_path):
    make_scene(4.0, 0.5, lambda tree: noise(tree, 100.0, 0.0), 0.01)
    bpy.context.scene.camera.data.type = "ORTHO"
    bpy.context.scene.camera.data.ortho_scale = 3.0

    require_equal_pictures(device, tmp_path)
