# SPDX-License-Identifier: Apache-2.0
"""Long highlights beside Cycles: tangents around an axis, and those of UV maps."""

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
AMOUNT = {"Principled": "Anisotropic", "Anisotropic": "Anisotropy", "Metallic": "Anisotropy"}
TURN = {"Principled": "Anisotropic Rotation", "Anisotropic": "Rotation", "Metallic": "Rotation"}
LONG = [
    ("Principled", None, 0.0),
    ("Principled", "X", 0.1),
    ("Principled", "Y", 0.0),
    ("Principled", "Z", 0.3),
    ("Principled", "UV", 0.0),
    ("Anisotropic", None, 0.2),
    ("Anisotropic", "UV", 0.1),
    ("Metallic", "X", 0.0),
    ("Metallic", "UV", 0.2),
]


def tangent(tree, kind):
    """Return the output of a Tangent node: around an axis, or along u."""
    node = tree.nodes.new("ShaderNodeTangent")
    node.direction_type = "UV_MAP" if kind == "UV" else "RADIAL"
    if kind != "UV":
        node.axis = kind
    return node.outputs[0]


def make_scene(shader, kind, rotation, scale=(1.0, 0.7, 1.3), bumpy=False):
    """A brushed ball that is stretched and turned."""
    add_camera((0, -4, 2.4), (0, 0, 0))
    add_world((0.1, 0.12, 0.15))
    add_sun()
    bpy.ops.mesh.primitive_uv_sphere_add(
        radius=1, segments=96, ring_count=48, rotation=(0.4, 0.2, 1)
    )
    ball = bpy.context.object
    ball.scale = scale
    for face in ball.data.polygons:
        face.use_smooth = True
    material = add_material("brushed", (0.8, 0.6, 0.4), 0.45)
    ball.data.materials.append(material)
    tree = material.node_tree
    node = next(entry for entry in tree.nodes if entry.type == "BSDF_PRINCIPLED")
    if shader == "Principled":
        node.inputs["Metallic"].default_value = 0.8
    else:
        output = next(entry for entry in tree.nodes if entry.type == "OUTPUT_MATERIAL")
        node = tree.nodes.new(f"ShaderNodeBsdf{shader}")
        node.inputs["Roughness"].default_value = 0.45
        tree.links.new(node.outputs[0], output.inputs["Surface"])
    # Of the Glossy BSDF .5 is a ratio of 4, of the others .8 one of 3.6.
    node.inputs[AMOUNT[shader]].default_value = 0.5 if shader == "Anisotropic" else 0.8
    node.inputs[TURN[shader]].default_value = rotation
    if kind is not None:
        tree.links.new(tangent(tree, kind), node.inputs["Tangent"])
    if bumpy:
        noise, bump = (tree.nodes.new(f"ShaderNode{name}") for name in ("TexNoise", "Bump"))
        bump.inputs["Distance"].default_value = 0.1
        tree.links.new(noise.outputs[0], bump.inputs["Height"])
        tree.links.new(bump.outputs[0], node.inputs["Normal"])


def blocks(image):
    return block_means(image, BLOCK)


def require_equal_pictures(device, folder):
    expected = by_cycles(folder, samples=256)
    picture, exported = by_weft(device, samples=256)

    assert exported.problems == []
    assert picture.mean() == pytest.approx(expected.mean(), rel=0.005)
    level = np.maximum(blocks(expected), expected.mean())
    assert (np.abs(blocks(picture) - blocks(expected)) / level).max() < 0.02


@pytest.mark.parametrize(("shader", "kind", "rotation"), LONG)
def test_highlights_lie_as_in_cycles(device, tmp_path, shader, kind, rotation):
    make_scene(shader, kind, rotation)

    require_equal_pictures(device, tmp_path)


def test_tangents_of_bumpy_surfaces_lie_as_in_cycles(device, tmp_path):
    make_scene("Principled", None, 0.1, bumpy=True)

    require_equal_pictures(device, tmp_path)
