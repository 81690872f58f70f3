# SPDX-License-Identifier: Apache-2.0
"""The numbers in tests/golden/cycles_nodes.npz are those of this Blender's Cycles."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from support import node_cases

GOLDEN = Path(__file__).parents[1] / "golden"
CHOSEN = ("math PINGPONG", "math POWER", "math WRAP", "math SMOOTH_MIN", "math clamped")


@pytest.fixture(scope="module")
def script():
    """The script that wrote the numbers."""
    sys.path.insert(0, str(GOLDEN))
    spec = importlib.util.spec_from_file_location("cycles_nodes", GOLDEN / "cycles_nodes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(GOLDEN))


def test_cycles_still_computes_the_stored_numbers(script, tmp_path):
    cases = node_cases.math_cases()
    numbers = [k for k, case in enumerate(cases) if case.name in CHOSEN]
    assert len(numbers) == len(CHOSEN)

    found = script.render("math", [cases[k] for k in numbers], str(tmp_path))

    expected = np.load(GOLDEN / "cycles_nodes.npz")["math"][numbers]
    assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()
