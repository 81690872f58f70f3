# SPDX-License-Identifier: Apache-2.0
"""Kernels that come compiled are those that scenes of their shape ask for.

That others are never taken: test_shipped_kernels.cpp.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import weft
from kernels import build
from weft.fit import Fit, FitSettings, Parameter, Target, TextureParameter
from weft.render import PathSettings
from weft.scene import Camera, Closure, Environment, Material, Object, Texture

if TYPE_CHECKING:
    from pathlib import Path


def contents(folder: Path) -> dict[str, bytes]:
    """Return what the files of a folder hold."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def other_scene(material: Material) -> weft.Scene:
    """Return a scene with nothing of those that are built but its shape."""
    shown = build.scene_of(material, build.light_sets()["sky"]).objects[0]
    objects = [Object(shown.mesh, [material], name="thing")]
    pose = Camera.look_at((1, -3, 2), (0, 0, 0))
    sky = Environment(np.full((8, 16, 3), 0.8, np.float32))
    return weft.Scene(objects, cameras=[Camera(24, 16, transform=pose)], environment=sky)


@pytest.fixture
def software(device):
    """Skip where kernels for software are not what this device runs."""
    if not device.info.features.is_software:
        pytest.skip("this device is a GPU")


def fit_one_step(device, scene, parameter):
    """Run the first step of a fit to a grey photo."""
    photo = np.full((16, 24, 3), 0.3, np.float32)
    settings = FitSettings(bounces=2, max_iterations=2)
    Fit(scene, [Target(photo)], [parameter], settings, device=device).step()


def test_a_scene_of_a_shipped_shape_waits_for_no_compiler(software, tmp_path):
    build.compile_kind("software", tmp_path / "slang", {"sky"}, {"diffuse"})
    scene = other_scene(Material("other", Closure("diffuse", color=(0.1, 0.2, 0.9))))

    with weft.create_device(type="vulkan", cache_directory=tmp_path) as own:
        picture = weft.Renderer(own, scene).render(settings=PathSettings(4, bounces=2))
        fit_one_step(own, scene, Parameter("other.color"))
        counts = own.compiler_statistics

    assert picture.mean() > 0.1
    assert (counts["kernel_misses"], counts["helper_starts"]) == (0, 0)


@pytest.mark.full
def test_textures_of_any_size_are_fitted_by_shipped_kernels(software, tmp_path, monkeypatch):
    def mapped(height: int, width: int) -> Material:
        pixels = np.random.default_rng(1).uniform(0, 1, (height, width, 3)).astype(np.float32)
        return Material("ball", Closure("diffuse", color=Texture(pixels)))

    monkeypatch.setitem(build.MATERIALS, "mapped", lambda: mapped(2, 2))
    monkeypatch.setitem(build.FITTED, "mapped", ("color",))
    build.compile_kind("software", tmp_path / "slang", {"sky"}, {"mapped"})

    with weft.create_device(type="vulkan", cache_directory=tmp_path) as own:
        fit_one_step(own, other_scene(mapped(16, 8)), TextureParameter("ball.color"))

        assert own.compiler_statistics["kernel_misses"] == 0


def test_materials_beside_those_that_are_fitted_wait_for_no_compiler(
    software, tmp_path, monkeypatch
):
    bare = Closure("translucent", color=(0.5, 0.5, 0.5))
    monkeypatch.setitem(build.MATERIALS, "bare", lambda: Material("ball", bare))
    build.compile_kind("software", tmp_path / "slang", {"sky"}, {"bare"})
    scene = other_scene(Material("found", Closure("diffuse", color=(0.1, 0.2, 0.9))))
    below = build.scene_of(Material("beside", bare), build.light_sets()["sky"]).objects[0].mesh
    beside = Object(below, [Material("beside", bare)], name="beside")

    with weft.create_device(type="vulkan", cache_directory=tmp_path) as own:
        both = replace(scene, objects=[*scene.objects, beside])
        fit_one_step(own, both, Parameter("found.color"))

        assert own.compiler_statistics["kernel_misses"] == 0


@pytest.mark.full  # half a minute; what else depends on it is tested above
def test_two_builds_of_the_kernels_are_equal(tmp_path, monkeypatch):
    monkeypatch.delitem(build.FITTED, "diffuse")
    for name in ("first", "second"):
        build.compile_kind("cuda", tmp_path / name, {"sky"}, {"diffuse"})

    first = contents(tmp_path / "first")
    assert any(name.startswith("image/") for name in first)
    assert first == contents(tmp_path / "second")
