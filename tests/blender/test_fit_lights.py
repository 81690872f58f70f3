# SPDX-License-Identifier: Apache-2.0
"""Pictures that were taken under lights and worlds of their own."""

from __future__ import annotations

import bpy
import pytest
from mathutils import Vector

from blender.fit_scene import TRUTH, image_of, plate, principled, set_inputs, start
from blender.panel import draw_panel

__all__ = ["plate"]


def render(**options):
    from addon.api import render as run

    return run(samples=128, **options)["color"]


def hide(*names):
    """Let renders show only the lights that are not named."""
    for entry in bpy.data.objects:
        if entry.type == "LIGHT":
            entry.hide_render = entry.name in names


def add_light(name, location, energy, parent=None):
    light = bpy.data.objects.new(name, bpy.data.lights.new(name, "POINT"))
    light.data.energy = energy
    light.data.shadow_soft_size = 0.05
    light.location = location
    light.parent = parent
    bpy.context.collection.objects.link(light)
    return light


def world_of(name, color, strength=1.0):
    world = bpy.data.worlds.new(name)
    if world.node_tree is None:
        world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (*color, 1)
    background.inputs["Strength"].default_value = strength
    return world


def targets_of(pictures):
    """Return what a fit takes of pictures, and the names of their own lights."""
    from addon.blender.fit_scene import light_pictures, target_names
    from addon.blender.fit_targets import make_target
    from addon.blender.scripting import _picture

    made = [_picture(dict(entry)) for entry in pictures]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    exporter = bpy.context.window_manager.weft_session.exporter()
    exported = exporter.export(depsgraph, cameras=[])
    targets = [
        make_target(picture, name, depsgraph)[0]
        for picture, name in zip(made, target_names(made), strict=True)
    ]
    return light_pictures(depsgraph, exporter, exported, made, targets)


def names_of(lights):
    return [entry if isinstance(entry, str) else entry.name for entry in lights]


@pytest.fixture
def two(plate):
    """Photos of the plate in truth: by day, and by a flash at a second camera, the rest dark."""
    truth = principled(bpy.data.materials["Glaze"])
    bpy.context.scene.world = world_of("Day", (0.3, 0.4, 0.6))
    night = world_of("Night", (0.05, 0.02, 0.01))
    front = bpy.data.objects["Camera"]
    bpy.ops.object.camera_add(location=(1.6, -1.6, 2.4), rotation=(0.75, 0.05, 0.8))
    side = bpy.context.object
    side.name = "Side"
    flash = add_light("Flash", (0.1, 0.05, 0), 30, parent=front)
    bpy.context.view_layer.update()
    set_inputs(truth, TRUTH)
    hide("Flash")
    day = render(camera=front)
    hide("Key")
    flash.parent = side
    bpy.context.scene.world = night
    bpy.context.view_layer.update()
    dark = render(camera=side)
    flash.parent = front
    bpy.context.scene.world = bpy.data.worlds["Day"]
    hide()
    set_inputs(truth, {"Base Color": (0.4, 0.4, 0.4), "Roughness": 0.6})
    bpy.context.view_layer.update()
    return [
        {"camera": "Camera", "source": day, "filter": "box"},
        {
            "camera": "Side",
            "source": dark,
            "filter": "box",
            "lights": [],
            "flash": "Flash",
            "world": "Night",
        },
    ]


def test_a_flash_moves_with_the_camera_and_is_dark_elsewhere(two):
    (day, dark), names = targets_of(two)

    assert names_of(day.lights) == ["Key"]
    assert day.world is None
    (flash,) = dark.lights
    side = bpy.data.objects["Side"].matrix_world
    place = side.to_translation() + side.to_quaternion() @ Vector((0.1, 0.05, 0))
    assert flash.position == pytest.approx(tuple(place), abs=1e-5)
    assert dark.world.name == "World 'Night'"
    assert names == {"Flash": "Flash", "Night": "World 'Night'"}


def test_day_and_night_tell_one_material(two):
    from addon.api import fit

    options = {"bounces": 2, "tolerance": 0.01}
    found = fit(targets=two, parameters=["Glaze.Base Color", "Glaze.Roughness"], **options)

    label = "Glaze.Principled BSDF.Base Color"
    assert found.values[label] == pytest.approx(TRUTH["Base Color"], abs=0.02)
    assert found.verdict.level == "explained"
    plain = [{key: entry[key] for key in ("camera", "source", "filter")} for entry in two]
    wrong = fit(targets=plain, parameters=["Glaze.Base Color", "Glaze.Roughness"], **options)
    assert wrong.verdict.level == "wrong"


