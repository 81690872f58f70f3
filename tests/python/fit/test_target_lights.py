# SPDX-License-Identifier: Apache-2.0
"""Targets that were taken under lights and worlds of their own."""

from dataclasses import replace

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad
from weft.fit import Exposure, Fit, FitSettings, LightParameter, Parameter, Target, TextureParameter
from weft.fit.lighting import lit_scenes
from weft.render import PathSettings
from weft.scene import (
    AreaLight,
    Camera,
    Closure,
    Environment,
    Material,
    PointLight,
    SpotLight,
    SunLight,
    Texture,
    at_camera,
    principled,
)

SIZE = 24
SETTINGS = PathSettings(samples=256, bounces=2, seed=5)
DAY = Environment(np.array([0.5, 0.6, 0.9], np.float32), name="day")
NIGHT = Environment(np.array([0.02, 0.03, 0.08], np.float32), name="night")
CAMERAS = [
    Camera(SIZE, SIZE, transform=Camera.look_at(place, (0, 0, 0)), fov=0.8, name=f"camera {k}")
    for k, place in enumerate([(0, -1.6, 2.6), (1.5, 0.4, 2.4)])
]


def scene_with(roughness=0.4, color=(0.7, 0.3, 0.2)):
    panel = Material("panel", Closure("emission", color=(1.0, 0.8, 0.5), strength=4.0))
    return weft.Scene(
        [
            placed(quad(), principled("plate", base_color=color, roughness=roughness)),
            placed(quad(0.4), panel, move=(0.9, 0, 0.6)),
        ],
        [
            PointLight((-0.6, -0.4, 0.8), 6.0, radius=0.05, name="key"),
            SunLight((0.3, 0.2, -1), 0.5, angle=0.02, name="sun"),
        ],
        CAMERAS,
        DAY,
    )


def flash_of(camera, power=20.0):
    return at_camera(PointLight((0.1, 0, 0), power, radius=0.05, name="flash"), camera)


def photos_of(device, scene, targets):
    """Return targets with what a renderer of the lit scene alone makes of each."""
    lit = lit_scenes(scene, targets)
    return [
        replace(target, image=weft.Renderer(device, own).render(target.camera, SETTINGS))
        for target, own in zip(targets, lit, strict=True)
    ]


def targets_of():
    black = np.ones((SIZE, SIZE, 3), np.float32)
    return [
        Target(black, 0, name="day"),
        Target(black, 1, name="flash", lights=[flash_of(CAMERAS[1])], world=False),
        Target(black, 0, name="night", lights=["key", "panel"], world=NIGHT),
    ]


@pytest.mark.full
def test_each_target_is_explained_by_its_own_lights(device):
    truth = scene_with()
    targets = photos_of(device, truth, targets_of())
    fit = Fit(
        scene_with(roughness=0.6, color=(0.4, 0.4, 0.4)),
        targets,
        [Parameter("plate.roughness"), Parameter("plate.base_color")],
        FitSettings(bounces=2, tolerance=0.005),
        device=device,
    )

    result = fit.run()

    assert result.values["plate.roughness"] == pytest.approx(0.4, abs=0.02)
    np.testing.assert_allclose(result.values["plate.base_color"], [0.7, 0.3, 0.2], atol=0.02)
    # Triangles, textures and materials lie in memory once.
    views = fit.stage.views
    places = [view.recorders[0].tables.view["geometry"]["positions"] for view in views]
    assert places[1] is places[0]
    assert places[2] is places[0]
    recorders = [view.recorders[0] for view in views]
    assert recorders[0].renderer.modules is recorders[1].renderer.modules


@pytest.mark.full
def test_lights_that_only_some_targets_use_are_found(device):
    truth = scene_with()
    flashes = [flash_of(camera) for camera in CAMERAS]
    own = [targets_of()[0], targets_of()[2]] + [
        Target(np.ones((SIZE, SIZE, 3), np.float32), k, name=f"flash {k}", lights=[flash])
        for k, flash in enumerate(flashes)
    ]
    photos = photos_of(device, truth, own)
    dark = [
        replace(
            photo,
            lights=photo.lights
            and [
                replace(e, power=e.power / 2) if not isinstance(e, str) else e for e in photo.lights
            ],
            world=photo.world and replace(NIGHT, strength=0.25),
        )
        for photo in photos
    ]

    result = Fit(
        scene_with(roughness=0.6),
        dark,
        [
            Parameter("plate.roughness"),
            LightParameter("flash"),
            LightParameter("night", bounds=(0.1, 10)),
            LightParameter("panel"),
            Exposure("day"),
        ],
        FitSettings(bounces=2, tolerance=0.01),
        device=device,
    ).run()

    assert result.values["plate.roughness"] == pytest.approx(0.4, abs=0.03)
    assert result.values["flash.factor"] == pytest.approx(2, rel=0.05)
    assert result.values["night.factor"] == pytest.approx(4, rel=0.2)
    assert result.values["panel.factor"] == pytest.approx(1, rel=0.05)
    assert result.values["day.exposure"] == pytest.approx(1, rel=0.03)
    lit = result.apply(target="flash 1")
    assert [light.name for light in lit.lights] == ["flash"]
    assert lit.lights[0].power == pytest.approx(20, rel=0.05)
    assert [light.name for light in result.apply().lights] == ["key", "sun"]


