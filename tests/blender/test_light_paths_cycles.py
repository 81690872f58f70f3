# SPDX-License-Identifier: Apache-2.0
"""Limits of paths: bounces by kind, clamps, Filter Glossy and caustics, beside Cycles."""

from __future__ import annotations

import bpy
import pytest
from addon.blender.path_settings import bounces, light_paths

from blender.beside_cycles import (
    add_camera,
    add_material,
    add_object,
    add_plane,
    add_world,
    block_means,
    by_cycles,
    by_weft,
)

BOUNCES = 12


def make_room(**inputs):
    """A light in a corner of two walls, and a ball of sharp facets on its floor."""
    add_camera((0, -5, 3), (0, 0.5, 0.8))
    add_world((0.02, 0.02, 0.02))
    add_plane(8).data.materials.append(add_material("floor", (0.8, 0.7, 0.6), 1.0))
    for place, turn in (((0, 2.5, 2), (1.5708, 0, 0)), ((-2.5, 0, 2), (0, 1.5708, 0))):
        bpy.ops.mesh.primitive_plane_add(size=8, location=place, rotation=turn)
        bpy.context.object.data.materials.append(add_material("wall", (0.7, 0.8, 0.9), 0.9))
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.9, location=(0.3, 0.3, 0.9), segments=64)
    bpy.ops.object.shade_smooth()
    ball = add_material("ball", (0.9, 0.6, 0.4), 0.15)
    shader = next(n for n in ball.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    for name, value in inputs.items():
        shader.inputs[name.replace("_", " ")].default_value = value
    bpy.context.object.data.materials.append(ball)
    light = bpy.data.lights.new("light", "POINT")
    light.energy, light.shadow_soft_size = 300, 0.4
    add_object("light", light).location = (1.5, -1.0, 3)


CASES = [
    ({"diffuse_bounces": 1}, {"Metallic": 1.0}),
    ({"glossy_bounces": 0}, {"Metallic": 1.0}),
    ({"transmission_bounces": 1}, {"Transmission_Weight": 1.0}),
    ({"sample_clamp_indirect": 0.2}, {"Metallic": 1.0}),
    ({"sample_clamp_direct": 0.3}, {"Metallic": 0.5}),
    ({"blur_glossy": 1.0}, {"Metallic": 1.0}),
    ({"blur_glossy": 1.0}, {"Transmission_Weight": 1.0}),
    ({"caustics_reflective": False}, {"Metallic": 0.5, "Coat_Weight": 1.0}),
    ({"caustics_refractive": False}, {"Transmission_Weight": 1.0}),
    (
        {"diffuse_bounces": 4, "glossy_bounces": 4, "sample_clamp_indirect": 10, "blur_glossy": 1},
        {"Metallic": 1.0},
    ),
]


@pytest.mark.parametrize(("limits", "inputs"), CASES)
def test_pictures_have_the_limits_of_cycles(limits, inputs, device, tmp_path):
    make_room(**inputs)
    samples = 1024 if "transmission_bounces" in limits else 192  # a caustic that nothing dulls
    reference = by_cycles(tmp_path, samples=samples, bounces=BOUNCES, **limits)
    picture, exported = by_weft(device, samples=samples, bounces=BOUNCES, **limits)
    assert exported.problems == []
    assert exported.scene.light_paths.has_effect
    assert picture.mean() == pytest.approx(reference.mean(), rel=0.01)
    assert abs(block_means(picture) / block_means(reference) - 1).max() < 0.04


def test_a_new_scene_is_rendered_with_its_numbers(extension):
    scene = bpy.context.scene
    scene.cycles.max_bounces, scene.cycles.diffuse_bounces = 12, 4
    scene.cycles.transmission_bounces = 12
    assert bounces(scene)[0] == 13
    assert light_paths(scene).diffuse_bounces == 5
    assert light_paths(scene).transmission_bounces is None
    assert light_paths(scene).volume_bounces == 1
    scene.weft_render.bounces = 3
    assert bounces(scene)[0] == 3
