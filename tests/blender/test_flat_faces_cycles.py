# SPDX-License-Identifier: Apache-2.0
"""Meshes of which only some faces are flat shine as in Cycles."""

from __future__ import annotations

import bpy
import pytest

from blender.beside_cycles import (
    add_camera,
    add_material,
    add_sun,
    add_world,
    by_cycles,
    by_weft,
    difference,
)


def add_cylinder(sides, kind):
    """A metal tube with smooth sides and flat ends."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=sides, radius=1, depth=2, location=(0, 0, 1))
    mesh = bpy.context.object.data
    for face in mesh.polygons:
        face.use_smooth = abs(face.normal.z) < 0.5
    if kind == "sharp edge":
        mesh.attributes.new("sharp_edge", "BOOLEAN", "EDGE").data[0].value = True
    if kind == "custom normals":
        mesh.normals_split_custom_set([tuple(entry.vector) for entry in mesh.corner_normals])
    material = add_material("tube", (0.6, 0.5, 0.4), 0.3)
    node = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    node.inputs["Metallic"].default_value = 1
    mesh.materials.append(material)


@pytest.mark.parametrize("kind", ["flat ends", "sharp edge", "custom normals"])
@pytest.mark.parametrize("sides", [8, 32])
def test_smooth_sides_beside_flat_ends_are_cycles(device, tmp_path, sides, kind):
    add_cylinder(sides, kind)
    add_camera()
    add_world((0.3, 0.4, 0.5))
    add_sun()

    picture, exported = by_weft(device, 64)

    found = difference(picture, by_cycles(tmp_path, 64))
    assert not exported.problems
    assert found.mean < 0.003  # 0.13 with Blender's own normals at corners
    assert found.block < 0.03
