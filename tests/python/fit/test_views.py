# SPDX-License-Identifier: Apache-2.0
"""Which pixels of a photo a fit draws, and what it makes of a first look at few of them."""

import numpy as np
import pytest

from weft._native import box_blur, counted_pixels
from weft.fit import Target
from weft.fit.views import View
from weft.scene import Camera

HEIGHT, WIDTH = 24, 40


def view_of(weights):
    image = np.ones((HEIGHT, WIDTH, 3), np.float32)
    flat = np.repeat(weights.reshape(-1, 1), 3, axis=1).astype(np.float32)
    return View(
        Target(image),
        Camera(WIDTH, HEIGHT),
        [],
        [],
        image.reshape(-1, 3),
        flat,
        counted_pixels(flat),
    )


def test_a_lattice_of_pixels_that_count_is_drawn():
    weights = np.ones((HEIGHT, WIDTH))
    weights[:, :11] = 0
    view = view_of(weights)

    view.show_all(4)

    rows, columns = np.divmod(view.pixels, WIDTH)
    assert set(rows) == set(range(0, HEIGHT, 4))
    assert set(columns) == set(range(12, WIDTH, 4))


def test_a_lattice_that_misses_all_that_counts_is_none():
    weights = np.zeros((HEIGHT, WIDTH))
    weights[1:3, 1:3] = 1
    view = view_of(weights)

    view.show_all(4)

    assert view.pixels.tolist() == [WIDTH + 1, WIDTH + 2, 2 * WIDTH + 1, 2 * WIDTH + 2]


def test_a_lattice_tells_what_all_pixels_tell_of_something_smooth():
    view = view_of(np.ones((HEIGHT, WIDTH)))
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
    smooth = (1 + np.sin(rows / 9) + columns / WIDTH).ravel()
    full = view.spread(smooth, 6)

    view.show_all(3)
    found = view.spread(smooth[view.pixels], 6)

    assert np.abs(found / full - 1).max() < 0.1


def test_nothing_is_known_where_nothing_is_drawn_nearby():
    view = view_of(np.ones((HEIGHT, WIDTH)))
    view.pixels = np.array([0], np.uint32)

    found = view.spread(np.array([3.0]), 2).reshape(HEIGHT, WIDTH)

    assert np.allclose(found[:3, :3], 3, rtol=1e-5)
    found[:3, :3] = 0
    assert not found.any()


@pytest.mark.parametrize("radius", [0, 1, 2, 5, 30])
def test_a_box_blur_is_the_mean_of_the_neighbours_that_there_are(radius):
    image = np.random.default_rng(3).random((9, 14, 2), np.float32)

    blurred = box_blur(image, radius)

    for row, column in ((0, 0), (4, 7), (8, 13), (0, 9)):
        rows = slice(max(row - radius, 0), row + radius + 1)
        columns = slice(max(column - radius, 0), column + radius + 1)
        expected = image[rows, columns].mean((0, 1))
        assert np.allclose(blurred[row, column], expected, atol=1e-6)
