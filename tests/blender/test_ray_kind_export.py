# SPDX-License-Identifier: Apache-2.0
"""Light Path, ray visibility and film exposure are as in Cycles."""

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


def add_scene():
    """Add a floor, a ball of metal and a card that shines."""
    add_plane(size=6).data.materials.append(add_material("floor", (0.6, 0.5, 0.4), 0.6))
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.6, location=(-0.6, 0, 0.6))
    bpy.ops.object.shade_smooth()
    metal = add_material("metal", (0.9, 0.8, 0.7), 0.25)
    shader(metal).inputs["Metallic"].default_value = 1.0
    bpy.context.object.data.materials.append(metal)
    card = add_plane(size=1.0)
    card.name, card.location = "card", (0.8, 0, 1.5)
    card.rotation_euler = (0.4, 0.6, 0)
    card.data.materials.append(add_emission("shining", 4.0))
    add_camera()
    add_world((0.2, 0.25, 0.3))


def shader(material):
    return next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")


def output(tree):
    return next(n for n in tree.nodes if n.type.startswith("OUTPUT"))


def add_emission(name, strength):
    material = add_material(name, (1, 1, 1))
    node = material.node_tree.nodes.new("ShaderNodeEmission")
    node.inputs["Strength"].default_value = strength
    material.node_tree.links.new(node.outputs[0], output(material.node_tree).inputs["Surface"])
    return material


def card():
    return bpy.data.objects["card"]


def hide_from_camera():
    card().visible_camera = False


def hide_from_glossy():
    card().visible_glossy = False


def hide_from_diffuse():
    card().visible_diffuse = False


def hide_from_shadow():
    add_sun()
    card().visible_shadow = False


def hide_ball_from_camera():
    ball = next(entry for entry in bpy.data.objects if entry.name.startswith("Sphere"))
    ball.visible_camera = False


def camera_only_color():
    """Show cameras another colour of the card than the floor sees."""
    tree = bpy.data.materials["shining"].node_tree
    path = tree.nodes.new("ShaderNodeLightPath")
    second = tree.nodes.new("ShaderNodeEmission")
    second.inputs["Color"].default_value = (1, 0.1, 0.1, 1)
    mix = tree.nodes.new("ShaderNodeMixShader")
    first = next(n for n in tree.nodes if n.type == "EMISSION" and n != second)
    tree.links.new(path.outputs["Is Camera Ray"], mix.inputs[0])
    tree.links.new(first.outputs[0], mix.inputs[1])
    tree.links.new(second.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], output(tree).inputs["Surface"])


def shadowless():
    """Let light rays pass the ball, as architectural glass has it."""
    add_sun()
    tree = bpy.data.materials["metal"].node_tree
    path = tree.nodes.new("ShaderNodeLightPath")
    clear = tree.nodes.new("ShaderNodeBsdfTransparent")
    mix = tree.nodes.new("ShaderNodeMixShader")
    tree.links.new(path.outputs["Is Shadow Ray"], mix.inputs[0])
    tree.links.new(shader(bpy.data.materials["metal"]).outputs[0], mix.inputs[1])
    tree.links.new(clear.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], output(tree).inputs["Surface"])


def ray_length():
    """Let the floor fade with the distance of who looks."""
    tree = bpy.data.materials["floor"].node_tree
    path = tree.nodes.new("ShaderNodeLightPath")
    part = tree.nodes.new("ShaderNodeMath")
    part.operation = "DIVIDE"
    part.inputs[1].default_value = 10.0
    tree.links.new(path.outputs["Ray Length"], part.inputs[0])
    tree.links.new(part.outputs[0], shader(bpy.data.materials["floor"]).inputs["Base Color"])


def world_for_cameras():
    """Show cameras another world."""
    tree = bpy.context.scene.world.node_tree
    background = next(n for n in tree.nodes if n.type == "BACKGROUND")
    second = tree.nodes.new("ShaderNodeBackground")
    second.inputs["Color"].default_value = (0.9, 0.3, 0.1, 1)
    path = tree.nodes.new("ShaderNodeLightPath")
    mix = tree.nodes.new("ShaderNodeMixShader")
    tree.links.new(path.outputs["Is Camera Ray"], mix.inputs[0])
    tree.links.new(background.outputs[0], mix.inputs[1])
    tree.links.new(second.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], output(tree).inputs["Surface"])


def world_hidden(*kinds):
    visible = bpy.context.scene.world.cycles_visibility
    for kind in kinds:
        setattr(visible, kind, False)


def world_hidden_from_camera():
    world_hidden("camera")


def world_hidden_from_glossy():
    world_hidden("glossy")


def world_hidden_from_diffuse():
    world_hidden("diffuse")


def film_exposure():
    bpy.context.scene.cycles.film_exposure = 1.7


CHANGES = (
    hide_from_camera,
    hide_from_glossy,
    hide_from_diffuse,
    hide_from_shadow,
    hide_ball_from_camera,
    camera_only_color,
    shadowless,
    ray_length,
    world_for_cameras,
    world_hidden_from_camera,
    world_hidden_from_glossy,
    world_hidden_from_diffuse,
    film_exposure,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_rays_see_what_those_of_cycles_see(device, tmp_path, change):
    add_scene()
    before = by_weft(device, 16)[0]
    change()

    picture, exported = by_weft(device, 256)

    assert [str(problem) for problem in exported.problems] == []
    reference = by_cycles(tmp_path, 256)
    apart = difference(picture, reference)
    assert apart.mean < 0.01
    assert apart.block < 0.03
    assert difference(before, reference).block > 2 * apart.block
