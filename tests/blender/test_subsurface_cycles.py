# SPDX-License-Identifier: Apache-2.0
"""Subsurface scattering is as in Cycles."""

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


def principled(**inputs):
    """Return a Principled material with all of its subsurface scattering."""
    material = add_material("wax", (0.8, 0.5, 0.3), 0.4)
    node = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
    for name, value in {"Subsurface_Weight": 1.0, "Subsurface_Scale": 1.0, **inputs}.items():
        if name == "method":
            node.subsurface_method = value
        else:
            node.inputs[name.replace("_", " ")].default_value = value
    return material


def node(**inputs):
    """Return a material of one Subsurface Scattering node."""
    material = add_material("wax", (0, 0, 0))
    tree = material.node_tree
    found = tree.nodes.new("ShaderNodeSubsurfaceScattering")
    for name, value in inputs.items():
        if name == "method":
            found.falloff = value
        else:
            found.inputs[name].default_value = value
    end = next(n for n in tree.nodes if n.type == "OUTPUT_MATERIAL")
    tree.links.new(found.outputs[0], end.inputs["Surface"])
    return material


CASES = {
    "principled": lambda: principled(Subsurface_Radius=(1.0, 0.5, 0.2)),
    "half": lambda: principled(Subsurface_Weight=0.5, Subsurface_Radius=(2.0, 1.0, 0.3)),
    "skin": lambda: principled(Subsurface_Scale=0.2, method="RANDOM_WALK_SKIN"),
    "anisotropic": lambda: principled(Subsurface_Anisotropy=0.6),
    "node": lambda: node(Color=(0.9, 0.6, 0.2, 1), Radius=(1.0, 0.6, 0.3), Scale=0.8),
    "without depth": lambda: principled(Subsurface_Scale=0.0, method="BURLEY"),
    "one channel": lambda: node(Color=(0.9, 0.6, 0.2, 1), Radius=(1.0, 0.0, 0.0), Scale=0.8),
}


QUICK = ("principled", "skin")


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.full] * (case not in QUICK)) for case in CASES]
)
def test_walks_are_those_of_cycles(device, tmp_path, case):
    add_plane(size=6).data.materials.append(add_diffuse("floor", (0.6, 0.5, 0.4)))
    bpy.ops.mesh.primitive_monkey_add(size=1.6, location=(0, 0, 0.8))
    bpy.ops.object.modifier_add(type="SUBSURF")
    bpy.context.object.modifiers[-1].levels = bpy.context.object.modifiers[-1].render_levels = 1
    bpy.ops.object.shade_smooth()
    bpy.context.object.data.materials.append(CASES[case]())
    add_camera((0, -3.2, 1.6))
    add_sun(direction=(0.8, 0.5, -0.6))
    add_world((0.2, 0.25, 0.3))

    picture, exported = by_weft(device, 256)

    assert [str(problem) for problem in exported.problems] == []
    reference = by_cycles(tmp_path, 256)
    apart = difference(picture, reference)
    print(case, apart)
    assert apart.mean < 0.01
    assert apart.block < 0.03


def test_another_method_is_named(device):
    add_plane(size=6).data.materials.append(principled(method="BURLEY"))
    add_camera()
    add_world((1, 1, 1))

    _, exported = by_weft(device, 4)

    (problem,) = exported.problems
    assert problem.message == "the subsurface method BURLEY is not supported"


def test_normals_that_do_not_act_where_light_comes_out_are_named(device):
    material = principled()
    tree = material.node_tree
    bump, noise = tree.nodes.new("ShaderNodeBump"), tree.nodes.new("ShaderNodeTexNoise")
    shader = next(n for n in tree.nodes if n.type == "BSDF_PRINCIPLED")
    tree.links.new(noise.outputs["Fac"], bump.inputs["Height"])
    tree.links.new(bump.outputs["Normal"], shader.inputs["Normal"])
    add_plane(size=6).data.materials.append(material)
    add_camera()
    add_world((1, 1, 1))

    _, exported = by_weft(device, 4)

    (problem,) = exported.problems
    assert problem.message == "its normal does not act where subsurface scattering comes out"
