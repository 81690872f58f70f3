# SPDX-License-Identifier: Apache-2.0
"""Fits of numbers, exposures and textures together, from several views."""

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad
from weft.fit import Exposure, Fit, FitSettings, Parameter, Target, TextureParameter
from weft.render import PathSettings
from weft.scene import Camera, Environment, Texture, principled

SIZE = 48
GAINS = (1.0, 1.5, 0.7)
PLACES = ((0, -1.2, 2.6), (1.5, 0.6, 2.2), (-1.6, 0.9, 2.0))


def pattern():
    """Stripes and a ramp, 16 x 16."""
    y, x = np.mgrid[0:16, 0:16] / 15
    return np.stack([0.2 + 0.6 * x, 0.7 - 0.5 * y, np.where(x > 0.5, 0.6, 0.25)], -1)


def scene_with(pixels, roughness, metallic):
    texture = Texture(np.asarray(pixels, np.float32), wrap="extend")
    plate = principled("plate", base_color=texture, roughness=roughness, metallic=metallic)
    sky = np.full((8, 16, 3), 0.6, np.float32)
    sky[1:3, 4:7] = 12
    cameras = [
        Camera(SIZE, SIZE, transform=Camera.look_at(place, (0, 0, 0)), fov=0.75, name=f"{number}")
        for number, place in enumerate(PLACES)
    ]
    return weft.Scene([placed(quad(), plate)], cameras=cameras, environment=Environment(sky))


@pytest.fixture(scope="module")
def photos(device):
    """Pictures of three cameras, each exposed differently."""
    scene = scene_with(pattern(), 0.4, 0.3)
    renderer = weft.Renderer(device, scene)
    pictures = []
    for number, (camera, gain) in enumerate(zip(scene.cameras, GAINS, strict=True)):
        settings = PathSettings(samples=256, bounces=2, seed=8 + number)
        pictures.append(renderer.render(camera, settings) * np.float32(gain))
    return pictures


def targets(photos, *, exposed):
    return [
        Target(
            photo if exposed else photo / np.float32(gain), camera=number, name=f"photo {number}"
        )
        for number, (photo, gain) in enumerate(zip(photos, GAINS, strict=True))
    ]


def rms(found):
    return float(np.sqrt(np.mean((found.pixels - pattern()) ** 2)))


@pytest.mark.full
def test_numbers_and_a_texture_are_found_together(device, photos):
    fit = Fit(
        scene_with(np.full((16, 16, 3), 0.5), 0.7, 0.1),
        targets(photos, exposed=False),
        [
            TextureParameter("plate.base_color", smoothness=0.02),
            Parameter("plate.roughness"),
            Parameter("plate.metallic"),
        ],
        FitSettings(bounces=2, samples=8, texture_iterations=50),
        device=device,
    )

    result = fit.run()

    assert result.reason == "converged"
    assert rms(result.textures["plate.base_color"]) < 0.015
    assert result.values["plate.roughness"] == pytest.approx(0.4, abs=0.015)
    assert result.values["plate.metallic"] == pytest.approx(0.3, abs=0.015)
    assert result.errors["plate.roughness"] < 0.01
    assert result.undetermined == {}


@pytest.mark.full
def test_unknown_exposures_are_found_beside_numbers_and_a_texture(device, photos):
    fit = Fit(
        scene_with(np.full((16, 16, 3), 0.5), 0.7, 0.1),
        targets(photos, exposed=True),
        [
            TextureParameter("plate.base_color", smoothness=0.02),
            Parameter("plate.roughness"),
            Parameter("plate.metallic"),
            Exposure("photo 1"),
            Exposure("photo 2"),
        ],
        FitSettings(bounces=2, samples=8, texture_iterations=60),
        device=device,
    )

    result = fit.run()

    assert rms(result.textures["plate.base_color"]) < 0.025
    assert result.values["photo 1.exposure"] == pytest.approx(1.5, abs=0.05)
    assert result.values["photo 2.exposure"] == pytest.approx(0.7, abs=0.03)
    assert result.values["plate.roughness"] == pytest.approx(0.4, abs=0.04)


@pytest.mark.full
def test_exposure_and_white_balance_are_found_beside_numbers(device, photos):
    tint = np.array([1.3, 1.0, 0.6], np.float32)
    pictures = targets(photos, exposed=False)
    pictures[1] = Target(pictures[1].image * tint, camera=1, name="tinted")
    fit = Fit(
        scene_with(pattern(), 0.6, 0.0),
        pictures,
        [
            Parameter("plate.roughness"),
            Parameter("plate.metallic"),
            Exposure("tinted", white_balance=True),
        ],
        FitSettings(bounces=2),
        device=device,
    )

    result = fit.run()

    np.testing.assert_allclose(result.values["tinted.exposure"], tint, rtol=0.02)
    assert result.values["plate.roughness"] == pytest.approx(0.4, abs=0.015)
    assert result.values["plate.metallic"] == pytest.approx(0.3, abs=0.015)


@pytest.mark.full
def test_an_exposure_alone_needs_no_material(device, photos):
    fit = Fit(
        scene_with(pattern(), 0.4, 0.3),
        [Target(photos[1], camera=1, name="bright")],
        [Exposure()],
        FitSettings(bounces=2),
        device=device,
    )

    result = fit.run()

    assert result.values["bright.exposure"] == pytest.approx(1.5, rel=0.01)


@pytest.mark.parametrize(
    ("exposures", "words"),
    [
        ([Exposure("absent")], "no target is called 'absent'; the targets are 'photo 0'"),
        ([Exposure(), Exposure("photo 1")], "'photo 1' has two of them"),
    ],
)
def test_wrong_exposures_are_refused(device, photos, exposures, words):
    with pytest.raises(weft.ArgumentError, match=words):
        Fit(
            scene_with(pattern(), 0.4, 0.3),
            targets(photos, exposed=True),
            [Parameter("plate.roughness"), *exposures],
            device=device,
        )


def test_bounds_of_an_exposure_are_positive():
    with pytest.raises(weft.ArgumentError, match="0 < low < high"):
        Exposure(bounds=(0.0, 2.0))
