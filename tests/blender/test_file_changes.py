# SPDX-License-Identifier: Apache-2.0
"""Undo, append, several scenes, and what users delete while a fit runs."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from blender.fit_scene import SIZE, fit, image_of, plate, principled, set_inputs, start, target

__all__ = ["plate"]


def inputs_of(name="Glaze"):
    return principled(bpy.data.materials[name])


def running_fit(photo, parameters, draws=3):
    """Return a fit under way."""
    from addon.blender.fitting import SceneFit
    from addon.blender.scripting import _picture
    from addon.core.fitting.request import parse_parameter

    from weft.fit import FitSettings

    return SceneFit(
        bpy.context,
        [_picture(target(photo)[0])],
        [parse_parameter(name) for name in parameters],
        FitSettings(bounces=2, max_iterations=draws),
    )


def test_a_fit_is_one_step_of_undo(plate):
    state = start(plate)
    state.max_iterations = 2
    bpy.ops.ed.undo_push(message="before")
    before = [
        tuple(inputs_of()["Base Color"].default_value),
        inputs_of()["Roughness"].default_value,
    ]

    assert bpy.ops.weft.fit() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Fit")  # as Blender does after an operator in a window
    found = inputs_of()["Roughness"].default_value
    assert found != before[1]
    bpy.ops.ed.undo()

    assert [
        tuple(inputs_of()["Base Color"].default_value),
        inputs_of()["Roughness"].default_value,
    ] == before
    assert len(bpy.context.scene.weft_fit.parameters) == 3
    bpy.ops.ed.redo()
    assert inputs_of()["Roughness"].default_value == found


def test_a_scene_that_is_appended_brings_its_fit_along(plate, tmp_path):
    state = start(plate)
    state.samples = 7
    bpy.context.scene.name = "Studio"
    bpy.context.scene.weft_render.samples = 17
    path = str(tmp_path / "studio.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)

    with bpy.data.libraries.load(path, link=False) as (_source, wanted):
        wanted.scenes = ["Studio"]
    appended = bpy.data.scenes["Studio"]

    assert (appended.weft_fit.samples, appended.weft_render.samples) == (7, 17)
    assert bpy.context.scene.weft_fit.samples != 7
    entry = appended.weft_fit.targets[0]
    assert (entry.camera, entry.image.name) == (appended.camera, "photo")
    assert appended.weft_fit.parameters[0].address() == "Glaze.Principled BSDF.Base Color"
    with bpy.context.temp_override(scene=appended, view_layer=appended.view_layers[0]):
        appended.weft_fit.max_iterations = 1
        assert bpy.ops.weft.fit() == {"FINISHED"}
    assert inputs_of()["Roughness"].default_value != np.float32(0.6)


def test_a_fit_of_one_scene_leaves_the_other_alone(plate):
    first = bpy.context.scene
    start(plate)
    other = bpy.data.scenes.new("Other")
    other.weft_render.samples = 3
    assert (len(other.weft_fit.targets), first.weft_render.samples) == (0, 128)
    cube = bpy.data.objects["Plate"].copy()
    cube.data = cube.data.copy()
    cube.data.materials.clear()
    cube.data.materials.append(bpy.data.materials["Glaze"].copy())
    other.collection.objects.link(cube)
    first.weft_fit.max_iterations = 2

    assert bpy.ops.weft.fit() == {"FINISHED"}

    assert inputs_of()["Roughness"].default_value != np.float32(0.6)
    assert inputs_of("Glaze.001")["Roughness"].default_value == np.float32(0.6)
    with bpy.context.temp_override(scene=other, view_layer=other.view_layers[0]):
        assert not bpy.ops.weft.fit.poll()


def test_objects_and_lights_that_are_deleted_during_a_fit_are_no_trouble(plate):
    running = running_fit(plate, ["Glaze.Roughness", "light:Key"])
    bpy.data.objects["Plate"].name = "Other"
    bpy.data.objects.remove(bpy.data.objects["Other"])
    light = bpy.data.objects["Key"].data
    bpy.data.objects.remove(bpy.data.objects["Key"])
    bpy.data.lights.remove(light)

    running.conclude()

    assert inputs_of()["Roughness"].default_value != np.float32(0.6)
    assert running.lost == ["Key"]


def test_a_deleted_material_is_named_and_nothing_else_is_touched(plate):
    bpy.data.objects["Plate"].data.materials.append(bpy.data.materials["Glaze"].copy())
    running = running_fit(plate, ["Glaze.Roughness"])
    bpy.data.materials.remove(bpy.data.materials["Glaze"])

    running.conclude()

    assert running.lost == ["Glaze.Principled BSDF.Roughness"]
    assert inputs_of("Glaze.001")["Roughness"].default_value == np.float32(0.6)
    running.abandon()


def test_a_deleted_material_gets_no_texture(plate):
    running = running_fit(plate, ["texture:Glaze.Base Color@8"])
    bpy.data.materials.remove(bpy.data.materials["Glaze"])
    before = len(bpy.data.images)

    running.conclude()

    assert len(running.lost) == 1
    assert len(bpy.data.images) == before


def test_a_picture_whose_file_is_gone_is_named(plate, tmp_path, capfd):
    state = start(plate)
    image = bpy.data.images.new("gone", 4, 4)
    image.source, image.filepath = "FILE", str(tmp_path / "gone.exr")
    state.targets[0].image = image

    with pytest.raises(RuntimeError, match="gone"):
        bpy.ops.weft.fit()

    assert inputs_of()["Roughness"].default_value == np.float32(0.6)


def test_a_material_whose_image_is_missing_is_fitted_and_the_image_is_named(plate, tmp_path):
    tree = bpy.data.materials["Glaze"].node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = bpy.data.images.new("gone", 4, 4)
    node.image.source, node.image.filepath = "FILE", str(tmp_path / "gone.png")
    tree.links.new(node.outputs[0], inputs_of()["Base Color"])
    set_inputs(inputs_of(), {"Base Color": (0.7, 0.3, 0.1)})

    found = fit(plate, ["Glaze.Roughness"], max_iterations=2)

    assert any("gone.png" in text for text in found.problems)
    assert any("Glaze" in text and "'gone'" in text for text in found.problems)


def test_a_mesh_without_faces_is_no_trouble_for_a_fit(plate):
    mesh = bpy.data.meshes.new("wire")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    mesh.materials.append(bpy.data.materials["Glaze"])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("wire", mesh))
    empty = bpy.data.objects.new("empty", bpy.data.meshes.new("empty"))
    bpy.context.scene.collection.objects.link(empty)

    assert fit(plate, ["Glaze.Roughness"], max_iterations=2).reason == "iterations"


def test_a_linked_object_is_rendered_and_its_material_refused(plate, tmp_path):
    library = tmp_path / "library.blend"
    bpy.data.libraries.write(str(library), {bpy.data.objects["Plate"]})
    bpy.data.objects.remove(bpy.data.objects["Plate"])
    bpy.data.materials.remove(bpy.data.materials["Glaze"])
    with bpy.data.libraries.load(str(library), link=True) as (_source, wanted):
        wanted.objects = ["Plate"]
    bpy.context.scene.collection.objects.link(wanted.objects[0])
    name = wanted.objects[0].data.materials[0].name_full
    bytes_before = library.read_bytes()

    found = fit(plate, ["light:Key"], max_iterations=2)
    with pytest.raises(ValueError, match="make the material local first"):
        fit(plate, [f"texture:{name}.Base Color@8"])

    assert found.lights["Key"] > 0
    assert library.read_bytes() == bytes_before


def test_a_save_while_a_fit_runs_is_of_use(plate, tmp_path):
    start(plate)
    image_of(plate, "other")
    running = running_fit(plate, ["Glaze.Roughness"])
    path = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    running.conclude()

    bpy.ops.wm.open_mainfile(filepath=path)

    assert inputs_of()["Roughness"].default_value == np.float32(0.6)
    assert tuple(bpy.data.images["photo"].size) == (SIZE, SIZE)
