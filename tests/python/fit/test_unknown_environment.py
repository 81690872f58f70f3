# SPDX-License-Identifier: Apache-2.0
"""Fits that look for the environment."""

from dataclasses import replace

import numpy as np
import pytest

import weft
from support.render_scenes import placed, sphere
from weft.fit import (
    EnvironmentParameter,
    Exposure,
    Fit,
    FitSettings,
    LightParameter,
    Parameter,
    Target,
    TextureParameter,
)
from weft.fit.unknown_environment import with_unknown, without_box
from weft.render import PathSettings
from weft.scene import Camera, Environment, PointLight, Texture, principled, with_images

SIZE = 24
PLACES = ((0, -4, 1.5), (3.5, 1, 2), (-3, 2, 1))
CAMERAS = [
    Camera(SIZE, SIZE, transform=Camera.look_at(place, (0, 0, 0)), fov=0.35, name=str(k))
    for k, place in enumerate(PLACES)
]
UNKNOWN = EnvironmentParameter(16, 8)


def sky_image(width=16, height=8):
    v, u = np.meshgrid(
        (np.arange(height) + 0.5) / height, (np.arange(width) + 0.5) / width, indexing="ij"
    )
    image = np.stack(
        [0.5 + 0.4 * np.sin(6.28 * u), 0.6 + 0.3 * np.cos(6.28 * u), 0.3 + 0.6 * v], -1
    )
    image += 2 * np.exp(-((u - 0.3) ** 2 + (v - 0.25) ** 2) / 0.02)[..., None]
    return image.astype(np.float32)


def scene_with(environment=None, *, color=(0.9, 0.9, 0.9), roughness=0.1, metallic=1.0):
    ball = principled("ball", base_color=color, roughness=roughness, metallic=metallic)
    grey = principled("grey", base_color=(0.4, 0.4, 0.4), roughness=0.5)
    objects = [
        placed(sphere(0.5), ball, move=(-0.2, 0, 0), name="ball"),
        placed(sphere(0.2), grey, move=(0.5, -0.1, 0), name="grey"),
    ]
    return weft.Scene(objects, [], list(CAMERAS), environment)


def targets_of(device, scene, objects=("ball", "grey"), samples=128):
    renderer = weft.Renderer(device, scene)
    settings = PathSettings(samples=samples, bounces=2, seed=9)
    return [
        Target(renderer.render(camera, settings), camera.name, name=camera.name, objects=objects)
        for camera in CAMERAS
    ]


def relative_error(found, truth):
    weights = np.cos(np.pi * ((np.arange(len(truth)) + 0.5) / len(truth) - 0.5))[:, None, None]
    return np.sqrt((weights * (found - truth) ** 2).sum() / (weights * truth**2).sum())


@pytest.mark.full
def test_the_box_shines_as_the_environment_does(device):
    image = sky_image()
    scene = scene_with(Environment(image))
    plain = replace(scene, environment=None)
    boxed = with_unknown(plain, EnvironmentParameter(16, 8, start=1.0), [])
    boxed = with_images(boxed, {"environment.color": image})
    wide = [replace(camera, fov=1.5) for camera in CAMERAS]
    settings = PathSettings(samples=256, bounces=2, seed=3)

    for camera in wide:
        expected = weft.Renderer(device, scene).render(camera, settings)
        found = weft.Renderer(device, boxed).render(replace(camera, far=np.inf), settings)
        np.testing.assert_allclose(found.mean((0, 1)), expected.mean((0, 1)), rtol=0.01)
        assert np.median(np.abs(found - expected)) < 0.01
    back = without_box(boxed, UNKNOWN)
    assert len(back.objects) == len(scene.objects)
    np.testing.assert_array_equal(back.environment.image, image)


def test_a_glossy_ball_shows_its_environment(device):
    truth = sky_image()
    targets = targets_of(device, scene_with(Environment(truth)))
    fit = Fit(scene_with(), targets, [UNKNOWN], FitSettings(bounces=2), device=device)

    result = fit.run()

    assert relative_error(result.environment.image, truth) < 0.25
    assert result.textures == {}
    assert not result.undetermined
    applied = result.apply()
    assert applied.environment is result.environment
    assert [entry.name for entry in applied.objects] == ["ball", "grey"]
    picture = weft.Renderer(device, applied).render(settings=PathSettings(samples=64, bounces=2))
    mask = fit.targets[0].mask > 0
    assert np.abs(picture - targets[0].image)[mask].mean() < 0.05