def test_the_strength_of_a_flash_and_of_a_world_are_found_and_written(two):
    from addon.api import fit

    set_inputs(principled(bpy.data.materials["Glaze"]), TRUTH)
    bpy.data.objects["Flash"].data.energy = 15
    night = bpy.data.worlds["Night"].node_tree.nodes["Background"].inputs["Strength"]
    night.default_value = 4.0

    found = fit(
        targets=two, parameters=["light:Flash", "light:Night"], bounces=2, max_iterations=12
    )

    assert found.lights["Flash"] == pytest.approx(2, rel=0.05)
    assert bpy.data.objects["Flash"].data.energy == pytest.approx(30, rel=0.05)
    assert night.default_value == pytest.approx(1, rel=0.2)


def test_collections_hidden_lights_and_shining_objects_are_named(two):
    night = bpy.data.collections.new("Night Lights")
    bpy.context.scene.collection.children.link(night)
    light = add_light("Street", (1, 1, 2), 5)
    bpy.context.collection.objects.unlink(light)
    night.objects.link(light)
    light.hide_render = True
    glow = bpy.data.materials.new("Glow")
    if glow.node_tree is None:
        glow.use_nodes = True
    set_inputs(principled(glow), {"Emission Strength": 2.0})
    bpy.ops.mesh.primitive_plane_add(size=0.2, location=(0, 0, 1))
    panel = bpy.context.object
    panel.data.materials.append(glow)
    bpy.context.collection.objects.unlink(panel)
    night.objects.link(panel)
    bpy.context.view_layer.update()
    first = two[0] | {"lights": night, "name": "first"}
    second = two[0] | {"lights": ["Key"], "name": "second", "world": False}
    third = two[0] | {"lights": ["Glow", bpy.data.objects["Street"]], "name": "third"}

    (one, two_, three), names = targets_of([first, second, third])

    assert names_of(one.lights) == ["Street", "Glow"]
    assert names_of(two_.lights) == ["Key"]
    assert two_.world is False
    assert names_of(three.lights) == ["Glow", "Street"]
    assert one.lights[0] is three.lights[1]
    assert names == {"Street": "Street"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lights": ["Moon"]}, "no object, collection or material is called so"),
        ({"lights": ["Plate"]}, "gives no light"),
        ({"lights": [3]}, "must be lights, collections, materials"),
        ({"lights": ["Glaze"]}, "does not emit light anywhere"),
        ({"lights": [], "world": False, "flash": None}, "nothing shines in it"),
        ({"flash": "Plate"}, "there is no light 'Plate'"),
        ({"world": "Dusk"}, "there is no world 'Dusk'"),
        ({"world": 3}, "is a world, its name, or False"),
    ],
)
def test_what_is_no_light_is_named(two, options, words):
    from addon.api import fit

    given = [two[0], two[1] | options]
    with pytest.raises(ValueError, match=words):
        fit(targets=given, parameters=["Glaze.Roughness"], bounces=1, max_iterations=1)


def test_the_panel_names_the_light_of_each_picture(two):
    from addon.ui.fit.gathering import gather_pictures

    state = start(two[0]["source"])
    entry = state.targets.add()
    entry.image = image_of(two[1]["source"], "dark")
    entry.camera, entry.source = bpy.data.objects["Side"], "PHOTO"
    entry.own_lights = True
    entry.flash, entry.world_kind = bpy.data.objects["Flash"], "OWN"
    state.target = 1
    with pytest.raises(ValueError, match="picture 2 has no world of its own"):
        gather_pictures(state)
    entry.world = bpy.data.worlds["Night"]

    day, dark = gather_pictures(state)

    assert (day.lights, day.flash, day.world) == (None, None, None)
    assert (dark.lights, dark.flash, dark.world) == ([], entry.flash, entry.world)
    texts = draw_panel().texts()
    assert "Light (Own)" in texts
    assert {"Own Lights", "Collection", "Flash", "World", "Own World"} <= set(texts)
    assert bpy.ops.weft.compare_pictures() == {"FINISHED"}
    set_inputs(principled(bpy.data.materials["Glaze"]), TRUTH)
    bpy.ops.weft.compare_pictures()
    shelf = bpy.context.window_manager.weft_session.pairs
    assert [pair.error < 0.06 for pair in shelf.pairs.values()] == [True, True]
    state.max_iterations = 8
    bpy.ops.weft.fit()
    assert state.verdict_level == "explained"
