# SPDX-License-Identifier: Apache-2.0
"""Edits of a scene reach a renderer that goes on, with what they leave alone."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest
from addon.blender.export import SceneExporter
from addon.blender.mesh_store import may_change_meshes

import weft
from weft.render import PathSettings
from weft.scene.materials import parts_of_material, textures_of


class Edited:
    """An exporter that is told of updates as the viewport is."""

    def __init__(self):
        self.exporter = SceneExporter()
        self.reads = []
        self.updates = []
        bpy.app.handlers.depsgraph_update_post.append(self.note)

    def note(self, _scene, depsgraph):
        self.updates.append(may_change_meshes(depsgraph))

    def export(self, *, first=False):
        self.updates.clear()
        bpy.context.view_layer.update()
        same = not first and not any(self.updates)
        self.reads.append(not same)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        return self.exporter.export(depsgraph, has_same_meshes=same).scene


@pytest.fixture
def edited():
    """Two balls, one of them with an image, a light, a world and a camera."""
    made = Edited()
    image = bpy.data.images.new("spots", 256, 256, float_buffer=True)
    image.pixels.foreach_set(np.random.default_rng(0).random(256 * 256 * 4, np.float32))
    image.pack()
    for number in range(2):
        bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, location=(2 * number, 0, 0))
        bpy.ops.object.shade_smooth()
        material = bpy.data.materials.new(f"m{number}")
        if material.node_tree is None:
            material.use_nodes = True
        bpy.context.object.data.materials.append(material)
        bpy.context.object.name = f"ball {number}"
    tree = bpy.data.materials["m0"].node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    bpy.ops.object.light_add(type="POINT", location=(0, -3, 4))
    bpy.context.object.name = "light"
    bpy.ops.object.camera_add(location=(1, -8, 0), rotation=(np.pi / 2, 0, 0))
    bpy.context.scene.camera = bpy.context.object
    bpy.context.scene.render.resolution_x = bpy.context.scene.render.resolution_y = 16
    bpy.context.scene.world = bpy.data.worlds.new("world")
    yield made
    bpy.app.handlers.depsgraph_update_post.remove(made.note)


def roughness(value):
    node = bpy.data.materials["m1"].node_tree.nodes["Principled BSDF"]
    node.inputs["Roughness"].default_value = value


def move(name, x):
    bpy.data.objects[name].location.x = x


def color_world(color):
    world = bpy.context.scene.world
    if world.node_tree is None:
        world.color = color
    else:  # always, from Blender 5 on
        world.node_tree.nodes["Background"].inputs["Color"].default_value = (*color, 1)


def textures(scene):
    parts = [part for material in scene.materials() for part in parts_of_material(material)]
    return [texture for part in parts for texture in textures_of(part)]


EDITS = {
    "light moved": lambda: move("light", 1.5),
    "light dimmed": lambda: setattr(bpy.data.objects["light"].data, "energy", 300),
    "slider": lambda: roughness(0.9),
    "ball moved": lambda: move("ball 1", 2.5),
    "camera moved": lambda: move(bpy.context.scene.camera.name, 1.2),
    "world": lambda: color_world((0.3, 0.1, 0.2)),
}


def test_edits_keep_meshes_and_images_and_show(edited):
    device = weft.create_device()
    scene = edited.export(first=True)
    renderer = weft.Renderer(device, scene)
    settings = PathSettings(4, bounces=2)
    before = renderer.render(settings=settings)

    for name, edit in EDITS.items():
        edit()
        found = edited.export()
        renderer.update(found)
        picture = renderer.render(settings=settings)

        assert not edited.reads[-1], name
        assert [m is n for m, n in zip(found.meshes(), scene.meshes(), strict=True)] == [True] * 2
        for own, other in zip(textures(found), textures(scene), strict=True):
            assert own.pixels is other.pixels
        fresh = SceneExporter().export(bpy.context.evaluated_depsgraph_get()).scene
        assert np.array_equal(picture, weft.Renderer(device, fresh).render(settings=settings)), name
        assert not np.array_equal(picture, before), name
        before = picture


def vertex():
    mesh = bpy.data.objects["ball 0"].data
    mesh.vertices[5].co.x += 0.5
    mesh.update()


def deformed():
    bpy.data.objects["ball 0"].modifiers.new("wave", "CAST").factor = 0.7


def slot():
    bpy.data.objects["ball 0"].data.materials[0] = bpy.data.materials["m1"]


def mirrored_copy():
    bpy.context.collection.objects.link(bpy.data.objects["ball 0"].copy())
    bpy.context.view_layer.objects[-1].location.z = 3


CHANGES = {
    "vertex": vertex,
    "modifier": deformed,
    "factor": lambda: setattr(bpy.data.objects["ball 0"].modifiers[0], "factor", 0.2),
    "slot": slot,
    "copy": mirrored_copy,
    "hidden": lambda: setattr(bpy.data.objects["ball 1"], "hide_viewport", True),
    "shown": lambda: setattr(bpy.data.objects["ball 1"], "hide_viewport", False),
    "removed": lambda: bpy.data.objects.remove(bpy.data.objects["ball 1"]),
}


def test_changed_meshes_are_what_a_new_export_brings(edited):
    edited.export(first=True)

    for name, change in CHANGES.items():
        change()
        found = edited.export()

        fresh = SceneExporter().export(bpy.context.evaluated_depsgraph_get()).scene
        assert found.hash() == fresh.hash(), name


def test_a_render_that_is_kept_takes_over_the_next_frame(extension):
    final = importlib.import_module("addon.ui.engine.final")
    bpy.ops.wm.read_factory_settings(use_empty=False)
    kept, cube, settings = final.KeptRender(), bpy.data.objects["Cube"], PathSettings(2, bounces=1)
    pictures, tracers = [], []
    for frame in range(2):
        cube.location.x = 0.5 * frame
        found = kept.exporter.export(bpy.context.evaluated_depsgraph_get()).scene
        found.cameras[0].width, found.cameras[0].height = 16, 12
        renderer = kept.take(found)
        pictures.append(renderer.render(settings=settings))
        tracers.append(renderer.tracer)

    assert tracers[1] is tracers[0]
    assert np.array_equal(pictures[1], final.make_renderer(found).render(settings=settings))
    assert not np.array_equal(pictures[1], pictures[0])
