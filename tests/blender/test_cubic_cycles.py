# SPDX-License-Identifier: Apache-2.0
"""Cubic interpolation of images is that of Cycles."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from blender.beside_cycles import add_camera, add_plane, add_world, by_cycles, by_weft, difference

SIZE = (7, 5)


def coarse_image(is_float):
    """Return an image of a few texels, seen large."""
    image = bpy.data.images.new("coarse", *SIZE, alpha=True, float_buffer=is_float)
    values = np.random.default_rng(4).random((SIZE[1], SIZE[0], 4), np.float32)
    values[..., 3] = 1
    image.pixels.foreach_set(values.ravel())
    image.pack()
    return image


@pytest.mark.parametrize(
    ("interpolation", "extension", "is_float"),
    [("Cubic", "REPEAT", True), ("Smart", "CLIP", False), ("Cubic", "MIRROR", False)],
)
def test_an_image_is_interpolated_as_in_cycles(
    device, tmp_path, interpolation, extension, is_float
):
    camera = add_camera((0, 0, 4), (0, 0.001, 0)).data
    camera.type, camera.ortho_scale = "ORTHO", 3.0
    add_world((0.0, 0.0, 0.0))
    material = bpy.data.materials.new("coarse")
    if material.node_tree is None:
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    node, shader, end, place, scale = (
        tree.nodes.new(f"ShaderNode{kind}")
        for kind in ("TexImage", "Emission", "OutputMaterial", "TexCoord", "Mapping")
    )
    node.image, node.interpolation, node.extension = (
        coarse_image(is_float),
        interpolation,
        extension,
    )
    scale.inputs["Scale"].default_value = (1.4, 1.4, 1)
    tree.links.new(place.outputs["UV"], scale.inputs["Vector"])
    tree.links.new(scale.outputs["Vector"], node.inputs["Vector"])
    tree.links.new(node.outputs["Color"], shader.inputs["Color"])
    tree.links.new(shader.outputs["Emission"], end.inputs["Surface"])
    add_plane(size=2.6).data.materials.append(material)

    picture, exported = by_weft(device, 32)

    assert [str(problem) for problem in exported.problems] == []
    apart = difference(picture, by_cycles(tmp_path, 64))
    assert apart.mean < 0.003
    assert apart.block < 0.01
