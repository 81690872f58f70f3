# SPDX-License-Identifier: Apache-2.0
"""Views of a fit as Python has them: pixels, weights, and states; the rest: tests/native/fit."""

import numpy as np
import pytest

from support.view_cases import WEIGHT, change, recorder_of, views_of
from weft import ArgumentError, _native
from weft._native import box_blur
from weft.render import PathSettings
from weft.scene import Camera

HEIGHT, WIDTH = 24, 40
PIXELS = HEIGHT * WIDTH


@pytest.fixture
def views(device):
    return views_of(device, [(HEIGHT, WIDTH), (5, 7)])


def test_views_draw_the_pixels_that_count(device):
    weights = np.ones((HEIGHT, WIDTH), np.float32)
    weights[:, :11] = 0

    (view,) = views_of(device, [(HEIGHT, WIDTH)], weights=weights)

    assert np.array_equal(view.pixels, np.flatnonzero(weights))
    assert np.array_equal(view.weights, np.repeat(weights.reshape(-1, 1), 3, axis=1))
    assert (view.trust == 1).all()
    assert view.lost_count == 0


def test_views_are_a_sequence(views):
    assert len(views) == 2
    assert [len(view.pixels) for view in views] == [PIXELS, 35]
    with pytest.raises(IndexError, match="number must be below 2, got 2"):
        views[2]


def test_pixels_are_those_that_were_set(views):
    views[1].pixels = np.array([3, 5], np.uint32)

    assert views[1].pixels.tolist() == [3, 5]
    with pytest.raises(ArgumentError, match="must be below 35"):
        views[1].pixels = np.array([35], np.uint32)
    assert views[1].pixels.tolist() == [3, 5]


def test_what_is_saved_comes_back(views):
    trust, noise = np.ones(PIXELS, np.float32), np.ones(PIXELS, np.float32)
    trust[4], noise[5] = 0.25, 2
    lost = np.arange(PIXELS) == 6
    change(views, pixels=np.array([1, 4, 6], np.uint32), trust=trust, noise=noise, lost=lost)

    saved = views.save()

    names = {f"{name}.{view}" for name in ("pixels", "trust", "noise", "lost") for view in (0, 1)}
    assert set(saved) == names
    for name, value in {"trust": trust, "noise": noise, "lost": lost}.items():
        assert np.array_equal(saved[f"{name}.0"], value)
    assert views[0].weights[[4, 5, 6, 7], 0].tolist() == [WEIGHT / 2, WEIGHT / 2, 0, WEIGHT]
    assert views[0].lost_count == 1
    # What was lost since then stays lost.
    change(views, lost=np.arange(PIXELS) == 7)
    views.restore(saved)
    assert views[0].lost_count == 2
    assert views[0].pixels.tolist() == [1, 4, 6]


@pytest.mark.parametrize("name", ["trust", "noise", "lost"])
def test_states_of_other_pictures_are_refused(views, name):
    saved = views.save()
    saved["noise.0"] = np.ones(PIXELS, np.float32)
    wrong = saved | {f"{name}.0": saved[f"{name}.0"][1:]}

    with pytest.raises(ArgumentError, match="another picture than 'target'"):
        views.restore(wrong)
    with pytest.raises(ArgumentError, match=rf"no array '{name}\.1'; start anew"):
        views.restore({key: value for key, value in saved.items() if key != f"{name}.1"})


def test_a_view_without_a_recorder_is_refused(device):
    recorder, _ = recorder_of(device)
    image, mask = np.ones((4, 4, 3), np.float32), np.ones((4, 4), np.float32)
    weights = np.ones((16, 3), np.float32)
    media = np.zeros(0, np.uint32)
    camera, settings = Camera(4, 4), PathSettings()
    views, picture = _native.Views(), _native.Observation(image, mask)

    with pytest.raises(ArgumentError, match="a view needs a recorder"):
        views.add(picture, camera, settings, weights, [], media)
    with pytest.raises(ArgumentError, match="48 weights are needed"):
        views.add(picture, camera, settings, weights[1:], [(recorder.native, None)], media)
    assert len(views) == 0


@pytest.mark.parametrize("radius", [0, 1, 2, 5, 30])
def test_a_box_blur_is_the_mean_of_the_neighbours_that_there_are(radius):
    image = np.random.default_rng(3).random((9, 14, 2), np.float32)

    blurred = box_blur(image, radius)

    for row, column in ((0, 0), (4, 7), (8, 13), (0, 9)):
        rows = slice(max(row - radius, 0), row + radius + 1)
        columns = slice(max(column - radius, 0), column + radius + 1)
        expected = image[rows, columns].mean((0, 1))
        assert np.allclose(blurred[row, column], expected, atol=1e-6)
