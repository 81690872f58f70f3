# SPDX-License-Identifier: Apache-2.0
"""Paths that are drawn once and replayed."""

import re

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from weft.render import PathSettings
from weft.render.directions import Directions
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
    recorder = Recorder(
        renderer, [0], Directions(device, renderer.tables.materials, directions(renderer))
    )
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

    assert np.abs(recorder.resolve_to_host(0, 4, with_tangents=False)[0] - image).max() < 1e-5


def test_what_the_draw_does_not_have_is_refused(recorded, device):
    renderer, recorder = recorded
    values, camera = renderer.tables.values, renderer.scene.cameras[0]
    few = weft.Tensor.zeros(device, (1,))

    for words, call in {
        "samples 3 to 5 were asked for, the draw has 4": lambda: recorder.resolve(3, 2, few),
        "film must have 432": lambda: recorder.resolve(0, 4, few),
        "values must have": lambda: recorder.replay(few),
        "below width * height = 144, got 144": lambda: recorder.draw(
            camera, SETTINGS, np.array([144], np.uint32)
        ),
        "at least one number": lambda: recorder.draw(camera, SETTINGS, np.zeros(0, np.uint32)),
        "there is no draw": lambda: Recorder(renderer, [0], None).replay(values),
    }.items():
        with pytest.raises(weft.ArgumentError, match=re.escape(words)):
            call()


def test_tangents_are_differences_of_replays(recorded, device):
    renderer, recorder = recorded
    values, rows = renderer.tables.values.to_numpy(), directions(renderer)
    recorder.replay(renderer.tables.values, with_tangents=True)
    tangents = recorder.resolve_to_host(0, 4, with_tangents=True)[1:]

    for row, tangent in zip(rows, tangents, strict=True):
        sides = []
        for step in (5e-3, -5e-3):
            recorder.replay(weft.Tensor.from_numpy(device, values + np.float32(step) * row))
            sides.append(recorder.resolve_to_host(0, 4, with_tangents=False)[0])
        difference = (sides[0] - sides[1]) / 1e-2
        # Second order: the step's square times the third derivative.
        assert np.abs(difference - tangent).max() < 1e-3


@pytest.mark.full
def test_reverse_mode_is_the_transpose_of_forward_mode(recorded, device):
    renderer, recorder = recorded
    rows = directions(renderer)
    weights = np.random.default_rng(1).normal(size=(144, 3)).astype(np.float32)
    recorder.replay(renderer.tables.values, with_tangents=True)
    forward = (recorder.resolve_to_host(0, 4, with_tangents=True)[1:] * weights).sum(axis=(1, 2))

    gradients = weft.Tensor.zeros(device, (rows.shape[1],))
    recorder.replay(renderer.tables.values)
    recorder.gradients(
        renderer.tables.values, weft.Tensor.from_numpy(device, weights.ravel()), gradients
    )

    assert rows @ gradients.to_numpy() == pytest.approx(forward, rel=1e-3, abs=1e-3)


@pytest.fixture(scope="module")
def balls(device):
    """Three materials of two programs that light each other, and directions of unequal numbers.

    Directions: three of the first ball, one of both balls, one of the floor, and one that moves
    nothing.
    """
    first = principled("first", base_color=(0.8, 0.4, 0.2), roughness=0.43, metallic=0.3)
    second = principled("second", base_color=(0.2, 0.4, 0.7), roughness=0.57, metallic=0.6)
    scene = weft.Scene(
        [
            placed(sphere(), first, move=(-0.9, 0, 1)),
            placed(sphere(), second, move=(1.2, 0, 1)),
            placed(quad(8), lambert((0.6, 0.5, 0.4), "floor")),
        ],
        cameras=[Camera(12, 12, transform=Camera.look_at((0, -6, 4), (0, 0, 0.7)))],
        environment=Environment(np.random.default_rng(5).random((4, 8, 3))),
    )
    renderer = weft.Renderer(device, scene)
    ranges = renderer.tables.materials.ranges
    rows = np.zeros((6, renderer.tables.values.shape[0]), np.float32)
    rows[0, ranges["first.roughness"].first] = 1
    rows[1, ranges["floor.color"].first : ranges["floor.color"].first + 3] = 1
    rows[2, ranges["first.metallic"].first] = 1
    rows[3, [ranges["first.base_color"].first + 1, ranges["second.roughness"].first]] = 0.5, -1
    rows[5, ranges["first.base_color"].first + 2] = 1
    return renderer, rows


def tangents_of(renderer, rows):
    materials = renderer.tables.materials
    directions = Directions(renderer.device, materials, rows)
    recorder = Recorder(renderer, range(3), directions)
    recorder.draw(renderer.scene.cameras[0], SETTINGS)
    recorder.replay(renderer.tables.values, with_tangents=True)
    return recorder, recorder.resolve_to_host(0, 4, with_tangents=True)


def test_directions_of_several_materials_are_those_of_each_alone(balls):
    renderer, rows = balls
    recorder, film = tangents_of(renderer, rows)

    assert recorder.directions.most == 4
    assert (film[5] == 0).all()
    for row, tangent in zip(rows, film[1:], strict=True):
        alone = tangents_of(renderer, row[None])[1][1]
        assert np.abs(alone - tangent).max() <= 1e-6 * max(np.abs(alone).max(), 1e-6)


def test_directions_of_several_materials_are_differences(balls, device):
    renderer, rows = balls
    recorder, film = tangents_of(renderer, rows)
    values = renderer.tables.values.to_numpy()

    for row, tangent in zip(rows, film[1:], strict=True):
        sides = []
        for step in (5e-3, -5e-3):
            recorder.replay(weft.Tensor.from_numpy(device, values + np.float32(step) * row))
            sides.append(recorder.resolve_to_host(0, 4, with_tangents=False)[0])
        assert np.abs((sides[0] - sides[1]) / 1e-2 - tangent).max() < 2e-3


@pytest.mark.full
def test_other_directions_compile_nothing(balls, device, tmp_path):
    renderer, rows = balls
    with weft.create_device(type=device.info.type, cache_directory=tmp_path) as own:
        counts = []
        for some in (rows[:2], rows, rows[2:3]):
            tangents_of(weft.Renderer(own, renderer.scene), some)
            counts.append(sum(path.is_file() for path in (tmp_path / "slang").rglob("*")))

    assert counts[0] > 8
    assert counts == [counts[0]] * 3
