# SPDX-License-Identifier: Apache-2.0
"""Lights shine as in Cycles."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.export import SceneExporter
from mathutils import Euler, Matrix

from blender.beside_cycles import (
    add_camera,
    add_object,
    add_plane,
    add_world,
    by_cycles,
    by_weft,
    difference,
)

BALL = {"shadow_soft_size": 0.3, "use_soft_falloff": False}
SOFT = {"shadow_soft_size": 0.6, "use_soft_falloff": True}
RECTANGLE = {"shape": "RECTANGLE", "size": 1.0, "size_y": 0.5}
SPOT = {**BALL, "spot_size": 1.2, "spot_blend": 0.5}

CASES = {
    "point": ("POINT", BALL, 1),
    "point without size": ("POINT", {"shadow_soft_size": 0.0, "exposure": 1.0}, 1),
    "point, not normalized": ("POINT", {**BALL, "normalize": False}, 1),
    "point of a temperature": ("POINT", {**BALL, "use_temperature": True, "temperature": 3000}, 1),
    "point, soft": ("POINT", SOFT, 1),
    "spot": ("SPOT", SPOT, 1),
    "spot, soft": ("SPOT", {**SPOT, **SOFT}, 1),
    "spot, scaled": ("SPOT", SPOT, 2),
    "sun": ("SUN", {"angle": 0.5, "energy": 3.0}, 1),
    "sun, not normalized": ("SUN", {"angle": 0.5, "energy": 3.0, "normalize": False}, 1),
    "rectangle": ("AREA", RECTANGLE, 1),
    "square": ("AREA", {"shape": "SQUARE", "size": 0.8, "size_y": 0.2}, 1),
    "disk": ("AREA", {"shape": "DISK", "size": 1.0, "size_y": 0.2}, 1),
    "ellipse, scaled": ("AREA", {"shape": "ELLIPSE", "size": 1.0, "size_y": 0.5}, (2, 1.5, 1)),
    "rectangle, mirrored": ("AREA", RECTANGLE, (-2, 1.5, 1)),
    "rectangle with spread": ("AREA", {**RECTANGLE, "spread": 1.5}, 1),
    "ellipse with a narrow spread": (
        "AREA",
        {"shape": "ELLIPSE", "size": 1.0, "size_y": 0.6, "spread": 0.6},
        (1, 1.5, 1),
    ),
    "rectangle, not normalized": ("AREA", {**RECTANGLE, "normalize": False}, 1),
}


def add_light(kind, settings, scale=1):
    light = bpy.data.lights.new("light", kind)
    light.energy, light.color = 100.0, (1, 0.8, 0.5)
    for name, value in settings.items():
        setattr(light, name, value)
    size = np.broadcast_to(scale, 3)
    matrix = (
        Matrix.Translation((1, -1, 2.5))
        @ Euler((0.3, 0.2, 0.4)).to_matrix().to_4x4()
        @ Matrix.Diagonal((*size, 1))
    )
    made = add_object("light", light, matrix)
    made.visible_camera = False
    return made


def add_scene():
    add_plane()
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.6, location=(0, 0, 0.6))
    bpy.ops.object.shade_smooth()
    add_camera()
    add_world()


@pytest.mark.sweep(3)
@pytest.mark.parametrize("case", CASES)
def test_light_shines_as_in_cycles(device, tmp_path, case):
    add_scene()
    add_light(*CASES[case])

    samples = 1024 if "spread" in case else 128

    picture, exported = by_weft(device, samples)

    assert exported.problems == []
    apart = difference(picture, by_cycles(tmp_path, samples))
    assert apart.mean < 0.005
    assert apart.block < (0.01 if "spread" in case else 0.015)


def export():
    return SceneExporter().export(bpy.context.evaluated_depsgraph_get())


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        ("POINT", {**BALL, "energy": -5.0}, "negative light is not supported"),
    ],
)
def test_what_a_light_cannot_do_is_named(kind, settings, message):
    add_light(kind, settings)

    problems = export().problems

    assert [str(p).startswith(f"Light 'light': {message}") for p in problems] == [True]


def test_a_light_in_view_is_named():
    light = add_light("POINT", BALL)
    light.visible_camera = True
    add_camera(target=(1, -1, 2.5))
    assert "cameras do not see lights" in str(export().problems[0])

    light.visible_camera = False
    assert export().problems == []

    light.visible_camera = True
    bpy.context.scene.camera.location = (1, 0, 2.5)
    bpy.context.view_layer.update()
    assert export().problems == []


def test_a_light_without_extent_is_named():
    add_light("AREA", {"shape": "SQUARE", "size": 0.0})

    exported = export()

    assert exported.scene.lights == []
    assert "it has no extent" in str(exported.problems[0])


def test_instanced_lights_have_names_of_their_own():
    light = add_light("POINT", BALL)
    second = light.copy()
    bpy.context.scene.collection.objects.link(second)
    holder = bpy.data.collections.new("holder")
    holder.objects.link(light)
    empty = add_object("empty", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", holder

    names = [light.name for light in export().scene.lights]

    assert len(names) == len(set(names)) == 3


def test_emission_nodes_of_a_light_are_factors():
    light = add_light("POINT", BALL).data
    plain = export().scene.lights[0]
    if not light.node_tree:
        light.use_nodes = True
    emission = next(n for n in light.node_tree.nodes if n.type == "EMISSION")
    emission.inputs["Color"].default_value = (0.5, 1, 1, 1)
    emission.inputs["Strength"].default_value = 3.0

    changed = export().scene.lights[0]

    assert changed.color == pytest.approx(np.multiply(plain.color, (1.5, 3, 3)))


IES = """IESNA:LM-63-1995
[TEST] made up
TILT=NONE
1 1000 900 7 3 1 2 0.1 0.1 0.1
1.0 1.1 60
0 15 30 45 60 75 90
0 45 90
3 2.8 2.5 1.5 0.8 0.3 0.05
3 2.6 1.9 1.2 0.5 0.2 0.02
3 2.4 1.2 0.6 0.3 0.1 0.01
"""


def nodes_of(light):
    """Return a light's tree, its Emission, and a function that adds a node."""
    if not light.node_tree:
        light.use_nodes = True
    tree = light.node_tree
    return tree, next(n for n in tree.nodes if n.type == "EMISSION"), tree.nodes.new


