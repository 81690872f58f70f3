# SPDX-License-Identifier: Apache-2.0
"""Media inside of objects are as in Cycles."""

from __future__ import annotations

import bpy
import pytest

from blender.beside_cycles import (
    add_camera,
    add_diffuse,
    add_material,
    add_plane,
    add_sun,
    add_world,
    by_cycles,
    by_weft,
    difference,
)


def output(material):
    return next(n for n in material.node_tree.nodes if n.type == "OUTPUT_MATERIAL")


def fill(material, kind, **inputs):
    """Connect a node of a volume to a material."""
    node = material.node_tree.nodes.new(kind)
    for name, value in inputs.items():
        node.inputs[name.replace("_", " ")].default_value = value
    material.node_tree.links.new(node.outputs[0], output(material).inputs["Volume"])
    return node


def clear(name):
    """Return a material without a surface."""
    material = add_material(name, (1, 1, 1))
    tree = material.node_tree
    tree.nodes.remove(next(n for n in tree.nodes if n.type == "BSDF_PRINCIPLED"))
    return material


def glass(name, roughness=0.0):
    material = add_material(name, (1, 1, 1), roughness)
    shader = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    shader.inputs["Transmission Weight"].default_value = 1.0
    return material


def ball(material, location=(0, 0, 0.9), radius=0.8):
    bpy.ops.mesh.primitive_uv_sphere_add(
        radius=radius, location=location, segments=48, ring_count=24
    )
    bpy.ops.object.shade_smooth()
    bpy.context.object.data.materials.append(material)
    return bpy.context.object


def cube(material, location=(0, 0, 0.8), size=1.4):
    bpy.ops.mesh.primitive_cube_add(size=size, location=location)
    bpy.context.object.data.materials.append(material)
    return bpy.context.object


def absorbing_glass():
    material = glass("liquid", 0.1)
    fill(material, "ShaderNodeVolumeAbsorption", Color=(0.9, 0.4, 0.1, 1), Density=1.5)
    ball(material)


def absorbing_cloud_casts_shadow():
    add_sun()
    material = clear("cloud")
    fill(material, "ShaderNodeVolumeAbsorption", Color=(0.2, 0.5, 0.9, 1), Density=1.0)
    cube(material)


def shining_cloud():
    material = clear("fire")
    fill(material, "ShaderNodeEmission", Color=(1, 0.4, 0.1, 1), Strength=0.8)
    ball(material)


def overlapping_clouds():
    for number, x in enumerate((-0.4, 0.4)):
        material = clear(f"cloud {number}")
        color = (0.8, 0.3, 0.3, 1) if number else (0.3, 0.8, 0.5, 1)
        fill(material, "ShaderNodeVolumeAbsorption", Color=color, Density=1.2)
        cube(material, (x, 0.1 * number, 0.8), size=1.4 - 0.1 * number)


def ball_of_glass_in_liquid():
    material = clear("liquid")
    fill(material, "ShaderNodeVolumeAbsorption", Color=(0.3, 0.6, 0.9, 1), Density=0.7)
    cube(material, size=1.8, location=(0, 0, 0.95))
    inner = glass("inner", 0.2)
    fill(inner, "ShaderNodeVolumeAbsorption", Color=(0.9, 0.5, 0.2, 1), Density=2.0)
    ball(inner, radius=0.5)


def camera_within():
    material = clear("haze")
    fill(material, "ShaderNodeVolumeAbsorption", Color=(0.3, 0.6, 0.9, 1), Density=0.2)
    cube(material, size=14, location=(0, 0, 6))
    ball(glass("ball", 0.1))


def scattering_cloud():
    add_sun()
    material = clear("smoke")
    fill(material, "ShaderNodeVolumeScatter", Color=(0.9, 0.7, 0.5, 1), Density=1.5, Anisotropy=0.4)
    cube(material)


def principled_cloud():
    add_sun()
    material = clear("smoke")
    fill(
        material,
        "ShaderNodeVolumePrincipled",
        Color=(0.6, 0.7, 0.8, 1),
        Density=1.2,
        Anisotropy=-0.3,
        Absorption_Color=(0.3, 0.1, 0.05, 1),
        Emission_Strength=0.1,
        Emission_Color=(0.2, 0.9, 0.3, 1),
        Blackbody_Intensity=0.02,
        Temperature=1500.0,
    )
    ball(material)


def mixed_media():
    material = clear("mixed")
    tree = material.node_tree
    first = fill(material, "ShaderNodeVolumeAbsorption", Color=(0.9, 0.4, 0.1, 1), Density=3.0)
    second = fill(material, "ShaderNodeEmission", Color=(0.1, 0.3, 0.9, 1), Strength=0.7)
    mix, add = (tree.nodes.new(f"ShaderNode{kind}Shader") for kind in ("Mix", "Add"))
    mix.inputs[0].default_value = 0.3
    for k, node in enumerate((first, second)):
        tree.links.new(node.outputs[0], mix.inputs[1 + k])
        tree.links.new((mix, second)[k].outputs[0], add.inputs[k])
    tree.links.new(add.outputs[0], output(material).inputs["Volume"])
    ball(material)


CASES = (
    absorbing_glass,
    absorbing_cloud_casts_shadow,
    shining_cloud,
    overlapping_clouds,
    ball_of_glass_in_liquid,
    camera_within,
    scattering_cloud,
    principled_cloud,
    mixed_media,
)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_volumes_are_those_of_cycles(device, tmp_path, case):
    add_plane(size=6).data.materials.append(add_diffuse("floor", (0.6, 0.5, 0.4)))
    add_camera()
    add_world((0.5, 0.6, 0.7))
    case()
    cycles = bpy.context.scene.cycles
    cycles.volume_bounces, cycles.transmission_bounces = 2, 2

    picture, exported = by_weft(device, 256)

    assert [str(problem) for problem in exported.problems] == []
    reference = by_cycles(tmp_path, 256)
    apart = difference(picture, reference)
    print(case.__name__, apart)
    assert apart.mean < 0.01
    assert apart.block < 0.03


def test_what_is_not_supported_is_named(device):
    material = clear("cloud")
    node = fill(material, "ShaderNodeVolumeAbsorption")
    noise = material.node_tree.nodes.new("ShaderNodeTexNoise")
    material.node_tree.links.new(noise.outputs[0], node.inputs["Density"])
    cube(material)
    tree = add_world((0.5, 0.6, 0.7))
    fog = tree.nodes.new("ShaderNodeVolumeScatter")
    end = next(n for n in tree.nodes if n.type == "OUTPUT_WORLD")
    tree.links.new(fog.outputs[0], end.inputs["Volume"])
    add_camera()

    _, exported = by_weft(device, 4)

    found = sorted(problem.message for problem in exported.problems)
    assert found == [
        "a volume that varies in space is not supported",
        "the volume of a world is not supported",
    ]
