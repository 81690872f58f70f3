# SPDX-License-Identifier: Apache-2.0
"""Eighty small lights of very different power light a scene as in Cycles."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from blender.beside_cycles import (
    add_camera,
    add_material,
    add_object,
    add_plane,
    add_world,
    by_cycles,
    by_weft,
    difference,
)

KINDS = ["POINT"] * 5 + ["SPOT"] * 2 + ["AREA"] * 2 + ["SUN"]
TREE = {"bounces": 1, "use_light_tree": True}


def add_lights(count):
    """Add lights of all kinds above the floor; powers differ by up to 400."""
    random = np.random.default_rng(1)
    for number in range(count):
        data = bpy.data.lights.new("light", KINDS[number % len(KINDS)])
        power = float(np.exp(random.uniform(-3, 3)))
        data.energy = 0.01 * power if data.type == "SUN" else 2.0 * power
        data.color = tuple(random.uniform(0.3, 1, 3))
        if data.type == "SUN":
            data.angle = 0.1
        elif data.type == "AREA":
            data.size = 0.2
        else:
            data.shadow_soft_size = float(random.choice([0, 0.02, 0.1]))
            data.use_soft_falloff = False
        place = random.uniform((-3.5, -3.5, 0.7), (3.5, 3.5, 2.5))
        aim = place - (*random.uniform(-2, 2, 2), 0)
        turn = Vector(aim.tolist()).to_track_quat("Z", "Y").to_matrix().to_4x4()
        made = add_object("light", data, Matrix.Translation(place.tolist()) @ turn)
        made.visible_camera = False


@pytest.mark.full
def test_eighty_lights_light_as_in_cycles(device, tmp_path):
    add_plane(size=8).data.materials.append(add_material("floor", (0.5, 0.45, 0.4)))
    for x, metallic in ((-1.1, 1.0), (0.3, 0.0)):
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(x, 0.2, 0.5))
        bpy.ops.object.shade_smooth()
        material = add_material("ball", (0.6, 0.7, 0.5))
        node = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
        node.inputs["Metallic"].default_value = metallic
        bpy.context.object.data.materials.append(material)
    add_camera()
    add_world()
    add_lights(80)

    picture, exported = by_weft(device, 512, **TREE)

    assert exported.problems == []
    assert len(exported.scene.lights) == 80
    apart = difference(picture, by_cycles(tmp_path, 512, **TREE))
    assert apart.mean < 0.01
    assert apart.block < 0.03
