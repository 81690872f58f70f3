# SPDX-License-Identifier: Apache-2.0
"""Normals, holes and light of materials against Cycles 5.0.1 (tests/golden/cycles_surfaces.py)."""

from pathlib import Path

import numpy as np
import pytest

import weft
from support import light_cases
from support import surface_cases as cases
from support.render_scenes import lambert, placed, quad
from weft.render import PathSettings
from weft.scene import (
    Bump,
    Camera,
    Closure,
    Environment,
    Material,
    Mesh,
    NormalMap,
    PointLight,
    Scene,
    Texture,
)

GOLDEN = np.load(Path(__file__).parents[2] / "golden" / "cycles_surfaces.npz")


def driver(entry):
    """What drives an input."""
    texture = Texture(cases.PIXELS[entry["kind"]]())
    if entry["kind"] == "normal_map":
        return NormalMap(texture, entry["strength"])
    if entry["kind"] == "bump":
        return Bump(texture, entry["strength"], entry["distance"])
    return texture


def scene_of(name):
    kind, numbers, drivers = cases.CASES[name]
    inputs = numbers | {key: driver(entry) for key, entry in drivers.items()}
    positions, triangles, normals = light_cases.ball()
    mesh = Mesh(positions, triangles, normals, {"UVMap": cases.ball_uvs()})
    pose = Camera.look_at(light_cases.CAMERA["origin"], light_cases.CAMERA["target"])
    pixels = light_cases.PIXELS
    ball = Material("ball", Closure(kind, **inputs), name not in cases.OPAQUE_SHADOWS)
    return Scene(
        [
            placed(mesh, ball, move=light_cases.BALL["position"]),
            placed(quad(light_cases.FLOOR["size"]), lambert(light_cases.FLOOR["color"], "floor")),
        ],
        [PointLight(**cases.LIGHT)],
        [Camera(pixels, pixels, fov=light_cases.CAMERA["fov"], transform=pose)],
        Environment(np.full(3, cases.SKY)),
    )


QUICK = ("normal_map", "alpha")


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.full] * (name not in QUICK)) for name in cases.CASES],
)
def test_pictures_equal_those_of_cycles(device, name):
    settings = PathSettings(
        samples=256, bounces=light_cases.BOUNCES + 1, roulette_from=None, seed=1
    )

    image = weft.Renderer(device, scene_of(name)).render(settings=settings)

    expected, blocks = GOLDEN[name], light_cases.block_means(image)
    mean = expected.mean(axis=(0, 1))
    assert blocks.mean(axis=(0, 1)) == pytest.approx(mean, rel=0.005)
    error = np.abs(blocks - expected) / np.maximum(expected, mean)
    assert np.sqrt((error**2).mean()) < 0.01
    assert error.max() < 0.04
