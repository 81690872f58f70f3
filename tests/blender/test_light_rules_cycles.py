# SPDX-License-Identifier: Apache-2.0
"""Lights that some kinds of ray do not see, and lights that cast no shadow, as in Cycles."""

from __future__ import annotations

import bpy
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

BALL = {"shadow_soft_size": 0.15, "use_soft_falloff": False}


def add_ball(place, material):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=place, segments=32, ring_count=16)
    bpy.ops.object.shade_smooth()
    bpy.context.object.data.materials.append(material)


def principled(name, color, **inputs):
    material = add_material(name, color)
    node = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    for key, value in inputs.items():
        node.inputs[key.replace("_", " ")].default_value = value
    return material


def refracting(name):
    """Return a material that reflects nothing and refracts all."""
    material = add_material(name, (1, 1, 1))
    tree = material.node_tree
    node = tree.nodes.new("ShaderNodeBsdfRefraction")
    node.inputs["Roughness"].default_value, node.inputs["IOR"].default_value = 0.4, 1.3
    output = next(n for n in tree.nodes if n.type == "OUTPUT_MATERIAL")
    tree.links.new(node.outputs[0], output.inputs["Surface"])
    return material


def add_scene():
    floor = principled("floor", (0.5, 0.45, 0.4), Roughness=0.35, Sheen_Weight=0.3)
    add_plane(size=8).data.materials.append(floor)
    add_ball((-1.1, 0, 0.5), principled("metal", (0.9, 0.8, 0.7), Metallic=1.0, Roughness=0.5))
    add_ball(
        (0, 0.3, 0.5), principled("paint", (0.2, 0.5, 0.3), Coat_Weight=1.0, Coat_Roughness=0.4)
    )
    add_ball((1.1, 0, 0.5), refracting("ice"))
    add_camera()
    add_world((0.1, 0.12, 0.14))


def add_light(kind, place, energy, hidden=(), **settings):
    data = bpy.data.lights.new("light", kind)
    data.energy = energy
    for name, value in settings.items():
        setattr(data, name, value)
    turn = Vector(place).to_track_quat("Z", "Y").to_matrix().to_4x4()
    made = add_object("light", data, Matrix.Translation(place) @ turn)
    made.visible_camera = False
    for name in hidden:
        setattr(made, f"visible_{name}", False)
    return made


def add_fog():
    """Fill a box around all with a medium that scatters."""
    bpy.ops.mesh.primitive_cube_add(size=8, location=(0, 0, 3.9))
    material = bpy.data.materials.new("fog")
    if material.node_tree is None:
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    node, output = (
        tree.nodes.new(f"ShaderNode{kind}") for kind in ("VolumeScatter", "OutputMaterial")
    )
    node.inputs["Density"].default_value = 0.05
    tree.links.new(node.outputs[0], output.inputs["Volume"])
    bpy.context.object.data.materials.append(material)


def hidden_from_one_kind():
    add_light("POINT", (0.5, -2, 2), 80.0, ["diffuse"], **BALL)
    add_light("AREA", (-1.5, -1.5, 2), 60.0, ["glossy"], size=0.6)
    add_light("SPOT", (2.5, -0.5, 2), 300.0, ["transmission"], spot_size=1.0, **BALL)
    add_light("SUN", (0.3, 0.6, 1), 1.0, ["glossy"], angle=0.1)


def hidden_from_several_kinds():
    add_light("POINT", (0.5, -2, 2), 80.0, ["glossy", "transmission"], shadow_soft_size=0.0)
    add_light("AREA", (-1.5, -1.5, 2), 60.0, ["diffuse", "transmission"], size=0.8)
    add_light("POINT", (0, 0, 3), 400.0, ["diffuse", "glossy", "transmission"], **BALL)
    add_light("SUN", (0.3, 0.6, 1), 0.5, angle=0.1)


def without_shadow():
    add_light("AREA", (-1.5, 1.5, 1.2), 60.0, use_shadow=False, size=0.5)


def sun_without_shadow():
    add_light("SUN", (0.6, -0.6, 1), 1.0, use_shadow=False, angle=0.5)


def in_fog():
    add_fog()
    add_light("POINT", (0.5, -2, 2), 60.0, ["volume_scatter"], **BALL)
    add_light("SUN", (0.6, -0.6, 1), 0.5, use_shadow=False, angle=0.1)


def square_spot():
    add_light("SPOT", (0.5, -1, 2.5), 200.0, use_square=True, spot_blend=0.3, **BALL)


CASES = (hidden_from_one_kind, without_shadow, square_spot)
SLOW_CASES = (hidden_from_several_kinds, sun_without_shadow, in_fog)


@pytest.mark.parametrize(
    "case",
    [*CASES, *(pytest.param(case, marks=pytest.mark.full) for case in SLOW_CASES)],
    ids=lambda case: case.__name__,
)
def test_lights_follow_their_rules(device, tmp_path, case):
    add_scene()
    case()

    picture, exported = by_weft(device, 256, bounces=1)

    assert [str(problem) for problem in exported.problems] == []
    apart = difference(picture, by_cycles(tmp_path, 256, bounces=1))
    assert apart.mean < 0.01
    assert apart.block < 0.03
