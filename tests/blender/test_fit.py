# SPDX-License-Identifier: Apache-2.0
"""Fits of the open scene: found, shown, put back, stored."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from blender.fit_scene import TRUTH, fit, plate, principled, set_inputs, start, target
from blender.operators import Event, Unbound

__all__ = ["plate"]


def test_numbers_are_found_and_put_into_the_sockets(plate):
    found = fit(plate)

    label = "Glaze.Principled BSDF.Base Color"
    assert found.values[label] == pytest.approx(TRUTH["Base Color"], abs=0.02)
    inputs = principled(bpy.data.materials["Glaze"])
    assert tuple(inputs["Base Color"].default_value)[:3] == pytest.approx(found.values[label])
    assert inputs["Roughness"].default_value == pytest.approx(TRUTH["Roughness"], abs=0.03)
    assert (found.errors[label] < 0.05).all()


def test_a_fit_that_is_not_applied_leaves_the_scene_alone(plate):
    found = fit(plate, apply=False)

    inputs = principled(bpy.data.materials["Glaze"])
    assert inputs["Roughness"].default_value == np.float32(0.6)
    assert found.values["Glaze.Principled BSDF.Roughness"] == pytest.approx(0.3, abs=0.03)


def test_a_texture_becomes_a_packed_image_that_drives_the_socket(plate):
    found = fit(plate, ["texture:Glaze.Base Color@8", "Glaze.Roughness"], texture_iterations=12)

    (link,) = principled(bpy.data.materials["Glaze"])["Base Color"].links
    image = link.from_node.image
    assert link.from_node.extension == "EXTEND"
    assert tuple(image.size) == (8, 8)
    assert image.packed_file is not None
    pixels = np.array(image.pixels).reshape(8, 8, 4)[::-1, :, :3]
    assert pixels == pytest.approx(found.textures["Glaze.Principled BSDF.Base Color"], abs=1e-3)
    assert pixels.mean(axis=(0, 1)) == pytest.approx(TRUTH["Base Color"], abs=0.05)


def test_the_strength_of_a_light_and_an_exposure_are_found(plate):
    set_inputs(principled(bpy.data.materials["Glaze"]), TRUTH)
    bpy.data.objects["Key"].data.energy = 20

    found = fit(plate, ["light:Key"])

    assert found.lights["Key"] == pytest.approx(2.0, rel=0.03)
    assert bpy.data.objects["Key"].data.energy == pytest.approx(40, rel=0.03)
    brighter = fit(plate * np.float32(1.5), ["exposure:Camera"])
    assert brighter.exposures["Camera"] == pytest.approx(1.5, rel=0.03)


def test_the_panel_fits_and_shows_what_was_found(plate):
    state = start(plate)

    assert bpy.ops.weft.fit() == {"FINISHED"}

    names = {entry.socket_name: entry.found for entry in state.parameters}
    assert set(names) == {"Base Color", "Metallic", "Roughness"}
    assert all("±" in text for text in names.values())


def test_a_cancelled_fit_restores_every_value_exactly(plate):
    from addon.ui.fit.fitting import WEFT_OT_fit

    state = start(plate)
    state.max_iterations, state.tolerance = 10000, 1e-5
    inputs = principled(bpy.data.materials["Glaze"])
    inputs["Roughness"].default_value = 0.123456789
    before = [tuple(inputs["Base Color"].default_value), inputs["Roughness"].default_value]
    operator = Unbound(WEFT_OT_fit)
    assert operator.begin(bpy.context)
    running = bpy.context.window_manager.weft_session.fit
    while not running.show():
        running.run.job.wait(0.05)
    assert inputs["Roughness"].default_value != before[1]

    assert operator.modal(bpy.context, Event("ESC", "PRESS")) == {"CANCELLED"}

    assert [tuple(inputs["Base Color"].default_value), inputs["Roughness"].default_value] == before
    assert running.run.job.wait(60)
    assert bpy.context.window_manager.weft_session.fit is None


def test_a_renamed_material_gets_its_values_and_a_deleted_node_is_named(plate):
    from addon.blender.fitting import SceneFit
    from addon.blender.scripting import _picture
    from addon.core.fitting.request import parse_parameter

    from weft.fit import FitSettings

    parameters = [parse_parameter(name) for name in ("Glaze.Base Color", "Glaze.Roughness")]
    picture = _picture(target(plate)[0])
    running = SceneFit(bpy.context, [picture], parameters, FitSettings(bounces=2, max_iterations=4))
    bpy.data.materials["Glaze"].name = "Renamed"
    running.conclude()
    inputs = principled(bpy.data.materials["Renamed"])
    assert inputs["Roughness"].default_value != np.float32(0.6)

    parameters = [parse_parameter("Renamed.Roughness")]
    running = SceneFit(bpy.context, [picture], parameters, FitSettings(bounces=2, max_iterations=4))
    tree = bpy.data.materials["Renamed"].node_tree
    tree.nodes.remove(tree.nodes["Principled BSDF"])
    running.conclude()
    assert running.lost == ["Renamed.Principled BSDF.Roughness"]


def test_a_picture_through_a_view_transform_is_compared_as_displayed(plate):
    from addon.blender.display_transform import show

    scene = bpy.context.scene
    scene.view_settings.view_transform = "AgX"
    shown = show(scene, plate)

    from addon.api import fit as run

    entry = {"camera": "Camera", "source": shown, "filter": "box", "through_view": True}
    found = run(targets=[entry], parameters=["Glaze.Base Color", "Glaze.Roughness"], bounces=2)

    label = "Glaze.Principled BSDF.Base Color"
    assert found.values[label] == pytest.approx(TRUTH["Base Color"], abs=0.03)


def test_the_panel_is_stored_in_the_file(plate, tmp_path):
    state = start(plate)
    state.samples = 7
    bpy.data.materials["Glaze"].name = "Other"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)

    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))

    state = bpy.context.scene.weft_fit
    assert state.samples == 7
    assert [entry.address() for entry in state.parameters] == [
        "Other.Principled BSDF.Base Color",
        "Other.Principled BSDF.Metallic",
        "Other.Principled BSDF.Roughness",
    ]
    assert state.targets[0].image.name == "photo"
    assert state.targets[0].camera.name == "Camera"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"parameters": ["Glaze.Ruffness"]}, "did you mean"),
        ({"parameters": ["light:Moon"]}, "there is no light 'Moon'"),
        ({"targets": {"Nobody": np.ones((2, 2, 3))}}, "there is no camera 'Nobody'"),
        ({"targets": {"Camera": "missing.exr"}}, "there is no file"),
        ({"targets": [{"camera": "Camera"}]}, "it lacks source"),
        ({"targets": [{"camera": "Camera", "source": 1, "colour": 2}]}, "got colour"),
    ],
)
def test_what_is_missing_is_named(plate, options, words):
    from addon.api import fit as run

    given = {"targets": target(plate), "parameters": ["Glaze.Roughness"], **options}
    with pytest.raises((ValueError, OSError), match=words):
        run(**given)

    inputs = principled(bpy.data.materials["Glaze"])
    assert inputs["Roughness"].default_value == np.float32(0.6)


def test_a_material_of_a_library_is_not_changed(plate, tmp_path):
    library = tmp_path / "library.blend"
    bpy.data.libraries.write(str(library), {bpy.data.materials["Glaze"]})
    plate_object = bpy.data.objects["Plate"]
    plate_object.data.materials.clear()
    bpy.data.materials.remove(bpy.data.materials["Glaze"])
    with bpy.data.libraries.load(str(library), link=True) as (_source, wanted):
        wanted.materials = ["Glaze"]
    plate_object.data.materials.append(bpy.data.materials["Glaze"])
    name = bpy.data.materials["Glaze"].name_full

    with pytest.raises(ValueError, match="make the material local first"):
        fit(plate, [f"{name}.Roughness"])


def test_the_button_says_what_is_missing(plate, capfd):
    state = start(plate)
    state.targets[0].image = None

    with pytest.raises(RuntimeError, match="picture 1 has no image"):
        bpy.ops.weft.fit()
