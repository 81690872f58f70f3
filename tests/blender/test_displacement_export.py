# SPDX-License-Identifier: Apache-2.0
"""The output Displacement shades as in Cycles, as a bump."""

from __future__ import annotations

import bpy
import pytest

from blender.beside_cycles import (
    add_camera,
    add_material,
    add_plane,
    add_sun,
    add_world,
    by_cycles,
    by_weft,
    difference,
)


def add_scene(links, kind="ShaderNodeDisplacement", scale=1.0, **properties):
    """Add a floor and a ball whose Displacement is driven by waves."""
    material = add_material("relief", (0.7, 0.5, 0.3), 0.4)
    tree = material.node_tree
    wave = tree.nodes.new("ShaderNodeTexWave")
    wave.inputs["Scale"].default_value = 0.3
    place = tree.nodes.new("ShaderNodeTexCoord")
    tree.links.new(place.outputs["Object"], wave.inputs["Vector"])
    node = tree.nodes.new(kind)
    for name, value in properties.items():
        setattr(node, name, value)
    node.inputs["Scale"].default_value = 0.1
    tree.links.new(wave.outputs["Color"], node.inputs[0])
    output = next(n for n in tree.nodes if n.type == "OUTPUT_MATERIAL")
    tree.links.new(node.outputs[0], output.inputs["Displacement"])
    links(tree)
    add_plane(size=6).data.materials.append(material)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.8 / scale, location=(0, 0, 0.8))
    ball = bpy.context.object
    ball.scale = (scale, scale, scale)
    ball.data.materials.append(material)
    bpy.ops.object.shade_smooth()
    add_camera()
    add_world((0.3, 0.4, 0.5))
    add_sun()
    return material


def nothing(tree):
    """Leave the surface as it is."""


def with_facing(tree):
    """Let a node of the surface read the normal, and a second bump start from it."""
    facing = tree.nodes.new("ShaderNodeLayerWeight")
    shader = next(n for n in tree.nodes if n.type == "BSDF_PRINCIPLED")
    tree.links.new(facing.outputs["Facing"], shader.inputs["Base Color"])
    noise = tree.nodes.new("ShaderNodeTexNoise")
    bump = tree.nodes.new("ShaderNodeBump")
    bump.inputs["Distance"].default_value = 0.05
    tree.links.new(noise.outputs[0], bump.inputs["Height"])
    tree.links.new(bump.outputs[0], shader.inputs["Normal"])


def with_coat(tree):
    """Put a coat on, which follows the bump."""
    shader = next(n for n in tree.nodes if n.type == "BSDF_PRINCIPLED")
    shader.inputs["Coat Weight"].default_value = 1.0
    shader.inputs["Coat Roughness"].default_value = 0.3


CASES = {
    "displacement": (nothing, {}),
    "displacement of the world": (nothing, {"space": "WORLD", "scale": 2.0}),
    "displacement of a scaled object": (nothing, {"space": "OBJECT", "scale": 2.0}),
    "with nodes that read the normal": (with_facing, {}),
    "under a coat": (with_coat, {}),
    "vectors of the world": (nothing, {"kind": "ShaderNodeVectorDisplacement", "space": "WORLD"}),
    "vectors": (nothing, {"kind": "ShaderNodeVectorDisplacement", "space": "TANGENT"}),
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("case", CASES)
def test_displacement_shades_as_in_cycles(device, tmp_path, case):
    links, settings = CASES[case]
    add_scene(links, **settings)

    picture, exported = by_weft(device, 128)

    assert exported.problems == []
    reference = by_cycles(tmp_path, 128)
    apart = difference(picture, reference)
    assert apart.mean < 0.006
    assert apart.block < 0.03
    flat = bpy.data.materials["relief"].node_tree
    output = next(n for n in flat.nodes if n.type == "OUTPUT_MATERIAL")
    flat.links.remove(output.inputs["Displacement"].links[0])
    assert difference(by_weft(device, 128)[0], reference).pixel > 2 * apart.pixel


def test_displacement_of_the_mesh_is_named(device):
    add_scene(nothing).displacement_method = "DISPLACEMENT"

    _, exported = by_weft(device, 1)

    assert [problem.message for problem in exported.problems] == [
        "displacement of the mesh is not supported"
    ]


def test_a_deep_relief_is_the_surface(device, tmp_path):
    """Light from beyond the mesh's own normal is neither dimmed nor cut off."""
    material = add_scene(nothing)
    tree = material.node_tree
    shader = next(n for n in tree.nodes if n.type == "BSDF_PRINCIPLED")
    shader.inputs["Roughness"].default_value = 1.0
    next(n for n in tree.nodes if n.type == "DISPLACEMENT").inputs["Scale"].default_value = 0.6
    background = next(n for n in bpy.context.scene.world.node_tree.nodes if n.type == "BACKGROUND")
    background.inputs["Strength"].default_value = 0.0

    picture, _ = by_weft(device, 256)

    found = difference(picture, by_cycles(tmp_path, 256))
    assert found.mean < 0.006  # 0.037 and 0.22 where the mesh's own normal dims
    assert found.block < 0.04
