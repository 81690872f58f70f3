# SPDX-License-Identifier: Apache-2.0
"""Pictures out of image sequences."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest


@pytest.fixture
def sequence(extension, tmp_path):
    """A sequence whose frame n is an even grey of n / 20, and a camera."""
    from weft import image

    for frame in (8, 9, 10):
        pixels = np.full((4, 6, 3), frame / 20, np.float32)
        image.write(tmp_path / f"shot2_{frame:04d}.exr", pixels, encoding="linear")
    loaded = bpy.data.images.load(str(tmp_path / "shot2_0008.exr"))
    loaded.source = "SEQUENCE"
    bpy.ops.object.camera_add()
    return loaded


def read(source, **options):
    from addon.blender.fit_targets import Picture, make_target

    picture = Picture(bpy.context.object, source, **options)
    return make_target(picture, "shot", bpy.context.evaluated_depsgraph_get())[0].image


@pytest.mark.parametrize(("frame", "grey"), [(8, 0.4), (9, 0.45), (10, 0.5), (None, 0.4)])
def test_the_frame_says_which_file_is_read(sequence, frame, grey):
    before = len(bpy.data.images)

    assert read(sequence, frame=frame) == pytest.approx(grey, abs=1e-3)

    assert len(bpy.data.images) == before


def test_a_mask_follows_the_frame(sequence):
    from addon.blender.fit_targets import Picture, make_target

    picture = Picture(bpy.context.object, np.ones((4, 6, 3)), sequence, frame=10)
    target, _camera = make_target(picture, "shot", bpy.context.evaluated_depsgraph_get())
    assert target.mask == pytest.approx(0.5, abs=1e-3)


def test_frames_that_are_not_there_are_named(sequence):
    with pytest.raises(FileNotFoundError, match="shot2_0123"):
        read(sequence, frame=123)

    Path(bpy.path.abspath(sequence.filepath)).rename(Path(bpy.app.tempdir) / "plain.exr")
    sequence.filepath = str(Path(bpy.app.tempdir) / "plain.exr")
    with pytest.raises(ValueError, match="has no number"):
        read(sequence, frame=3)


def test_the_panel_hands_the_frame_over(sequence):
    from addon.ui.fit.gathering import gather_pictures

    state = bpy.context.scene.weft_fit
    target = state.targets.add()
    target.image, target.camera, target.frame = sequence, bpy.context.object, 9

    assert gather_pictures(state)[0].frame == 9
    sequence.source = "FILE"
    assert gather_pictures(state)[0].frame is None
