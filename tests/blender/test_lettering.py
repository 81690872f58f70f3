# SPDX-License-Identifier: Apache-2.0
"""Text for pictures from Blender's fonts."""

import bpy  # noqa: F401  (blf comes with it)
import numpy as np
from addon.blender.lettering import LETTERS, blender_lettering


def test_letters_are_drawn_and_differ():
    draw = blender_lettering()

    shapes = {letter: draw(letter, 36) for letter in LETTERS}

    assert all(mask.shape[0] == 36 for mask in shapes.values())
    assert all(mask.sum() > 5 for letter, mask in shapes.items() if letter != " ")
    assert shapes[" "].max() == 0
    assert shapes["W"].shape[1] > shapes["i"].shape[1]
    assert not np.array_equal(shapes["b"], shapes["d"])


def test_a_line_is_as_wide_as_its_letters_and_scales():
    draw = blender_lettering()

    line = draw("error 4 %", 36)

    assert line.shape[1] == sum(draw(letter, 36).shape[1] for letter in "error 4 %")
    assert draw("error 4 %", 18).shape == (18, round(line.shape[1] / 2))
    assert 0 <= line.min() <= line.max() <= 1
