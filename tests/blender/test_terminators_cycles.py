# SPDX-License-Identifier: Apache-2.0
"""The edge of the shadow on coarse smooth meshes: Blender's Geometry Offset, beside Cycles."""

from __future__ import annotations

import bpy
import pytest

import weft
from blender.beside_cycles import (
    add_camera,
    add_diffuse,
    add_material,
    add_object,
    add_plane,
    add_sun,
    add_world,
    by_cycles,
    by_weft,
    difference,
)
from weft.render import PathSettings


def add_light(kind):
    """Light that leaves a wide edge of shadow in the picture."""
    if kind == "sun":
        add_sun(direction=(1, 0.3, -0.4), angle=0.1)
        return
    light = bpy.data.lights.new("light", "POINT")
    light.energy, light.shadow_soft_size = 300, 0.3
    add_object("light", light).location = (3, -0.5, 2)


def make_scene(sides, light, offset):
    """A coarse drum and a coarse ball, both smooth, on a floor."""
    add_camera((0, -5, 2), (0, 0, 0.6))
    add_world()
    add_light(light)
    add_plane(8).data.materials.append(add_diffuse("floor", (0.1, 0.1, 0.1)))
    bpy.ops.mesh.primitive_cylinder_add(
        vertices=sides, radius=0.6, depth=1.6, location=(-0.9, 0, 0.8)
    )
    drum = bpy.context.object
    drum.data.materials.append(add_diffuse("drum", (0.8, 0.8, 0.8)))
    bpy.ops.mesh.primitive_uv_sphere_add(
        segments=sides, ring_count=max(sides // 2, 4), radius=0.8, location=(0.9, 0, 0.8)
    )
    ball = bpy.context.object
    ball.data.materials.append(add_material("ball", (0.9, 0.7, 0.4), 0.7))
    for entry in (drum, ball):
        entry.shadow_terminator_geometry_offset = offset
        for face in entry.data.polygons:
            face.use_smooth = True


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("sides", "light", "offset"),
    [(6, "sun", 0.0), (6, "sun", 0.1), (6, "point", 0.5), (16, "sun", 0.5), (16, "point", 0.1)],
)
def test_coarse_meshes_are_shadowed_as_in_cycles(device, tmp_path, sides, light, offset):
    make_scene(sides, light, offset)

    picture, exported = by_weft(device, 256)

    found = difference(picture, by_cycles(tmp_path, 256))
    assert not exported.problems
    assert found.mean < 0.004
    assert found.block < 0.02


def test_the_offset_brightens_the_edge_of_the_shadow(device):
    make_scene(6, "sun", 0.1)

    picture, exported = by_weft(device, 64)
    for entry in exported.scene.objects:
        entry.shadow_terminator_geometry_offset = 0.0
    exact = weft.Renderer(device, exported.scene).render(
        settings=PathSettings(samples=64, bounces=3)
    )

    assert picture.mean() > 1.02 * exact.mean()


def test_bounced_light_and_flat_faces_stay(device, tmp_path):
    make_scene(8, "sun", 0.3)
    for entry in bpy.data.objects:
        for face in getattr(entry.data, "polygons", ()):
            face.use_smooth = False

    picture, _ = by_weft(device, 128)

    assert difference(picture, by_cycles(tmp_path, 128)).block < 0.02
