# SPDX-License-Identifier: Apache-2.0
"""weft_blender, the module for scripts, and the command weft fit-blend."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

import weft
import weft_blender
from weft import image
from weft_blender import forwarding
from weft_blender.batch import check_files

ARCHIVE = os.environ.get("WEFT_EXTENSION", "")
SIZE = (48, 32)


@pytest.fixture
def scene(extension):
    """A lit cube in a grey world, small."""
    bpy.ops.wm.read_factory_settings(use_empty=False)
    bpy.data.lights["Light"].use_soft_falloff = False
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    return scene


def input_of(name):
    return bpy.data.materials["Material"].node_tree.nodes["Principled BSDF"].inputs[name]


def test_without_the_extension_it_says_how_to_enable_it():
    with pytest.raises(
        weft.ArgumentError, match=r"fit: the Weft extension is not installed; .*zip"
    ):
        weft_blender.fit(targets={}, parameters=[])


def test_a_disabled_extension_is_named(monkeypatch):
    monkeypatch.setattr(forwarding, "installed_packages", lambda: ["bl_ext.mine.weft"])

    with pytest.raises(weft.ArgumentError, match=r'addon_enable\(module="bl_ext.mine.weft"\)'):
        weft_blender.render()


def test_scene_is_exported(scene):
    exported = weft_blender.export_scene(bpy.context)

    assert [entry.name for entry in exported.objects] == ["Cube"]
    assert [camera.name for camera in exported.cameras] == ["Camera"]
    assert (exported.cameras[0].width, exported.cameras[0].height) == SIZE


def test_picture_is_rendered_with_its_layers(scene):
    shares = []
    layers = weft_blender.render(
        bpy.context, resolution=(32, 32), samples=8, aovs=["depth"], progress=shares.append
    )

    assert layers["color"].shape == (32, 32, 3)
    assert layers["depth"].shape == (32, 32, 1)
    assert np.isfinite(layers["depth"][16, 16])
    assert layers["color"].mean() > 0.01
    assert shares[-1] == 1


def test_render_without_camera_is_refused(scene):
    scene.camera = None

    with pytest.raises(weft.ArgumentError, match="has no camera; add one"):
        weft_blender.render()


def test_fit_finds_what_a_render_was_made_with(scene, tmp_path):
    base = input_of("Base Color")
    base.default_value = (0.7, 0.3, 0.1, 1.0)
    picture = weft_blender.render(samples=256)["color"]
    image.write(tmp_path / "photo.exr", picture, encoding="linear")
    base.default_value = (0.5, 0.5, 0.5, 1.0)

    report = weft_blender.fit(
        bpy.context,
        targets={"Camera": str(tmp_path / "photo.exr")},
        parameters=["Material.Base Color"],
        bounces=8,
        max_iterations=8,
    )

    assert np.abs(np.array(base.default_value[:3]) - (0.7, 0.3, 0.1)).max() < 0.03
    (found,) = report.values.values()
    assert np.abs(found[:3] - base.default_value[:3]).max() < 1e-5


@pytest.mark.parametrize(("ending", "encoding"), [(".exr", "linear"), (".png", "srgb")])
def test_fit_takes_images_that_blender_has_loaded(scene, tmp_path, ending, encoding):
    base = input_of("Base Color")
    base.default_value = (0.7, 0.3, 0.1, 1.0)
    picture = weft_blender.render(samples=64)["color"]
    image.write(tmp_path / f"photo{ending}", picture, encoding=encoding)
    loaded = bpy.data.images.load(str(tmp_path / f"photo{ending}"))
    base.default_value = (0.5, 0.5, 0.5, 1.0)

    weft_blender.fit(
        targets=[{"camera": "Camera", "source": loaded}],
        parameters=["Material.Base Color"],
        max_iterations=6,
    )

    assert np.abs(np.array(base.default_value[:3]) - (0.7, 0.3, 0.1)).max() < 0.06


def test_missing_files_are_named_before_blender_is_loaded(tmp_path):
    scene, picture = tmp_path / "scene.blend", tmp_path / "photo.exr"
    with pytest.raises(weft.ArgumentError, match=r"the scene '.*scene.blend' is not there"):
        check_files(scene, tmp_path / "out.blend", {"Camera": picture}, None)
    scene.touch()
    with pytest.raises(FileNotFoundError, match=r"the picture of Camera '.*photo.exr'"):
        check_files(scene, tmp_path / "out.blend", {"Camera": picture}, None)
    picture.touch()
    with pytest.raises(weft.ArgumentError, match=r"must end in .blend, got 'out.txt'"):
        check_files(scene, tmp_path / "out.txt", {"Camera": picture}, None)
    with pytest.raises(weft.ArgumentError, match=r"the folder '.*none' is not there"):
        check_files(scene, tmp_path / "none" / "out.blend", {"Camera": picture}, None)


def fit_blend(folder, *arguments):
    """Run the command in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(Path(weft.__file__).parents[1])}
    environment.pop("BLENDER_USER_RESOURCES", None)
    return subprocess.run(
        [sys.executable, "-m", "weft", "fit-blend", *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=250,
    )


def prepare(scene, folder):
    """Write a scene, whose colour is unknown, and a picture of it."""
    input_of("Base Color").default_value = (0.7, 0.3, 0.1, 1.0)
    image.write(folder / "photo.exr", weft_blender.render(samples=128)["color"], encoding="linear")
    input_of("Base Color").default_value = (0.5, 0.5, 0.5, 1.0)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"), copy=True)


@pytest.mark.slow
@pytest.mark.skipif(not ARCHIVE, reason="WEFT_EXTENSION names no zip; ./dev test sets it")
def test_command_fits_a_file_and_writes_another(scene, tmp_path):
    prepare(scene, tmp_path)
    before = (tmp_path / "scene.blend").read_bytes()

    done = fit_blend(
        tmp_path,
        *("scene.blend", "--target", "Camera=photo.exr", "--parameter", "Material.Base Color"),
        *("--out", "fitted.blend", "--report", "report", "--extension", ARCHIVE),
        *("--samples", "8", "--seed", "3", "--json", "--quiet"),
    )

    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    (found,) = result["values"].values()
    assert np.abs(np.array(found[:3]) - (0.7, 0.3, 0.1)).max() < 0.03
    assert (tmp_path / "report" / "report.json").is_file()
    assert (tmp_path / "scene.blend").read_bytes() == before
    assert sorted(path.name for path in tmp_path.glob("*.blend*")) == [
        "fitted.blend",
        "scene.blend",
    ]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "fitted.blend"))
    np.testing.assert_allclose(input_of("Base Color").default_value[:3], found[:3], atol=1e-5)


@pytest.mark.slow
def test_command_without_extension_says_what_to_do(scene, tmp_path):
    prepare(scene, tmp_path)

    done = fit_blend(
        tmp_path,
        *("scene.blend", "--target", "Camera=photo.exr", "--parameter", "Material.Base Color"),
        *("--out", "fitted.blend"),
    )

    assert done.returncode == 1
    assert "name the zip with --extension" in done.stderr
    assert not (tmp_path / "fitted.blend").exists()
