# SPDX-License-Identifier: Apache-2.0
"""Mirrors, and lights that both light sampling and bounces find."""

import math

import numpy as np
import pytest

import weft
from support.render_scenes import dark_lights, lambert, placed, quad, sphere, top_camera
from weft.render import PathSettings
from weft.scene import (
    AreaLight,
    Camera,
    Closure,
    Environment,
    Material,
    PointLight,
    Scene,
    SlangCall,
    SpotLight,
    SunLight,
    principled,
)

WHITE_METAL = {"base_color": (1.0, 1.0, 1.0), "metallic": 1.0}


def test_a_white_mirror_shows_the_environment(device):
    image = np.random.default_rng(3).random((16, 32, 3))
    height = 3.0
    # Straight rays onto a mirror tilted by 30 degrees are all reflected one way.
    tilt = math.radians(30)
    transform = np.array(
        [
            [math.cos(tilt), 0, math.sin(tilt), 0],
            [0, 1, 0, 0],
            [-math.sin(tilt), 0, math.cos(tilt), 0],
        ]
    )
    mirror = weft.scene.Object(
        quad(4), [principled("mirror", roughness=0.0, **WHITE_METAL)], transform
    )
    environment = Environment(image)
    seen = Scene([mirror], [], [top_camera(2, scale=1e-3, height=height)], environment)
    direction = np.array([math.sin(2 * tilt), 0, math.cos(2 * tilt)])
    straight = Camera(
        2,
        2,
        "orthographic",
        scale=1e-3,
        transform=Camera.look_at((0, 0, 0), 5 * direction),
        near=4.0,
    )

    renderer = weft.Renderer(device, seen)
    settings = PathSettings(samples=4, bounces=1)
    reflected = renderer.render(settings=settings)
    direct = renderer.render(straight, settings)

    assert reflected.mean(axis=(0, 1)) == pytest.approx(direct.mean(axis=(0, 1)), rel=2e-3)


def floor_under(device, lights, objects=(), *, roughness=0.25, samples=512, **others):
    """A glossy floor seen at a slant."""
    floor = principled("floor", roughness=roughness, **WHITE_METAL)
    camera = Camera(8, 8, fov=0.5, transform=Camera.look_at((0, -4, 3), (0, 0, 0)))
    scene = Scene([placed(quad(6), floor), *objects], lights, [camera], **others)
    settings = PathSettings(samples=samples, bounces=2, seed=4)
    return weft.Renderer(device, scene).render(settings=settings)


SHINE = "[Differentiable] float shine(float strength) { return strength; }"


@pytest.mark.full
@pytest.mark.parametrize("roughness", [0.1, 0.6])
def test_light_sampling_and_bounces_alone_agree(device, roughness):
    # Emission that a function drives is not sampled as a light: bounces find it.
    by_bounces = SlangCall("shine", SHINE, {"strength": 5.0})
    pictures = []
    for strength in (5.0, by_bounces):
        light = Material("light", Closure("emission", strength=strength, both_sides=0.0))
        panel = placed(quad(2), light, scale=(1, -1, -1), move=(0, 1, 2))
        pictures.append(
            floor_under(device, dark_lights(), [panel], roughness=roughness, samples=1024)
        )

    both, alone = pictures
    assert both.mean() == pytest.approx(alone.mean(), rel=0.01)
    assert np.abs(both - alone).max() < 0.15 * both.max()


@pytest.mark.full
def test_lights_are_seen_in_glossy_floors_as_meshes_of_their_shape_are(device):
    radius, radiance, at = 0.6, 4.0, (0.0, 1.0, 1.6)
    light = Material("light", Closure("emission", strength=radiance))
    power = radiance * math.pi * radius**2 * 4 * math.pi

    mesh = floor_under(device, dark_lights(), [placed(sphere(radius, 48), light, move=at)])
    # The mesh, black here, still hides what lies behind it from the camera.
    point = floor_under(device, [*dark_lights(), PointLight(at, power, radius=radius)])

    visible = mesh < 3.9  # not the light itself
    assert point[visible].mean() == pytest.approx(mesh[visible].mean(), rel=0.02)


@pytest.mark.parametrize(
    "light",
    [
        PointLight((0, 1, 1.6), 300.0, radius=0.5),
        SpotLight((0, 1, 2), (0, -0.3, -1), 1.4, 0.3, 300.0, radius=0.4),
        SunLight((0, -0.6, -1), 2.0, angle=0.4),
        AreaLight(np.column_stack([np.eye(3), [0, 1, 1.8]]), (1.5, 1.0), power=60.0),
        AreaLight(np.column_stack([np.eye(3), [0, 1, 1.8]]), (1.5, 1.0), "ellipse", 60.0),
    ],
    ids=lambda light: type(light).__name__,
)
def test_glossy_reflections_of_lights_are_the_limit_of_rough_ones(device, light):
    # A mirror sees lights by bounces alone, a nearly smooth floor by light sampling too: the same
    # radiance, blurred a little.
    smooth, sharp = (
        floor_under(device, [light, *dark_lights()], roughness=roughness, samples=256)
        for roughness in (0.0, 0.06)
    )

    assert smooth.mean() > 0
    assert sharp.mean() == pytest.approx(smooth.mean(), rel=0.04)


def test_cameras_do_not_see_lights(device):
    scene = Scene(
        [placed(quad(0.1), lambert(), move=(50, 0, 0))],
        [PointLight((0, 0, 0), 100.0, radius=0.5), *dark_lights()],
        [top_camera()],
    )

    image = weft.Renderer(device, scene).render(settings=PathSettings(samples=1))

    assert image.max() == 0
