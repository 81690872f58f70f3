# SPDX-License-Identifier: Apache-2.0
"""Limits of paths beside their number of bounces, in pictures and in recorded paths."""

from dataclasses import replace

import numpy as np
import pytest

import weft
from support.derivative_sweep import WORST, Difference, Sweep, whole
from support.render_scenes import placed, quad, sphere
from weft.render import PathSettings
from weft.render.record import Recorder
from weft.scene import Camera, Environment, LightPaths, PointLight, principled

SETTINGS = PathSettings(samples=4, bounces=6, roulette_from=None, seed=3)
LIMITS = [
    LightPaths(diffuse_bounces=1),
    LightPaths(glossy_bounces=1, transmission_bounces=2),
    LightPaths(filter_glossy=1.0),
    LightPaths(reflective_caustics=False),
    LightPaths(refractive_caustics=False, filter_glossy=0.5),
]


def make_scene(light_paths=None):
    """A ball of everything on a floor."""
    inputs = {"metallic": 0.4, "coat_weight": 0.5, "transmission_weight": 0.5, "roughness": 0.13}
    ball = principled("ball", base_color=(0.8, 0.4, 0.2), **inputs)
    floor = principled("floor", base_color=(0.6, 0.7, 0.8), roughness=0.9)
    return weft.Scene(
        [placed(sphere(), ball, move=(0, 0, 1)), placed(quad(8), floor)],
        [PointLight((2.0, -3.0, 4.0), power=400.0)],
        [Camera(16, 12, transform=Camera.look_at((0, -6, 4), (0, 0, 0.7)))],
        Environment(np.random.default_rng(5).random((4, 8, 3))),
        light_paths=light_paths,
    )


@pytest.fixture(scope="module")
def free(device):
    """The picture without limits."""
    return weft.Renderer(device, make_scene()).render(settings=SETTINGS)


@pytest.mark.full
@pytest.mark.parametrize("limits", LIMITS)
def test_recorded_paths_have_the_limits_of_the_picture(limits, device, free):
    renderer = weft.Renderer(device, make_scene(limits))
    image = renderer.render(settings=SETTINGS)
    recorder = Recorder(renderer, [0], None)
    recorder.draw(renderer.scene.cameras[0], SETTINGS)
    recorder.replay(renderer.tables.values)
    replayed = recorder.resolve_to_host(0, 4, with_tangents=False)[0]
    assert np.abs(replayed - image.reshape(-1, 3)).max() < 1e-4
    assert np.abs(free - image).max() > 0.01


@pytest.mark.full
def test_limits_beyond_the_bounces_change_nothing(device, free):
    renderer = weft.Renderer(device, make_scene(LightPaths(6, 6, 6, 6, 1e6, 1e6)))
    assert np.abs(renderer.render(settings=SETTINGS) - free).max() < 1e-6


def test_no_light_but_shining_surfaces_without_diffuse_bounces(device):
    scene = make_scene(LightPaths(diffuse_bounces=0, glossy_bounces=0, transmission_bounces=0))
    picture = weft.Renderer(device, scene).render(settings=SETTINGS)
    dark = weft.Renderer(device, make_scene()).render(settings=replace(SETTINGS, bounces=0))
    assert np.abs(picture - dark).max() < 1e-6


@pytest.mark.full
@pytest.mark.parametrize("name", ["clamp_direct", "clamp_indirect"])
def test_clamps_hold_pictures_down_but_not_recorded_paths(name, device, free):
    renderer = weft.Renderer(device, make_scene(LightPaths(**{name: 0.05})))
    image = renderer.render(settings=SETTINGS)
    assert image.mean() < 0.99 * free.mean()
    assert (image <= free + 1e-6).all()
    recorder = Recorder(renderer, [0], None)
    recorder.draw(renderer.scene.cameras[0], SETTINGS)
    recorder.replay(renderer.tables.values)
    replayed = recorder.resolve_to_host(0, 4, with_tangents=False)[0]
    assert np.abs(replayed - free.reshape(-1, 3)).max() < 1e-4


@pytest.mark.full
@pytest.mark.parametrize(
    "limits",
    [LightPaths(filter_glossy=1.0), LightPaths(filter_glossy=0.3, reflective_caustics=False)],
)
def test_derivatives_through_dulled_facets(limits, device):
    names = "base_color roughness metallic anisotropic coat_weight coat_roughness ior"
    surface = whole("principled", np.random.default_rng(1), names.split())
    sweep = Sweep(device, surface, light_paths=limits)
    sweep.draw(2)
    slopes = sweep.tangents()
    for (name, _, place), tangents in zip(sweep.components, slopes, strict=True):
        assert Difference(sweep, name, place).share_off(tangents) < WORST, name


@pytest.mark.parametrize(
    "bad",
    [
        {"diffuse_bounces": -1},
        {"glossy_bounces": 300},
        {"clamp_direct": -1.0},
        {"filter_glossy": float("nan")},
    ],
)
def test_limits_that_make_no_sense_are_refused(bad):
    with pytest.raises(weft.ArgumentError, match=next(iter(bad))):
        LightPaths(**bad)


def test_limits_are_kept_in_files(tmp_path):
    make_scene(LightPaths(diffuse_bounces=3, filter_glossy=1.0)).save(tmp_path / "a.weft")
    assert weft.Scene.load(tmp_path / "a.weft").light_paths.diffuse_bounces == 3
    make_scene().save(tmp_path / "b.weft")
    assert weft.Scene.load(tmp_path / "b.weft").light_paths is None
