# SPDX-License-Identifier: Apache-2.0
"""Faces that lie in other faces are found; those that touch are not."""

from __future__ import annotations

import numpy as np
import pytest
from addon.core.coincident import MAX_TRIANGLES, coincident

SQUARE = np.float32([[[0, 0, 0], [1, 0, 0], [1, 1, 0]], [[0, 0, 0], [1, 1, 0], [0, 1, 0]]])
TURN = np.float32([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])


def turned(square):
    return (square[:, ::-1]).copy()


def owners_of(*squares, numbers=None):
    corners = np.concatenate(squares) @ TURN.T + np.float32([3, -2, 5])
    numbers = range(len(squares)) if numbers is None else numbers
    return coincident(
        corners.astype(np.float32), np.repeat(list(numbers), [len(s) for s in squares])
    )


def grid(count, height=0.0):
    """Return squares side by side."""
    steps = np.stack(np.meshgrid(np.arange(count), np.arange(count), [height]), -1).reshape(-1, 3)
    return (SQUARE[None] + steps[:, None, None]).reshape(-1, 3, 3).astype(np.float32)


def test_a_face_that_lies_in_another_is_found():
    strip = SQUARE * np.float32([1, 0.05, 1]) + np.float32([0.3, 0.97, 0])

    assert owners_of(SQUARE, strip) == {0, 1}
    assert owners_of(SQUARE, turned(strip), numbers=[4, 4]) == {4}


def test_what_touches_is_not_named():
    beside = SQUARE + np.float32([1, 0, 0])
    above = SQUARE + np.float32([0, 0, 0.01])
    upright = SQUARE[:, :, [0, 2, 1]]

    assert owners_of(SQUARE, beside, above, upright, numbers=[0, 0, 0, 0]) == set()


def test_what_stands_on_a_floor_is_not_named():
    assert owners_of(SQUARE, turned(SQUARE * 0.5)) == set()


@pytest.mark.parametrize("count", [10, 60])
def test_planes_of_many_triangles_are_sampled(count):
    floor = grid(count)

    assert owners_of(floor) == set()
    assert owners_of(floor, floor) == {0, 1}


def test_large_scenes_are_left_alone():
    many = np.broadcast_to(SQUARE[:1], (MAX_TRIANGLES + 1, 3, 3))

    assert coincident(many, np.zeros(len(many), np.int64)) == set()
    assert coincident(SQUARE[:0], np.zeros(0, np.int64)) == set()


def test_slivers_have_no_plane():
    sliver = np.float32([[[0, 0, 0], [0.1, 0.1, 0], [1e-7, 0, 0]]])

    assert owners_of(sliver, sliver, numbers=[0, 0]) == set()