@pytest.mark.full
def test_textures_are_found_under_other_lights(device):
    texture = Texture(np.full((4, 4, 3), 0.5, np.float32), wrap="extend")
    targets = photos_of(device, scene_with(), targets_of()[:2])
    fit = Fit(
        scene_with(color=texture),
        targets,
        [TextureParameter("plate.base_color", smoothness=0.2)],
        FitSettings(bounces=2, samples=4, texture_iterations=30),
        device=device,
    )

    found = fit.run().textures["plate.base_color"].pixels.mean(axis=(0, 1))

    np.testing.assert_allclose(found, [0.7, 0.3, 0.2], atol=0.05)


@pytest.mark.full
def test_a_report_shows_each_target_under_its_lights(device, tmp_path):
    targets = photos_of(device, scene_with(), targets_of())
    fit = Fit(
        scene_with(), targets, [Parameter("plate.roughness")], FitSettings(bounces=2), device=device
    )

    report = fit.result("iterations").save_report(tmp_path, samples=64)

    for entry in report["targets"]:
        assert entry["relative_error_before"] < 0.1, entry["name"]


@pytest.mark.full
def test_a_checkpoint_belongs_to_the_lights(device, tmp_path):
    targets = photos_of(device, scene_with(), targets_of()[:2])
    settings = FitSettings(bounces=2)
    parameters = [Parameter("plate.roughness")]
    fit = Fit(scene_with(), targets, parameters, settings, device=device)
    fit.step()
    fit.save_checkpoint(tmp_path / "fit.npz")
    same = Fit(scene_with(), targets, parameters, settings, device=device)
    same.resume(tmp_path / "fit.npz")
    brighter = [targets[0], replace(targets[1], lights=[flash_of(CAMERAS[1], 30.0)])]
    other = Fit(scene_with(), brighter, parameters, settings, device=device)

    with pytest.raises(weft.ArgumentError, match="another fit"):
        other.resume(tmp_path / "fit.npz")


@pytest.mark.parametrize(
    ("change", "parameters", "words"),
    [
        (
            {"lights": ["moon"]},
            [],
            "no light of the scene is called 'moon'; there are 'key', 'sun'",
        ),
        ({"lights": "key"}, [], "must be a list of names and lights, got 'key'"),
        ({"lights": [3]}, [], "must be a list of names and lights, got 3"),
        ({"world": True}, [], "world must be an Environment, False or None, got True"),
        ({"lights": [], "world": False}, [], "nothing shines in it"),
        ({"lights": ["key"]}, [LightParameter("sun")], "'sun' shines in no target"),
        ({"lights": ["key"]}, [Parameter("panel.strength")], "a target leaves out"),
        ({}, [Parameter("panel.strength"), LightParameter("panel")], "leave one of them out"),
    ],
)
def test_wrong_lights_of_targets_are_refused(device, change, parameters, words):
    with pytest.raises(weft.ArgumentError, match=words):
        Fit(
            scene_with(),
            [Target(np.ones((SIZE, SIZE, 3), np.float32), **change)],
            [Parameter("plate.roughness"), *parameters],
            device=device,
        )


def test_lamps_move_with_a_camera():
    camera = Camera(8, 8, transform=Camera.look_at((1, -1, 2), (1, 0, 0)))
    turn, origin = camera.transform[:, :3], camera.transform[:, 3]
    point = at_camera(PointLight((0.1, 0, -1)), camera)
    spot = at_camera(SpotLight((0, 0, 0), (0, 0, -1)), camera)
    sun = at_camera(SunLight((0, 0, -1)), camera)
    area = at_camera(AreaLight(np.eye(4)), camera)

    np.testing.assert_allclose(point.position, turn @ [0.1, 0, -1] + origin)
    np.testing.assert_allclose(spot.position, [1, -1, 2])
    ahead = np.array([0, 1, -2]) / np.sqrt(5)
    np.testing.assert_allclose(spot.direction, ahead, atol=1e-12)
    np.testing.assert_allclose(sun.direction, ahead, atol=1e-12)
    np.testing.assert_allclose(area.transform, camera.transform)
