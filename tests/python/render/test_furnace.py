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
    assert np.abs(image - 1).max() < 0.06


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
