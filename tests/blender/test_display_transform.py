# SPDX-License-Identifier: Apache-2.0
"""The table of a scene's view transform shows what Blender shows."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.display_transform import sample_display_transform, show

from weft.fit import Target

# Steps of 8 bits: of pixels that count, and of 99.9 % of all colours.
VIEWS = {"Standard": (0.2, 0.2), "Filmic": (0.2, 1.0), "AgX": (5.0, 1.1)}


def random_light(seed=0):
    rng = np.random.default_rng(seed)
    light = 2 ** rng.uniform(-8, 3, (120, 120, 1)) * rng.uniform(0.02, 1, (120, 120, 3))
    return light.astype(np.float32)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("exposure", [0.0, 0.7])
def test_table_shows_what_blender_shows(view, exposure):
    scene = bpy.context.scene
    scene.view_settings.view_transform = view
    scene.view_settings.exposure = exposure
    light = random_light()

    display = sample_display_transform(scene)

    shown = show(scene, light)
    apart = np.abs(display.apply(light) - shown) * 255
    largest, common = VIEWS[view]
    assert apart[display.is_invertible(shown)].max() < largest
    assert np.quantile(apart, 0.999) < common
    assert apart.mean() < 0.1


def test_exposure_gamma_and_look_are_in_the_table():
    scene = bpy.context.scene
    settings = scene.view_settings
    settings.view_transform, settings.look = "AgX", "AgX - Punchy"
    settings.exposure, settings.gamma = 0.7, 1.2
    light = random_light(1)

    display = sample_display_transform(scene)

    assert np.abs(display.apply(light) - show(scene, light)).mean() * 255 < 0.2


@pytest.mark.parametrize("view", VIEWS)
def test_light_comes_back_from_what_is_shown(view):
    scene = bpy.context.scene
    scene.view_settings.view_transform = view
    light = random_light(2)
    display = sample_display_transform(scene)

    target = Target.from_display(show(scene, light), display)

    counts = target.mask > 0
    assert counts.mean() > 0.5
    apart = np.abs(target.image - light).max(axis=2) / light.max(axis=2)
    assert np.median(apart[counts]) < 0.002
    assert np.quantile(apart[counts], 0.99) < 0.02


def test_the_scene_and_the_file_are_as_before():
    scene = bpy.context.scene
    settings = scene.render.image_settings
    settings.file_format, settings.color_mode = "JPEG", "BW"

    sample_display_transform(scene, 5)

    assert (settings.file_format, settings.color_mode) == ("JPEG", "BW")
    assert len(bpy.data.images) == 0
