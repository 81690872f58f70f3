# SPDX-License-Identifier: Apache-2.0
"""Pictures in the panel: many at once, their cameras, thumbnails, comparison, overlay, coverage."""

from __future__ import annotations

import bpy
import numpy as np

from blender.fit_scene import TRUTH, plate, principled, set_inputs, start
from blender.panel import draw_panel

__all__ = ["plate"]


def write_pictures(folder, *names):
    for name in names:
        image = bpy.data.images.new(name, 4, 4)
        image.filepath_raw, image.file_format = str(folder / name), "PNG"
        image.save()
        bpy.data.images.remove(image)


def test_many_pictures_find_their_cameras(plate, tmp_path):
    for name in ("Left", "Right"):
        bpy.context.collection.objects.link(bpy.data.objects.new(name, bpy.data.cameras.new(name)))
    names = ["shot_right.png", "left.png", "other.png"]
    write_pictures(tmp_path, *names)

    done = bpy.ops.weft.add_target(
        directory=str(tmp_path), files=[{"name": name} for name in names]
    )

    assert done == {"FINISHED"}
    targets = bpy.context.scene.weft_fit.targets
    assert [t.camera.name if t.camera else None for t in targets] == ["Right", "Left", None]
    bpy.context.scene.weft_fit.target = 2
    bpy.ops.weft.choose_camera(camera="Camera")
    assert targets[2].camera == bpy.data.objects["Camera"]


def test_one_picture_is_of_the_selected_camera(plate, tmp_path):
    write_pictures(tmp_path, "photo.png")

    bpy.ops.weft.add_target(filepath=str(tmp_path / "photo.png"))

    assert bpy.context.scene.weft_fit.targets[0].camera.name == "Camera"


def test_each_photo_stands_beside_the_scene_as_it_is(plate):
    state = start(plate)

    assert bpy.ops.weft.compare_pictures() == {"FINISHED"}

    shelf = bpy.context.window_manager.weft_session.pairs
    (wrong,) = shelf.pairs.values()
    assert wrong.photo.shape == wrong.render.shape == wrong.difference.shape == (32, 32, 3)
    assert wrong.error > 0.1
    assert draw_panel().texts("picture")[:2] == [
        shelf.icon(next(iter(shelf.pairs)), name) for name in ("photo", "render")
    ]
    state.shows_difference = True
    assert draw_panel().texts("picture")[1] == shelf.icon(next(iter(shelf.pairs)), "difference")
    set_inputs(principled(bpy.data.materials["Glaze"]), TRUTH)
    bpy.ops.weft.compare_pictures()
    (right,) = shelf.pairs.values()
    assert right.error < 0.05
    assert np.abs(right.render - right.photo).mean() < 0.02


def test_what_is_missing_is_said_instead_of_a_picture(plate, capfd):
    import pytest

    state = start(plate)
    state.targets[0].image = None

    with pytest.raises(RuntimeError, match="picture 1 has no image"):
        bpy.ops.weft.compare_pictures()


def test_the_comparison_packs_nothing_and_opens_a_window_where_no_editor_is(plate, monkeypatch):
    from addon.ui.fit import comparison

    start(plate).max_iterations = 2
    bpy.ops.weft.fit()
    opened = []

    class Area:
        ui_type = ""

        class spaces:
            active = type("Space", (), {"image": None})()

    monkeypatch.setattr(comparison, "new_area", lambda context: opened.append(Area()) or opened[0])
    assert bpy.ops.weft.show_comparison() == {"FINISHED"}

    images = [image for image in bpy.data.images if image.name.startswith("Weft ")]
    assert sorted(image.name for image in images) == ["Weft loss", "Weft target_Camera"]
    assert not any(image.packed_file or image.is_dirty for image in images)
    assert opened[0].ui_type == "IMAGE_EDITOR"
    assert opened[0].spaces.active.image.name == "Weft target_Camera"
    from pathlib import Path

    folder = Path(images[0].filepath).parent
    assert str(folder).startswith(bpy.app.tempdir.rstrip("/"))
    assert sorted(p.name for p in folder.iterdir()) == ["loss.png", "target_Camera.png"]


def test_a_photo_is_laid_over_its_camera_and_taken_away(plate):
    state = start(plate)
    camera = state.targets[0].camera
    other = camera.data.background_images.new()
    other.image = bpy.data.images.new("mine", 2, 2)

    assert bpy.ops.weft.show_photo() == {"FINISHED"}

    entry = next(e for e in camera.data.background_images if e.image == state.targets[0].image)
    assert (entry.frame_method, entry.display_depth) == ("STRETCH", "FRONT")
    assert camera.data.show_background_images
    assert "unstretched" not in draw_panel().text()
    bpy.context.scene.render.resolution_x = 64
    assert "The picture is 32 x 32, the frame 64 x 32" in draw_panel().text()
    bpy.ops.weft.show_photo()
    assert [e.image.name for e in camera.data.background_images] == ["mine"]


def test_overlaps_and_what_no_picture_shows_are_warned_of(plate):
    state = start(plate)
    state.texture_iterations = 2
    for entry in state.parameters:
        entry.use = entry.socket == "Base Color"
    entry = state.parameters[0]
    entry.kind, entry.width, entry.height = "TEXTURE", 8, 8
    mesh = bpy.data.objects["Plate"].data
    below = [(-1, -1, -9), (1, -1, -9), (1, 1, -9), (-1, 1, -9)]
    made = bpy.data.meshes.new("Hidden")
    made.from_pydata(below, [], [(0, 1, 2, 3)])
    made.uv_layers.new(name="UVMap")
    made.materials.append(mesh.materials[0])
    bpy.context.collection.objects.link(bpy.data.objects.new("Hidden", made))
    bpy.ops.weft.fit()
    assert "their UV maps overlap" in draw_panel().text()

    for layer, shift in ((mesh.uv_layers[0], 0.0), (made.uv_layers[0], 0.5)):
        for corner in layer.data:
            corner.uv = (0.5 * corner.uv[0] + shift, corner.uv[1])
    bpy.ops.weft.fit()

    assert "overlap" not in draw_panel().text()
    width, seen = entry.found.split(", ")
    assert width == "8 x 8"
    assert 40 <= int(seen.split()[0]) <= 70  # texels at the border show a bit of it
    assert "add pictures from other sides" in entry.note
    state.parameter = 0  # the selected entry's note is shown
    assert entry.note in draw_panel().text()
    assert draw_panel().texts("picture")
