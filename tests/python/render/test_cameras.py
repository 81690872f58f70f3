# SPDX-License-Identifier: Apache-2.0
"""Rays of cameras, against Cycles 5.0.1 and a projection computed in numpy; pixel filters."""

import math
from pathlib import Path

import numpy as np
import pytest

import weft
from support import camera_cases as cases
from support.render_scenes import lambert, placed, quad
from weft.render import PathSettings
from weft.scene import Camera, Environment

GOLDEN = Path(__file__).parents[2] / "golden" / "cycles_cameras.npz"
WIDTH, HEIGHT = 6, 4
POSE = Camera.look_at((1, -3, 2), (0.2, 0.1, 0.3))


@pytest.fixture(scope="module")
def renderer(device):
    return weft.Renderer(
        device, weft.Scene([placed(quad(), lambert())], environment=Environment(np.ones(3)))
    )


def rays_of(renderer, camera, samples=1, *, filter_width=1e-6, kind="box"):
    """Origins, directions, near and far of all samples of all pixels, in the camera's space."""
    settings = PathSettings(samples=samples, filter=kind, filter_width=filter_width)
    pixels = camera.width * camera.height
    buffers = renderer.buffers(pixels * samples)
    step = renderer.step_settings(settings, (0, pixels), (0, samples))
    renderer.generate(camera, settings, buffers, step, pixels * samples)
    rows = buffers.rays.to_numpy().reshape(8, -1)[:, : pixels * samples].astype(np.float64)
    turn, at = camera.transform[:, :3], camera.transform[:, 3]
    return (rows[0:3].T - at) @ turn, rows[4:7].T @ turn, rows[3], rows[7]


def pixel_centres():
    """Column and row of each pixel's centre, from the upper left corner."""
    row, column = np.divmod(np.arange(WIDTH * HEIGHT), WIDTH)
    return column + 0.5, row + 0.5


@pytest.mark.parametrize("fit", ["auto", "horizontal", "vertical"])
@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.3, -0.2)])
def test_perspective_rays_go_through_the_centres_of_pixels(renderer, fit, shift):
    camera = Camera(WIDTH, HEIGHT, fov=0.9, sensor_fit=fit, shift=shift, transform=POSE)
    side = HEIGHT if fit == "vertical" else WIDTH
    extent = 2 * math.tan(0.45)

    origins, directions, _, _ = rays_of(renderer, camera)
    film = directions[:, :2] / -directions[:, 2:]

    column, row = pixel_centres()
    assert np.allclose(origins, 0, atol=1e-6)
    assert np.allclose(np.linalg.norm(directions, axis=1), 1, atol=1e-6)
    assert np.allclose(
        film[:, 0], (column - WIDTH / 2) / side * extent + shift[0] * extent, atol=1e-5
    )
    assert np.allclose(
        film[:, 1], (HEIGHT / 2 - row) / side * extent + shift[1] * extent, atol=1e-5
    )


@pytest.mark.parametrize("name", cases.CASES)
def test_pixels_look_where_those_of_cycles_look(renderer, name):
    case = dict(cases.CASES[name])
    pose = Camera.look_at(cases.ORIGIN, cases.TARGET)
    camera = Camera(*case.pop("size"), transform=pose, **case)

    origins, directions, _, _ = rays_of(renderer, camera)
    turn, at = camera.transform[:, :3], camera.transform[:, 3]
    seen = cases.wall_positions(origins @ turn.T + at, directions @ turn.T)

    # Of a box of 8 metres; Cycles' filter is a hundredth of a pixel wide.
    expected = np.load(GOLDEN)[name].reshape(-1, 3)
    assert np.abs(seen - expected).max() < 0.01


def test_orthographic_rays_are_parallel(renderer):
    camera = Camera(WIDTH, HEIGHT, "orthographic", scale=3.0, shift=(0.1, 0), transform=POSE)

    origins, directions, _, _ = rays_of(renderer, camera)

    column, row = pixel_centres()
    assert np.allclose(directions, (0, 0, -1), atol=1e-6)
    assert np.allclose(origins[:, 0], (column - WIDTH / 2) / WIDTH * 3 + 0.3, atol=1e-5)
    assert np.allclose(origins[:, 1], (HEIGHT / 2 - row) / WIDTH * 3, atol=1e-5)


def test_equirectangular_rays_cover_the_sphere(renderer):
    camera = Camera(WIDTH, HEIGHT, "equirectangular", transform=POSE)

    _, directions, _, _ = rays_of(renderer, camera)

    column, row = pixel_centres()
    longitude = (column / WIDTH - 0.5) * 2 * math.pi
    assert np.allclose(np.arctan2(directions[:, 0], -directions[:, 2]), longitude, atol=1e-5)
    assert np.allclose(np.arcsin(directions[:, 1]), (0.5 - row / HEIGHT) * math.pi, atol=1e-5)


def test_rays_through_a_lens_meet_in_the_sharp_plane(renderer):
    camera = Camera(WIDTH, HEIGHT, aperture=0.2, focus=2.5, transform=POSE)

    origins, directions, _, _ = rays_of(renderer, camera, 64)
    t = (-2.5 - origins[:, 2]) / directions[:, 2]
    meeting = (origins + t[:, None] * directions).reshape(-1, 64, 3)

    radius = np.hypot(origins[:, 0], origins[:, 1])
    assert np.ptp(meeting, axis=1).max() < 1e-5
    assert radius.max() <= 0.2 + 1e-6
    # Uniform over the disc: half of the area lies within radius / sqrt(2).
    assert (radius < 0.2 / math.sqrt(2)).mean() == pytest.approx(0.5, abs=0.02)


def test_clip_distances_are_measured_along_the_view(renderer):
    camera = Camera(WIDTH, HEIGHT, fov=1.5, near=1.0, far=5.0, transform=POSE)

    _, directions, near, far = rays_of(renderer, camera)

    assert np.allclose(near * -directions[:, 2], 1, atol=1e-5)
    assert np.allclose(far * -directions[:, 2], 5, atol=1e-5)


def blackman_harris_variance():
    x = np.linspace(0, 1, 20001)
    window = sum(
        c * np.cos(2 * math.pi * k * x)
        for k, c in enumerate((0.35875, -0.48829, 0.14128, -0.01168))
    )
    return (window * (x - 0.5) ** 2).sum() / window.sum()


@pytest.mark.parametrize(
    ("kind", "variance"),
    [("box", 1 / 12), ("tent", 1 / 24), ("blackman_harris", blackman_harris_variance())],
)
def test_filters_spread_samples_with_their_mean_and_variance(renderer, kind, variance):
    width = 3.0
    camera = Camera(WIDTH, HEIGHT, "orthographic", scale=float(WIDTH))

    origins, _, _, _ = rays_of(renderer, camera, 256, filter_width=width, kind=kind)
    column, row = (np.repeat(values, 256) for values in pixel_centres())
    offsets = np.stack([origins[:, 0] - (column - WIDTH / 2), HEIGHT / 2 - row - origins[:, 1]])

    assert np.abs(offsets).max() <= width / 2 + 1e-5
    assert np.allclose(offsets.mean(axis=1), 0, atol=0.01)
    assert np.allclose(offsets.var(axis=1), width**2 * variance, rtol=0.02)