def add_ies(light):
    tree, emission, new = nodes_of(light)
    node = new("ShaderNodeTexIES")
    node.ies = bpy.data.texts.new("made up.ies")
    node.ies.write(IES)
    node.inputs["Strength"].default_value = 0.002
    tree.links.new(node.outputs[0], emission.inputs["Strength"])


def add_blackbody(light):
    tree, emission, new = nodes_of(light)
    node = new("ShaderNodeBlackbody")
    node.inputs[0].default_value = 2700
    tree.links.new(node.outputs[0], emission.inputs["Color"])


def add_falloff(light, output="Linear", smooth=1.5):
    tree, emission, new = nodes_of(light)
    node = new("ShaderNodeLightFalloff")
    node.inputs["Strength"].default_value, node.inputs["Smooth"].default_value = 0.5, smooth
    tree.links.new(node.outputs[output], emission.inputs["Strength"])


def add_normals(light):
    tree, emission, new = nodes_of(light)
    coordinates, positive = new("ShaderNodeTexCoord"), new("ShaderNodeVectorMath")
    positive.operation = "MULTIPLY_ADD"
    positive.inputs[1].default_value = positive.inputs[2].default_value = (0.5, 0.5, 0.5)
    tree.links.new(coordinates.outputs["Normal"], positive.inputs[0])
    tree.links.new(positive.outputs[0], emission.inputs["Color"])


NODES = {
    "measured": ("POINT", {"shadow_soft_size": 0.05}, add_ies),
    "measured area": ("AREA", RECTANGLE, add_ies),
    "black body": ("SPOT", SPOT, add_blackbody),
    "linear": ("POINT", BALL, add_falloff),
    "constant": ("AREA", RECTANGLE, lambda light: add_falloff(light, "Constant", 0.0)),
    "normals": ("POINT", {"shadow_soft_size": 0.0}, add_normals),
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("case", NODES)
def test_nodes_of_a_light_shine_as_in_cycles(device, tmp_path, case):
    kind, settings, add = NODES[case]
    add_scene()
    add(add_light(kind, settings).data)

    picture, exported = by_weft(device, 128)

    assert [str(problem) for problem in exported.problems] == []
    apart = difference(picture, by_cycles(tmp_path, 128))
    assert apart.mean < 0.005
    assert apart.block < 0.02


def test_nodes_that_vary_over_a_light_are_named(device):
    light = add_light("POINT", BALL).data
    tree, emission, new = nodes_of(light)
    tree.links.new(new("ShaderNodeTexNoise").outputs["Color"], emission.inputs["Color"])
    exporter = SceneExporter(lambda: device)

    found = exporter.export(bpy.context.evaluated_depsgraph_get())

    assert "nodes that vary over a light" in str(found.problems[0])
    assert found.scene.lights[0].profile is None
