# SPDX-License-Identifier: Apache-2.0
"""What cameras see beside the picture."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft.render import AOVS, PathSettings
from weft.scene import Camera, Environment, principled

SETTINGS = PathSettings(samples=64, bounces=1)


@pytest.fixture(scope="module")
def picture(device):
    """A sphere beside a square, seen from above by an orthographic camera."""
    scene = weft.Scene(
        [
            placed(quad(2), lambert((0.2, 0.4, 0.6), "floor"), move=(-1, 0, 0)),
            placed(sphere(0.8), principled("ball", base_color=(0.5, 0.5, 0.5)), move=(1, 0, 0)),
        ],
        cameras=[
            Camera(
                32,
                16,
                "orthographic",
                scale=4.0,
                transform=np.column_stack([np.eye(3), [0, 0, 3]]),
            )
        ],
        environment=Environment(np.ones(3)),
    )
    return weft.Renderer(device, scene).render(settings=SETTINGS, aovs=AOVS)


def test_the_picture_comes_with_its_layers(picture):
    assert {name: image.shape[2] for name, image in picture.items()} == {
        "color": 3,
        "albedo": 3,
        "normal": 3,
        "depth": 1,
        "uv": 2,
        "object": 1,
        "material": 1,
    }


def test_numbers_name_objects_and_nothing(picture):
    row = picture["object"][8, :, 0]

    assert row[:16].tolist() == [0] * 16
    assert row[24] == 1
    assert row[16] == -1
    assert np.array_equal(picture["material"], picture["object"])


def test_depth_is_measured_along_the_view(picture):
    x = (24 + 0.5) / 32 * 4 - 2 - 1
    y = 2 * (0.5 - 8.5 / 16)

    assert picture["depth"][8, 3, 0] == pytest.approx(3)
    assert picture["depth"][8, 24, 0] == pytest.approx(3 - np.sqrt(0.64 - x**2 - y**2), abs=5e-3)
    assert np.isinf(picture["depth"][0, 16, 0])


def test_albedo_and_normals_are_those_of_the_surface(picture):
    assert picture["albedo"][8, 3] == pytest.approx([0.2, 0.4, 0.6], abs=1e-5)
    assert picture["normal"][8, 3] == pytest.approx([0, 0, 1], abs=1e-5)
    x = (28 + 0.5) / 32 * 4 - 3
    assert picture["normal"][8, 28, 0] == pytest.approx(x / 0.8, abs=0.02)


def test_uv_is_that_of_the_pixels_centre(picture):
    assert picture["uv"][8, 3] == pytest.approx([3.5 / 16, 1 - 8.5 / 16], abs=1e-4)


def test_an_unknown_aov_is_refused(device):
    scene = weft.Scene(cameras=[Camera(2, 2)], environment=Environment(np.ones(3)))

    with pytest.raises(weft.ArgumentError, match="no AOV 'mist'; it is one of albedo, normal"):
        weft.Renderer(device, scene).render(aovs=["mist"])
