# SPDX-License-Identifier: Apache-2.0
"""Fits of the strength and colour of lights."""

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad
from weft.fit import Fit, FitSettings, LightParameter, Parameter, Target, TextureParameter
from weft.render import PathSettings, upload
from weft.scene import (
    Camera,
    Closure,
    Environment,
    Material,
    PointLight,
    SunLight,
    Texture,
    principled,
)
from weft.scene.light_changes import with_light_factors

SIZE = 32
SETTINGS = PathSettings(samples=256, bounces=3, seed=5)


def scene_with(roughness=0.4, color=(0.7, 0.3, 0.2)):
    """A plate under a lamp, a sun, a sky and a shining square beside it."""
    lamp = Material("panel", Closure("emission", color=(1.0, 0.8, 0.5), strength=4.0))
    panel = placed(quad(0.4), lamp, move=(0.9, 0, 0.6))
    plate = principled("plate", base_color=color, roughness=roughness)
    camera = Camera(SIZE, SIZE, transform=Camera.look_at((0, -1.6, 2.6), (0, 0, 0)), fov=0.8)
    sky = np.full((4, 8, 3), 0.3, np.float32)
    sky[0, 2] = 3
    return weft.Scene(
        [placed(quad(), plate), panel],
        [
            PointLight((-0.6, -0.4, 0.8), 6.0, radius=0.05, name="key"),
            SunLight((0.3, 0.2, -1), 0.5, angle=0.02, name="sun"),
        ],
        [camera],
        Environment(sky),
    )


TRUTH = {"key": [2.0] * 3, "panel": [0.5, 0.6, 0.9], "environment": [1.5] * 3}


@pytest.fixture(scope="module")
def photo(device):
    scene = with_light_factors(scene_with(), TRUTH)
    return weft.Renderer(device, scene).render(settings=SETTINGS)


@pytest.mark.full
@pytest.mark.parametrize("sampling", ["auto", pytest.param("tree", marks=pytest.mark.full)])
def test_lights_are_found_beside_a_material(device, photo, sampling, monkeypatch):
    build = upload.build_lit_tables
    monkeypatch.setattr(upload, "build_lit_tables", lambda *given: build(*given[:2], sampling))
    fit = Fit(
        scene_with(roughness=0.6),
        [Target(photo)],
        [
            Parameter("plate.roughness"),
            LightParameter("key"),
            LightParameter("panel", color=True),
            LightParameter("environment"),
        ],
        FitSettings(bounces=3, tolerance=0.005),
        device=device,
    )
    assert fit.renderer.tables.has_light_tree == (sampling == "tree")

    result = fit.run()

    assert result.values["plate.roughness"] == pytest.approx(0.4, abs=0.02)
    for name, factor in TRUTH.items():
        found = result.values[f"{name}.factor"]
        np.testing.assert_allclose(found, factor[: len(found)], rtol=0.03)
    applied = result.apply()
    assert applied.lights[0].power == pytest.approx(12, rel=0.03)
    assert applied.lights[1].strength == 0.5
    np.testing.assert_allclose(applied.environment.strength, 1.5, rtol=0.03)
    panel = applied.objects[1].materials[0].surface.inputs
    np.testing.assert_allclose(panel["color"], [0.5, 0.48, 0.45], rtol=0.03)


@pytest.mark.full
def test_the_parts_of_the_light_add_up(device):
    scene = scene_with()
    whole = weft.Renderer(device, scene).render(settings=SETTINGS)
    names = ["key", "sun", "environment", "panel"]
    total = 0
    for name in names:
        others = {other: np.zeros(3) for other in names if other != name}
        part = with_light_factors(scene, others)
        total = total + weft.Renderer(device, part).render(settings=SETTINGS)

    assert total.mean() == pytest.approx(whole.mean(), rel=0.01)


@pytest.mark.full
@pytest.mark.slow
def test_a_light_and_a_texture_are_found_together(device, photo):
    texture = Texture(np.full((4, 4, 3), 0.5, np.float32), wrap="extend")
    scene = with_light_factors(scene_with(color=texture), TRUTH)
    start = with_light_factors(scene, {"panel": [2.0, 2.0, 2.0]})
    fit = Fit(
        start,
        [Target(photo)],
        [TextureParameter("plate.base_color", smoothness=0.2), LightParameter("panel")],
        FitSettings(bounces=3, samples=8, texture_iterations=40),
        device=device,
    )

    result = fit.run()

    assert result.values["panel.factor"] == pytest.approx(0.5, rel=0.1)
    found = result.textures["plate.base_color"].pixels.mean(axis=(0, 1))
    np.testing.assert_allclose(found, [0.7, 0.3, 0.2], atol=0.05)


def test_what_a_material_gives_off_is_found_as_its_parameter(device):
    scene = with_light_factors(scene_with(), {"panel": [0.5] * 3})
    photo = weft.Renderer(device, scene).render(settings=SETTINGS)
    fit = Fit(
        scene_with(),
        [Target(photo)],
        [Parameter("panel.strength", bounds=(0.1, 20.0))],
        FitSettings(bounces=3, tolerance=0.01),
        device=device,
    )

    assert fit.run().values["panel.strength"] == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize(
    ("lights", "words"),
    [
        ([LightParameter("moon")], "no light of the scene is called 'moon'; there are 'key'"),
        ([LightParameter("key"), LightParameter("key")], "'key' is given twice"),
    ],
)
def test_wrong_lights_are_refused(device, photo, lights, words):
    with pytest.raises(weft.ArgumentError, match=words):
        Fit(scene_with(), [Target(photo)], lights, device=device)
