# SPDX-License-Identifier: Apache-2.0
"""Light from everywhere: closed forms, and albedos against Cycles."""

from pathlib import Path

import numpy as np
import pytest

import weft
from support import bsdf_cases
from support.render_scenes import lambert, placed, quad, sphere
from weft.render import PathSettings
from weft.scene import Camera, Environment, principled

GOLDEN = Path(__file__).parents[2] / "golden" / "bsdf_furnace.npy"
ROWS = 4


@pytest.fixture(scope="module")
def furnace(device):
    """A sphere on a plane, both white, in white light."""
    white = lambert((1, 1, 1))
    scene = weft.Scene(
        [placed(sphere(), white, move=(0, 0, 1)), placed(quad(8), white)],
        cameras=[Camera(16, 16, transform=Camera.look_at((0, -6, 4), (0, 0, 0.7)))],
        environment=Environment(np.ones(3)),
    )
    return weft.Renderer(device, scene)


def test_white_surfaces_in_white_light_cannot_be_seen(furnace):
    image = furnace.render(settings=PathSettings(samples=256, bounces=24))

    assert image.mean() == pytest.approx(1, abs=2e-3)
    # The noise of single pixels: a corner between both, where many bounces meet.
    assert np.abs(image - 1).max() < 0.1


@pytest.fixture(scope="module")
def swatches(device):
    """The materials of the grid side by side, seen as `FURNACE_VIEW` sees them."""
    inputs = bsdf_cases.furnace_inputs()
    count = len(inputs["roughness"])
    objects = [
        placed(
            quad(1),
            principled(
                f"swatch {i}",
                roughness=float(inputs["roughness"][i]),
                metallic=float(inputs["metallic"][i]),
                coat_weight=float(inputs["coatWeight"][i]),
                sheen_weight=float(inputs["sheenWeight"][i]),
            ),
            scale=(1, 10, 1),
            move=(i + 0.5, 0, 0),
        )
        for i in range(count)
    ]
    x, _, z = bsdf_cases.FURNACE_VIEW
    pose = Camera.look_at((count / 2, -20 * x, 20 * z), (count / 2, 0, 0))
    camera = Camera(count, ROWS, "orthographic", scale=float(count), transform=pose)
    scene = weft.Scene(objects, cameras=[camera], environment=Environment(np.ones(3)))
    return weft.Renderer(device, scene)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("samples", "most"), [(8192, 0.002), pytest.param(65536, 0.0012, marks=pytest.mark.full)]
)
def test_principled_albedos_are_those_of_cycles(swatches, samples, most):
    settings = PathSettings(samples=samples, bounces=1, roulette_from=None)

    albedo = swatches.render(settings=settings).mean(axis=0)

    # The noise of Cycles is about 3e-4, that of 8192 samples 5e-4; of both, the largest of 60.
    assert np.abs(albedo - np.load(GOLDEN)).max() < most


def test_equal_seeds_give_equal_pictures_and_others_do_not(furnace):
    first, again, other = (
        furnace.render(settings=PathSettings(samples=4, bounces=3, seed=seed)) for seed in (1, 1, 2)
    )

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_pictures_of_successive_samples_average_to_the_picture_of_all(furnace):
    halves = [
        furnace.render(settings=PathSettings(samples=8, bounces=3, first_sample=first))
        for first in (0, 8)
    ]
    whole = furnace.render(settings=PathSettings(samples=16, bounces=3))

    assert np.allclose((halves[0] + halves[1]) / 2, whole, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("batch", [100, 1000])
def test_pictures_do_not_depend_on_the_size_of_batches(furnace, device, batch):
    settings = PathSettings(samples=8, bounces=3)
    small = weft.Renderer(device, furnace.scene, batch=batch)

    assert np.allclose(
        small.render(settings=settings), furnace.render(settings=settings), atol=1e-6
    )


def test_an_empty_scene_shows_its_environment(device):
    sky = Environment(np.array([0.25, 0.5, 1.0]))
    scene = weft.Scene(cameras=[Camera(4, 2)], environment=sky)

    image = weft.Renderer(device, scene).render(settings=PathSettings(samples=2))

    assert np.allclose(image, (0.25, 0.5, 1.0))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PathSettings(samples=0), ["samples", "got 0"]),
        (lambda: PathSettings(bounces=-1), ["bounces", "-1"]),
        (lambda: PathSettings(filter="gauss"), ["blackman_harris", "'gauss'"]),
        (lambda: PathSettings(filter_width=0.0), ["filter_width", "above 0", "got 0"]),
    ],
)
def test_settings_that_cannot_work_are_refused(make, words):
    with pytest.raises(weft.ArgumentError) as caught:
        make()

    assert [word for word in words if word not in str(caught.value)] == []


def test_a_camera_that_is_not_there_is_refused(furnace):
    with pytest.raises(weft.ArgumentError, match="no camera 'side'; the scene has 'camera'"):
        furnace.render("side")
