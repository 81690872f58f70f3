# SPDX-License-Identifier: Apache-2.0
"""Cameras see what Cycles' see."""

from __future__ import annotations

import math

import bpy
import pytest
from addon.blender.export import SceneExporter

from blender.beside_cycles import (
    add_camera,
    add_material,
    add_object,
    add_plane,
    add_sun,
    add_world,
    by_cycles,
    by_weft,
    difference,
)

CASES = {
    "lens": {"lens": 35.0},
    "vertical sensor": {"sensor_fit": "VERTICAL", "sensor_height": 20.0, "lens": 40.0},
    "horizontal sensor": {"sensor_fit": "HORIZONTAL", "sensor_width": 50.0},
    "shift": {"shift_x": 0.2, "shift_y": -0.1},
    "orthographic": {"type": "ORTHO", "ortho_scale": 4.0, "shift_x": 0.1},
    "near and far": {"clip_start": 4.6, "clip_end": 6.0},
    "panorama": {"type": "PANO", "panorama_type": "EQUIRECTANGULAR"},
}


def add_scene(**settings):
    """Add balls of several colours, and the camera."""
    add_plane()
    for number, place in enumerate([(0, 0), (-1.2, 0.8), (1.1, 1.5), (0.5, -1.2)]):
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(*place, 0.5))
        color = [0.1, 0.1, 0.1]
        color[number % 3] = 0.9
        bpy.context.object.data.materials.append(add_material(f"m{number}", color))
    add_world((0.5, 0.6, 0.8))
    add_sun()
    camera = add_camera()
    for name, value in settings.items():
        setattr(camera.data, name, value)
    return camera


def check(device, folder, samples=64):
    picture, exported = by_weft(device, samples)
    assert exported.problems == []
    apart = difference(picture, by_cycles(folder, samples))
    assert apart.mean < 0.005
    assert apart.block < 0.02
    assert apart.pixel < 0.06
    return picture


@pytest.mark.sweep(2)
@pytest.mark.parametrize("case", CASES)
def test_camera_sees_what_cycles_sees(device, tmp_path, case):
    add_scene(**CASES[case])

    check(device, tmp_path)


def test_upright_pictures_fit_the_longer_side(device, tmp_path):
    add_scene()
    bpy.context.scene.render.resolution_x, bpy.context.scene.render.resolution_y = 48, 64

    assert check(device, tmp_path).shape == (64, 48, 3)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_depth_of_field_follows_its_object(device, tmp_path, kind):
    camera = add_scene(type=kind, ortho_scale=4.0)
    target = add_object("target", None)
    target.location = (0.5, -1.2, 0.5)
    camera.data.dof.use_dof = True
    camera.data.dof.focus_object = target
    camera.data.dof.aperture_fstop = 0.08 if kind == "PERSP" else 2.5

    check(device, tmp_path, 256)


@pytest.mark.parametrize("kind", ["PERSP", "ORTHO"])
def test_crop_and_percentage_are_those_of_the_render(device, tmp_path, kind):
    add_scene(type=kind, shift_y=0.05, ortho_scale=5.0)
    render = bpy.context.scene.render
    render.resolution_x, render.resolution_y, render.resolution_percentage = 192, 144, 50
    render.use_border = render.use_crop_to_border = True
    render.border_min_x, render.border_max_x = 0.25, 0.8
    render.border_min_y, render.border_max_y = 0.1, 0.9

    picture = check(device, tmp_path)

    assert picture.shape[1] < 96


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"type": "PANO", "panorama_type": "MIRRORBALL"}, "panorama type MIRRORBALL"),
        ({**CASES["panorama"], "latitude_max": 0.5}, "parts of the sphere"),
    ],
)
def test_what_a_camera_cannot_do_is_named(settings, message):
    camera = add_camera()
    for name, value in settings.items():
        setattr(camera.data, name, value)

    exported = SceneExporter().export(bpy.context.evaluated_depsgraph_get())

    assert [message in str(problem) for problem in exported.problems] == [True]


def test_apertures_with_blades_and_oblong_pixels_are_named():
    camera = add_camera()
    camera.data.dof.use_dof, camera.data.dof.aperture_blades = True, 5
    bpy.context.scene.render.pixel_aspect_x = 2

    exported = SceneExporter().export(bpy.context.evaluated_depsgraph_get())

    assert len(exported.problems) == 2


def test_given_cameras_and_size_replace_those_of_the_scene():
    first = add_camera()
    second = add_object("second", bpy.data.cameras.new("second"))
    second.data.angle = 0.3

    exported = SceneExporter().export(
        bpy.context.evaluated_depsgraph_get(), cameras=[second, first], resolution=(20, 10)
    )

    cameras = exported.scene.cameras
    assert [camera.name for camera in cameras] == ["second", "camera"]
    assert (cameras[0].width, cameras[0].height) == (20, 10)
    assert cameras[0].fov == pytest.approx(0.3)
    assert cameras[1].fov == pytest.approx(2 * math.atan(18 / 50))