@pytest.mark.full
def test_a_texture_is_found_in_an_unknown_environment(device, tmp_path):
    y, x = np.mgrid[0:8, 0:8] / 7
    pixels = np.stack([0.2 + 0.6 * x, 0.7 - 0.5 * y, 0.3 + 0.2 * x], -1).astype(np.float32)
    look = {"roughness": 0.5, "metallic": 0.0}
    truth = scene_with(Environment(sky_image()), color=Texture(pixels, wrap="extend"), **look)
    grey = Texture(np.full((8, 8, 3), 0.5, np.float32), wrap="extend")
    flash = PointLight((0, -3, 2), 100, name="flash")
    fit = Fit(
        scene_with(color=grey, **look),
        targets_of(device, truth),
        [UNKNOWN, TextureParameter("ball.base_color"), Parameter("grey.roughness")],
        FitSettings(bounces=2),
        device=device,
    )

    result = fit.run()

    texture = result.textures["ball.base_color"]
    error = (texture.pixels - pixels)[texture.known > 0]
    assert np.sqrt((error**2).mean()) < 0.09
    report = result.save_report(tmp_path, samples=16)
    assert report["environment"] == {"file": "environment.exr", "width": 16, "height": 8}
    assert (tmp_path / "environment.exr").is_file()
    assert weft.Scene.load(tmp_path / "scene.weft").environment.image.shape == (8, 16, 3)
    assert flash.name not in report["parameters"]


def test_what_brightness_cannot_be_told_from_is_named(device):
    scene = scene_with(Environment(sky_image()), roughness=0.5, metallic=0.0)
    both = [Parameter("ball.base_color"), Parameter("grey.base_color")]

    def undetermined(parameters, objects=("ball", "grey")):
        targets = targets_of(device, scene, objects, samples=2)
        fit = Fit(scene, targets, [UNKNOWN, *parameters], device=device)
        return fit.result("iterations").undetermined.get("environment", "")

    assert "base colours trade off" in undetermined(both)
    assert "exposures trade off" in undetermined([both[0], Exposure()])
    assert undetermined(both[:1]) == ""
    assert undetermined([both[0], replace(both[1], prior=(0.4, 0.01))]) == ""
    assert undetermined(both, objects=()) == ""  # the environment itself is seen


def test_targets_have_lights_beside_an_unknown_environment(device):
    scene = scene_with(Environment(sky_image()))
    night = Environment(np.full(3, 0.1))
    targets = targets_of(device, scene, samples=2)
    lamp = PointLight((0, -3, 2), 100, name="flash")
    targets[1] = replace(targets[1], lights=[lamp])
    targets[2] = replace(targets[2], lights=[lamp], world=night)
    fit = Fit(scene, targets, [UNKNOWN, LightParameter("flash")], device=device)

    result = fit.result("iterations")

    worlds = [result.apply(target=k).environment for k in range(3)]
    assert worlds[0] is worlds[1] is result.environment
    assert worlds[2] is night
    assert [len(result.apply(target=k).lights) for k in range(3)] == [0, 1, 1]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: EnvironmentParameter(4, 2), "width and height must be integers from 8 x 4"),
        (lambda: EnvironmentParameter(start=-1), "start must be one or three numbers above 0"),
        (lambda: EnvironmentParameter(smoothness=float("nan")), "smoothness must be a finite"),
    ],
)
def test_wrong_numbers_are_refused(make, words):
    with pytest.raises(weft.ArgumentError, match=words):
        make()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ([UNKNOWN, UNKNOWN], "2 EnvironmentParameter were given"),
        ([EnvironmentParameter(name="ball")], "a material is called 'ball'"),
        ([UNKNOWN, LightParameter("environment")], "an EnvironmentParameter looks for"),
    ],
)
def test_environments_that_do_not_fit_are_refused(device, parameters, words):
    with pytest.raises(weft.ArgumentError, match=words):
        Fit(scene_with(), [Target(np.ones((SIZE, SIZE, 3)))], parameters, device=device)


def test_cameras_see_the_box_whatever_their_far(device):
    scene = scene_with()
    image = np.ones((SIZE, SIZE, 3), np.float32)
    near = replace(CAMERAS[0], far=10.0)
    fit = Fit(scene, [Target(image, near)], [UNKNOWN], device=device)
    assert fit.targets[0].camera.far == np.inf

    with pytest.raises(
        weft.ArgumentError, match=r"sees 4 m far and the scene reaches .*raise its far"
    ):
        Fit(scene, [Target(image, replace(near, far=4.0))], [UNKNOWN], device=device)
