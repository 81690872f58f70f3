# SPDX-License-Identifier: Apache-2.0
"""Lights whose radiance differs by direction."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import ArgumentError
from weft.render import PathSettings
from weft.scene import (
    AreaLight,
    Camera,
    Closure,
    LightProfile,
    Material,
    Mesh,
    Object,
    PointLight,
    SpotLight,
    SunLight,
    at_camera,
)

HEIGHT = 2.0
PIXELS = 16


def directions(height, width):
    """Return the directions of an image's pixels, shape ``(height, width, 3)``."""
    latitude = (np.pi / 2 - (np.arange(height) + 0.5) / height * np.pi)[:, None]
    longitude = (np.pi - (np.arange(width) + 0.5) / width * 2 * np.pi)[None, :]
    flat = np.cos(latitude)
    return np.stack(
        np.broadcast_arrays(
            flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude) + 0 * longitude
        ),
        axis=-1,
    )


def factors(way):
    """Return a factor a channel that differs in all directions."""
    return np.stack([0.6 + 0.4 * way[..., 0], 0.5 + 0.5 * way[..., 1], 0.8 - 0.2 * way[..., 2]], -1)


def floor(light, material=None):
    corners = np.array([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]], np.float32)
    up = np.tile(np.array([0, 0, 1], np.float32), (4, 1))
    mesh = Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]]), up, {}, {}, name="floor")
    camera = Camera(
        PIXELS, PIXELS, fov=0.8, transform=Camera.look_at((0, 0, 5), (0, 0, 0), up=(0, 1, 0))
    )
    material = material or Material("floor", Closure("diffuse", color=(0.8, 0.8, 0.8)))
    return weft.Scene([Object(mesh, [material])], [light], [camera])


def picture(device, light, samples=16):
    renderer = weft.Renderer(device, floor(light))
    return renderer.render(settings=PathSettings(samples=samples, bounces=1))


def places():
    """Return where the pixels' middles lie on the floor, shape ``(PIXELS, PIXELS, 3)``."""
    half = 5 * np.tan(0.4)
    across = ((np.arange(PIXELS) + 0.5) / PIXELS * 2 - 1) * half
    x, y = np.meshgrid(across, -across)
    return np.stack([x, y, 0 * x], axis=-1)


LIGHTS = {
    "point": lambda: PointLight((0, 0, HEIGHT), 100.0),
    "spot": lambda: SpotLight((0, 0, HEIGHT), (0, 0, -1), angle=2.6, blend=0.1, power=100.0),
    "sun": lambda: SunLight((0.3, 0.2, -1), 2.0),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", LIGHTS)
def test_light_is_multiplied_by_the_factor_of_its_direction(device, kind):
    light = LIGHTS[kind]()
    plain = picture(device, light)
    light.profile = LightProfile(factors(directions(128, 256)), 1.0, 0.5)

    found = picture(device, light) / plain

    to = places() - (0, 0, HEIGHT)
    distance = np.linalg.norm(to, axis=-1, keepdims=True)
    expected = factors(to / distance) * distance * distance**2 / (0.5 + distance**2)
    if kind == "sun":
        # It has no distance.
        expected = factors(np.array((0.3, 0.2, -1)) / np.linalg.norm((0.3, 0.2, -1)))
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=0.01)


def test_bounces_that_meet_a_light_see_its_profile(device):
    """Both ways to a large light weigh alike: their sum is that of light drawn alone."""
    transform = np.eye(4)
    transform[:3, 3] = 0, 0, 1.0
    glossy = Material("floor", Closure("glossy", color=(0.8, 0.8, 0.8), roughness=0.3))
    means = []
    for profile in (None, LightProfile(np.full((4, 8, 3), (0.5, 1.0, 2.0), np.float32))):
        light = AreaLight(transform, (3.0, 3.0), power=50.0, profile=profile)
        scene = floor(light, glossy)
        scene.cameras[0] = Camera(8, 8, fov=0.3, transform=Camera.look_at((0, -4, 1), (0, 0, 0)))
        settings = PathSettings(samples=256, bounces=1)
        means.append(weft.Renderer(device, scene).render(settings=settings).mean(axis=(0, 1)))

    np.testing.assert_allclose(means[1] / means[0], (0.5, 1.0, 2.0), rtol=1e-3)


def test_a_scene_with_profiles_is_stored_and_read(tmp_path):
    light = PointLight((0, 0, 1), profile=LightProfile(np.ones((2, 4, 3)), 2.0, 0.25))
    weft.Scene(lights=[light]).save(tmp_path / "scene.zip")

    found = weft.Scene.load(tmp_path / "scene.zip").lights[0].profile

    assert found.image.shape == (2, 4, 3)
    assert (found.distance_power, found.smooth) == (2.0, 0.25)


def test_a_profile_does_not_turn_with_a_camera():
    light = PointLight((0, 0, 0), profile=LightProfile(np.ones((2, 4, 3))), name="torch")
    camera = Camera(8, 8, transform=Camera.look_at((0, -4, 1), (0, 0, 0)))

    with pytest.raises(ArgumentError, match="at_camera: the profile of light 'torch' lies in"):
        at_camera(light, camera)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones((4, 4)),), r"image must be \(height, width, 3\), got shape \(4, 4\)"),
        ((-np.ones((4, 4, 3)),), "must be finite and not negative"),
        ((np.ones((4, 4, 3)), 3.0), "distance_power must be from 0 to 2, got 3.0"),
        ((np.ones((4, 4, 3)), 0.0, -1.0), "smooth must be finite and not negative, got -1.0"),
    ],
)
def test_what_is_no_profile_is_refused(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        LightProfile(*arguments)
