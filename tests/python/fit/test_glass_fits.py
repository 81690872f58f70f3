# SPDX-License-Identifier: Apache-2.0
"""How much of a surface is glass, from pictures of it."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.scene import Camera, Environment, PointLight, principled

TRUTH = 0.8
BOUNCES = 6


def scene_with(transmission, roughness):
    """A glassy ball on a floor under a spotted sky."""
    ball = principled(
        "ball",
        base_color=(0.9, 0.7, 0.5),
        roughness=roughness,
        transmission_weight=transmission,
        ior=1.5,
    )
    return weft.Scene(
        [
            placed(sphere(), ball, move=(0, 0, 1)),
            placed(quad(8), lambert((0.3, 0.5, 0.2)), name="floor"),
        ],
        [PointLight((2, -3, 4), power=300.0)],
        [Camera(32, 24, transform=Camera.look_at((0, -5, 3), (0, 0, 0.8)))],
        Environment(np.random.default_rng(3).uniform(0.1, 1.5, (8, 16, 3))),
    )


@pytest.fixture(scope="module")
def photos(device):
    """A picture for each roughness."""
    settings = PathSettings(samples=512, bounces=BOUNCES, roulette_from=None, seed=9)
    return {
        roughness: weft.Renderer(device, scene_with(TRUTH, roughness)).render(settings=settings)
        for roughness in (0.0, 0.5)
    }


@pytest.mark.full
@pytest.mark.parametrize(
    "start", [0.0, 1.0, *[pytest.param(start, marks=pytest.mark.full) for start in (0.2, 0.5)]]
)
@pytest.mark.parametrize("roughness", [0.0, pytest.param(0.5, marks=pytest.mark.full)])
def test_transmission_is_found_from_everywhere(device, photos, roughness, start):
    fit = Fit(
        scene_with(start, roughness),
        [Target(photos[roughness])],
        [Parameter("ball.transmission_weight")],
        FitSettings(bounces=BOUNCES, seed=1),
        device=device,
    )

    result = fit.run()

    assert result.values["ball.transmission_weight"] == pytest.approx([TRUTH], abs=0.02)
    assert result.errors["ball.transmission_weight"] < 0.02
    assert not result.undetermined
