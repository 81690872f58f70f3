# SPDX-License-Identifier: Apache-2.0
"""./dev test knows which of the selected tests run inside Blender."""

from __future__ import annotations

import pytest

from dev.blender import split_selection


@pytest.mark.parametrize(
    ("arguments", "inside", "outside"),
    [
        (["-x"], None, ["-x"]),
        (["tests/python", "-x"], None, ["tests/python", "-x"]),
        (["tests/blender/test_a.py", "-x"], ["tests/blender/test_a.py", "-x"], None),
        (["tests/blender", "tests/addon"], ["tests/blender"], ["tests/addon"]),
    ],
)
def test_selected_paths_decide_where_tests_run(arguments, inside, outside):
    assert split_selection(arguments) == (inside, outside)
