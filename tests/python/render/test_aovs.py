# SPDX-License-Identifier: Apache-2.0
"""What cameras see beside the picture."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft.render import AOVS, PathSettings
from weft.scene import Camera, Closure, Environment, Material, Mix, principled

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
        "alpha": 1,
    }


def test_alpha_is_what_is_covered(device, picture):
    row = picture["alpha"][8, :, 0]
    assert row[:16].tolist() == [1] * 16
    assert row[16] == 0
    assert 0 < row[17] < 1  # of which the ball covers a part
    assert row[24] == 1


def test_alpha_counts_what_lets_light_pass(device):
    half = Material(
        "veil", Mix(Closure("transparent"), Closure("diffuse", color=(1.0, 1.0, 1.0)), 0.75)
    )
    scene = weft.Scene(
        [
            placed(quad(2), half, move=(-1, 0, 0)),
            placed(quad(2), half, move=(-1, 0, -1)),
            placed(quad(1), lambert((1, 1, 1), "wall"), move=(-1, 0, -2)),
        ],
        cameras=[
            Camera(
                8, 8, "orthographic", scale=4.0, transform=np.column_stack([np.eye(3), [0, 0, 3]])
            )
        ],
        environment=Environment(np.array([0.5, 0.25, 0.125])),
    )
    settings = PathSettings(samples=1024, bounces=2, shows_environment=False)
    renderer = weft.Renderer(device, scene)

    hidden = renderer.render(settings=settings, aovs=["alpha"])
    shown = renderer.render(settings=PathSettings(samples=1024, bounces=2))

    assert hidden["alpha"][4, 2, 0] == 1
    assert hidden["alpha"][2, 0, 0] == pytest.approx(1 - 0.25**2, abs=0.02)
    assert (hidden["alpha"][:, 5:] == 0).all()
    assert (hidden["color"][:, 5:] == 0).all()
    beyond = (1 - hidden["alpha"]) * np.float32([0.5, 0.25, 0.125])
    np.testing.assert_allclose(hidden["color"] + beyond, shown, atol=0.02)


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
