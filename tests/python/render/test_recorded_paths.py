# SPDX-License-Identifier: Apache-2.0
"""Paths that are drawn once and replayed."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft.render import PathSettings
from weft.render.record import Recorder
from weft.scene import Camera, Environment, principled

SETTINGS = PathSettings(samples=4, bounces=3, roulette_from=None, seed=3)


@pytest.fixture(scope="module")
def recorded(device):
    """A scene with a recorder of the sphere's material, and the paths of one picture.

    The roughness lies between two knots of the tables, where derivatives jump.
    """
    gloss = principled("gloss", base_color=(0.8, 0.4, 0.2), roughness=0.43, metallic=0.3)
    scene = weft.Scene(
        [placed(sphere(), gloss, move=(0, 0, 1)), placed(quad(8), lambert())],
        cameras=[Camera(12, 12, transform=Camera.look_at((0, -6, 4), (0, 0, 0.7)))],
        environment=Environment(np.random.default_rng(5).random((4, 8, 3))),
    )
    renderer = weft.Renderer(device, scene)
    recorder = Recorder(renderer, [0], 2)
    recorder.draw(scene.cameras[0], SETTINGS)
    return renderer, recorder


def directions(renderer):
    """Two directions in the space of parameters."""
    ranges = renderer.tables.materials.ranges
    rows = np.zeros((2, renderer.tables.values.shape[0]), np.float32)
    rows[0, ranges["gloss.base_color"].first + 1] = 1
    rows[1, ranges["gloss.roughness"].first] = 1
    rows[1, ranges["gloss.metallic"].first] = -0.5
    return rows


def test_replayed_paths_give_the_rendered_picture(recorded):
    renderer, recorder = recorded
    image = renderer.render(settings=SETTINGS).reshape(-1, 3)

    recorder.replay(renderer.tables.values)

    assert np.abs(recorder.develop(0, 4, with_tangents=False)[0] - image).max() < 1e-5


def test_tangents_are_differences_of_replays(recorded, device):
    renderer, recorder = recorded
    values, rows = renderer.tables.values.to_numpy(), directions(renderer)
    recorder.replay(renderer.tables.values, weft.Tensor.from_numpy(device, rows))
    tangents = recorder.develop(0, 4, with_tangents=True)[1:]

    for row, tangent in zip(rows, tangents, strict=True):
        sides = []
        for step in (5e-3, -5e-3):
            recorder.replay(weft.Tensor.from_numpy(device, values + np.float32(step) * row))
            sides.append(recorder.develop(0, 4, with_tangents=False)[0])
        difference = (sides[0] - sides[1]) / 1e-2
        # Second order: the step's square times the third derivative.
        assert np.abs(difference - tangent).max() < 1e-3


def test_reverse_mode_is_the_transpose_of_forward_mode(recorded, device):
    renderer, recorder = recorded
    rows = directions(renderer)
    weights = np.random.default_rng(1).normal(size=(144, 3)).astype(np.float32)
    recorder.replay(renderer.tables.values, weft.Tensor.from_numpy(device, rows))
    forward = (recorder.develop(0, 4, with_tangents=True)[1:] * weights).sum(axis=(1, 2))

    gradients = weft.Tensor.zeros(device, (rows.shape[1],))
    recorder.replay(renderer.tables.values)
    recorder.gradients(
        renderer.tables.values, weft.Tensor.from_numpy(device, weights.ravel()), gradients
    )

    assert rows @ gradients.to_numpy() == pytest.approx(forward, rel=1e-3, abs=1e-3)
