# SPDX-License-Identifier: Apache-2.0
"""What a file has made of a picture reaches the fit: steps of 8 bits, blocks of JPEG, outliers."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from blender.fit_scene import plate, start

__all__ = ["plate"]


@pytest.fixture
def request_of(extension):
    """Return the target of a source as the extension takes it."""
    from addon.blender.fit_targets import Picture, make_target

    bpy.ops.object.camera_add(location=(0, 0, 4))
    camera = bpy.context.object

    def make(source, **options):
        picture = Picture(camera, source, filter="box", **options)
        return make_target(picture, "photo", bpy.context.evaluated_depsgraph_get())[0]

    return make


def picture(size=64):
    x = np.linspace(0.05, 0.9, size, dtype=np.float32)
    return np.stack(np.broadcast_arrays(x[:, None], x[None], 0.3), axis=2).astype(np.float32)


@pytest.mark.parametrize("ending", ["png", "jpg"])
def test_bytes_are_told_as_files_tell_them(request_of, tmp_path, ending):
    from weft import image
    from weft.fit import Target

    path = tmp_path / f"photo.{ending}"
    image.write(path, picture(), encoding="srgb")

    found, wanted = request_of(str(path)), Target.from_file(path)

    assert found.robust
    assert wanted.robust
    assert found.grain == wanted.grain == (8 if ending == "jpg" else 1)
    assert found.saturation == pytest.approx(wanted.saturation)
    assert found.rounding == pytest.approx(wanted.rounding, rel=1e-3)
    loaded = request_of(bpy.data.images.load(str(path)))
    assert loaded.grain == wanted.grain
    assert loaded.rounding == pytest.approx(wanted.rounding, rel=1e-3)


def test_exposure_and_size_go_for_the_steps_too(request_of, tmp_path):
    from weft import image
    from weft.fit import Target

    path = tmp_path / "photo.jpg"
    image.write(path, picture(), encoding="srgb")

    found = request_of(str(path), exposure=1.0, size=32)
    wanted = Target.from_file(path, exposure=1.0, size=(32, 32))

    assert found.image.shape == (32, 32, 3)
    assert found.grain == wanted.grain == 4
    assert found.rounding == pytest.approx(wanted.rounding, rel=1e-3)


def test_linear_bytes_have_one_step(request_of, tmp_path):
    from weft import image
    from weft.fit import Target

    path = tmp_path / "photo.png"
    image.write(path, picture(), encoding="linear")

    found = request_of(str(path), color_space="linear")

    assert found.rounding == pytest.approx(1 / 255 / np.sqrt(12))
    assert Target.from_file(path, color_space="linear").rounding == pytest.approx(found.rounding)


def test_floats_have_no_steps_and_deep_files_are_photos(request_of, tmp_path):
    from weft import image

    image.write(tmp_path / "render.exr", picture(), encoding="linear")
    made = bpy.data.images.new("made", 8, 8)
    made.pixels.foreach_set(np.random.default_rng(1).random(8 * 8 * 4, np.float32))
    settings = bpy.context.scene.render.image_settings
    settings.file_format, settings.color_depth, settings.color_mode = "PNG", "16", "RGB"
    made.save_render(str(tmp_path / "deep.png"))

    render = request_of(str(tmp_path / "render.exr"))
    deep = request_of(str(tmp_path / "deep.png"))

    assert (render.rounding, render.robust, render.grain) == (None, False, 1)
    assert request_of(picture()).rounding is None
    assert deep.rounding is None
    assert deep.robust
    assert not request_of(str(tmp_path / "deep.png"), robust=False).robust


def test_what_a_view_transform_leaves_is_kept(request_of, tmp_path):
    from weft import image

    bpy.context.scene.view_settings.view_transform = "Standard"
    image.write(tmp_path / "shown.jpg", picture(), encoding="srgb")

    found = request_of(str(tmp_path / "shown.jpg"), through_view=True)

    assert found.robust
    assert found.grain == 8
    assert found.rounding is not None
    assert 0 < np.median(found.rounding) < 0.01


def test_the_fit_of_the_panel_knows_them(plate, tmp_path):
    from addon.blender.fitting import SceneFit
    from addon.ui.fit.gathering import gather_parameters, gather_pictures, gather_settings

    from weft import image

    state = start(plate)
    image.write(tmp_path / "photo.png", np.clip(plate, 0, 1), encoding="srgb")
    state.targets[0].image = bpy.data.images.load(str(tmp_path / "photo.png"))
    state.max_iterations = 2
    running = SceneFit(
        bpy.context, gather_pictures(state), gather_parameters(state), gather_settings(state)
    )
    running.abandon()

    (target,) = running.plan.targets
    assert target.robust
    assert target.rounding is not None
    assert target.rounding.shape == target.image.shape
