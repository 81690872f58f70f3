# SPDX-License-Identifier: Apache-2.0
"""Closed forms under light from everywhere."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft.render import PathSettings
from weft.scene import Camera, Environment


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
        (lambda: PathSettings(filter_width=0.0), ["width above 0"]),
    ],
)
def test_settings_that_cannot_work_are_refused(make, words):
    with pytest.raises(weft.ArgumentError) as caught:
        make()

    assert [word for word in words if word not in str(caught.value)] == []


def test_a_camera_that_is_not_there_is_refused(furnace):
    with pytest.raises(weft.ArgumentError, match="no camera 'side'; the scene has 'camera'"):
        furnace.render("side")
