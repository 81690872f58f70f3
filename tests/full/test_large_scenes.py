# SPDX-License-Identifier: Apache-2.0
"""Acceleration structures of a size that takes seconds to build."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "build/dev/tests/native/scene/weft_test_scene"


@pytest.mark.full
def test_ten_million_triangles_make_a_tree() -> None:
    done = subprocess.run([PROGRAM, "[.large]"], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
