# SPDX-License-Identifier: Apache-2.0
"""./dev test knows which of the selected tests run inside Blender."""

from __future__ import annotations

import pytest

from dev import blender
from dev.blender import split_selection
from dev.project import ROOT


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


def test_each_file_runs_in_one_blender_at_least():
    files = {str(p.relative_to(ROOT)) for p in (ROOT / blender.FOLDER).glob("test_*.py")}
    named = [name for names in blender.IN_ONE_BLENDER.values() for name in names]
    runs = [blender.files_of(b, is_shared=True, is_reversed=False) for b in blender.BLENDERS]

    assert {f"{blender.FOLDER}/{name}.py" for name in named} <= files
    assert len(named) == len(set(named))
    assert set().union(*runs) == files
    assert all(len(run) < len(files) for run in runs)
    assert all(
        set(blender.files_of(b, is_shared=False, is_reversed=True)) == files
        for b in blender.BLENDERS
    )
