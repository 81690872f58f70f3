# SPDX-License-Identifier: Apache-2.0
"""Each kind of light against Cycles 5.0.1 (tests/golden/cycles_lights.py)."""

from pathlib import Path

import numpy as np
import pytest

import weft
from support import light_cases as cases
from support.render_scenes import lambert, placed, quad
from weft.render import PathSettings
from weft.scene import (
    AreaLight,
    Camera,
    Environment,
    Mesh,
    PointLight,
    Scene,
    SpotLight,
    SunLight,
    principled,
)

GOLDEN = np.load(Path(__file__).parents[2] / "golden" / "cycles_lights.npz")


def light_of(name):
    case = cases.CASES[name]
    if name in ("rectangle", "ellipse"):
        matrix = np.column_stack([cases.area_frame(case), case["position"]])
        return AreaLight(matrix, case["size"], name, case["power"], cases.COLOR)
    kind = {"point": PointLight, "sun": SunLight, "spot": SpotLight}[name]
    return kind(**case, color=cases.COLOR)


def scene_of(name):
    positions, triangles, normals = cases.ball()
    gloss = principled("ball", base_color=cases.BALL["base_color"], roughness=cases.ROUGHNESS)
    ball = placed(Mesh(positions, triangles, normals), gloss, move=cases.BALL["position"])
    floor = placed(quad(cases.FLOOR["size"]), lambert(cases.FLOOR["color"], "floor"))
    pose = Camera.look_at(cases.CAMERA["origin"], cases.CAMERA["target"])
    camera = Camera(cases.PIXELS, cases.PIXELS, fov=cases.CAMERA["fov"], transform=pose)
    if name == "environment":
        rotation = cases.euler_matrix(cases.CASES[name]["euler"])
        return Scene(
            [ball, floor], cameras=[camera], environment=Environment(cases.sky(), rotation)
        )
    return Scene([ball, floor], [light_of(name)], [camera])


QUICK = ("point", "environment")


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.full] * (name not in QUICK)) for name in cases.CASES],
)
def test_pictures_equal_those_of_cycles(device, name):
    settings = PathSettings(samples=512, bounces=cases.BOUNCES + 1, roulette_from=None, seed=1)

    image = weft.Renderer(device, scene_of(name)).render(settings=settings)

    expected, blocks = GOLDEN[name], cases.block_means(image)
    mean = expected.mean(axis=(0, 1))
    assert blocks.mean(axis=(0, 1)) == pytest.approx(mean, rel=0.01)
    # Blocks that the light hardly reaches are judged by the brightness of the picture; the ball
    # throws caustics, which are noisy, beside the spot's pool of light.
    error = np.abs(blocks - expected) / np.maximum(expected, mean)
    assert np.sqrt((error**2).mean()) < 0.01
    assert error.max() < 0.05
