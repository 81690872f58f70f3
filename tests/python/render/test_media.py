# SPDX-License-Identifier: Apache-2.0
"""Absorption, emission and scattering inside of objects, beside closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.media_scenes import CLEAR, box, look_down, slab
from weft.render import PathSettings
from weft.scene import Closure, Material, Object


def mean(device, scene, samples=16, **settings):
    picture = weft.Renderer(device, scene).render(settings=PathSettings(samples, **settings))
    return picture.mean(axis=(0, 1))


def test_a_slab_absorbs_exactly(device):
    medium = Closure("medium", absorption=(0.2, 1.0, 3.0))

    shown = mean(device, look_down([slab("gray", medium)]))

    assert shown == pytest.approx(np.exp([-0.2, -1, -3]), rel=1e-4)


def test_a_slab_shines_exactly(device):
    absorption, emission = np.array([0.2, 1.0, 3.0]), np.array([2.0, 1.0, 0.5])
    medium = Closure("medium", absorption=tuple(absorption), emission=tuple(emission))

    shown = mean(device, look_down([slab("fire", medium)], light=0))

    assert shown == pytest.approx(emission / absorption * (1 - np.exp(-absorption)), rel=1e-4)


def test_light_without_absorption_grows_with_the_way(device):
    medium = Closure("emission", color=(1.0, 0.5, 0.25), strength=0.3)

    shown = mean(device, look_down([slab("glow", medium, high=(5, 5, 2))], light=0))

    assert shown == pytest.approx(0.6 * np.array([1, 0.5, 0.25]), rel=1e-4)


def test_media_that_overlap_add_up(device):
    first = slab("first", Closure("medium", absorption=(1.0, 0.0, 0.5)))
    second = slab(
        "second", Closure("medium", absorption=(0.0, 2.0, 1.0)), low=(-5, -5, 0.5), high=(5, 5, 2)
    )

    shown = mean(device, look_down([first, second]))

    assert shown == pytest.approx(np.exp([-1.0, -3.0, -0.5 - 1.5]), rel=1e-4)


@pytest.mark.parametrize(("z", "way"), [(0.75, 0.75), (4.0, 1.0), (-1.0, 0.0)])
def test_a_camera_may_be_inside(device, z, way):
    medium = Closure("medium", absorption=(1.0, 2.0, 0.1))

    shown = mean(device, look_down([slab("water", medium)], z=z))

    assert shown == pytest.approx(np.exp(np.array([-1.0, -2.0, -0.1]) * way), rel=1e-4)


def test_shadows_are_dimmed(device):
    """A light above a slab illuminates a white floor, to which no bounce can find the way."""
    floor = Object(
        box((-5, -5, -2), (5, 5, -1)),
        [Material("floor", Closure("diffuse", color=(1.0, 1.0, 1.0)))],
    )
    light = weft.scene.PointLight((0, 0, 3), power=100.0)
    medium = Closure("medium", absorption=(1.0, 0.5, 0.2))
    clear = slab("none", Closure("medium"))

    lit = mean(device, look_down([floor, clear], 0, lights=[light]), bounces=1)
    shown = mean(device, look_down([floor, slab("gray", medium)], 0, lights=[light]), bounces=1)

    # Down through the slab at about right angles, and up again.
    assert shown / lit == pytest.approx(np.exp([-2.0, -1.0, -0.4]), rel=4e-3)


def test_glass_absorbs_what_passes_it(device):
    """At right angles both faces reflect a share r; what is left goes back and forth."""
    glass = Closure("glass", ior=1.5, color=(1.0, 1.0, 1.0))
    absorption = np.array([0.1, 1.0, 2.0])
    medium = Closure("medium", absorption=tuple(absorption))

    shown = mean(
        device,
        look_down([slab("glass", medium, surface=glass)], lights=[]),
        samples=4096,
        bounces=16,
        roulette_from=None,
    )

    r, t = 0.04, np.exp(-absorption)
    reflected = r + (1 - r) ** 2 * t**2 * r / (1 - r**2 * t**2)
    passed = (1 - r) ** 2 * t / (1 - r**2 * t**2)
    assert shown == pytest.approx(reflected + passed, rel=5e-3)


def test_scattering_keeps_all_light(device):
    """In a white furnace a medium that absorbs nothing cannot be seen."""
    for g in (0.0, 0.7, -0.4):
        medium = Closure("medium", scattering=(2.0, 1.0, 0.5), anisotropy=g)
        scene = look_down([slab("fog", medium, low=(-1, -1, 0), high=(1, 1, 1))])

        shown = mean(device, scene, samples=256, bounces=200, roulette_from=None)

        assert shown == pytest.approx(np.ones(3), abs=0.02)


def test_one_scattering_of_a_sun_is_exact(device):
    """A sun from straight above, seen from above: single scattering of a slab in closed form."""
    sun = weft.scene.SunLight((0, 0, -1), color=(1.0, 1.0, 1.0))
    scattering, absorption, g = np.array([0.5, 1.0, 0.1]), np.array([0.3, 0.1, 0.0]), 0.3
    medium = Closure(
        "medium", scattering=tuple(scattering), absorption=tuple(absorption), anisotropy=g
    )
    wide = slab("fog", medium, low=(-500, -500, 0), high=(500, 500, 1))

    shown = mean(device, look_down([wide], 0, lights=[sun]), samples=1024, bounces=1)

    extinction = scattering + absorption
    phase = (1 - g * g) / (4 * np.pi * (1 + g * g + 2 * g) ** 1.5)
    expected = scattering * phase / (2 * extinction) * (1 - np.exp(-2 * extinction))
    assert shown == pytest.approx(expected, rel=0.02)


def test_a_light_inside_is_found_by_both_ways(device):
    """Light of a sphere in a medium above a white floor, by light rays and by bounces."""
    absorption, radius, height = 0.8, 0.3, 0.5
    medium = Closure("medium", absorption=(absorption,) * 3)
    floor = Object(
        # Which of two faces in one place a ray meets first is up to the device.
        box((-5, -5, -2), (5, 5, -1e-4)),
        [Material("floor", Closure("diffuse", color=(1.0, 1.0, 1.0)))],
    )
    light = weft.scene.PointLight((0, 0, height), power=10.0, radius=radius)
    water = slab("water", medium, low=(-5, -5, 0.0), high=(5, 5, 2))
    scene = look_down([floor, water], 0, lights=[light])
    scene.cameras[0].scale = 0.01

    shown = mean(device, scene, samples=256, bounces=1)

    edge = np.sqrt(1 - (radius / height) ** 2)
    cosine = edge + (np.arange(20000) + 0.5) / 20000 * (1 - edge)
    way = cosine * height - np.sqrt(radius**2 - height**2 * (1 - cosine**2))
    radiance = 10.0 / (4 * np.pi) / (np.pi * radius**2)
    below = 2 * (radiance * np.exp(-absorption * way) * cosine).mean() * (1 - edge)
    assert shown == pytest.approx(np.full(3, below * np.exp(-2 * absorption)), rel=0.01)


def test_a_volume_must_be_the_same_everywhere():
    texture = weft.scene.Texture(np.ones((2, 2, 3), np.float32))

    with pytest.raises(weft.ArgumentError, match="the same everywhere"):
        Material("fog", CLEAR, volume=Closure("medium", absorption=texture))


def test_media_are_kept_in_files(device, tmp_path):
    scene = look_down([slab("gray", Closure("medium", absorption=(1.0, 2.0, 3.0)))])
    scene.save(tmp_path / "scene.weft")

    again = weft.Scene.load(tmp_path / "scene.weft")

    assert mean(device, again) == pytest.approx(mean(device, scene))


def test_inputs_of_media_change(device):
    scene = look_down([slab("gray", Closure("medium", absorption=(1.0, 1.0, 1.0)))])

    changed = weft.scene.with_inputs(scene, {"gray.volume.absorption": (0.0, 1.0, 2.0)})

    assert mean(device, changed) == pytest.approx(np.exp([0.0, -1.0, -2.0]), rel=1e-4)
