# SPDX-License-Identifier: Apache-2.0
"""What the wheel carries beside code. Skipped where weft is imported from a build."""

from __future__ import annotations

import os
from importlib import metadata

import pytest


@pytest.fixture(scope="module")
def files():
    """The wheel's files by their name."""
    try:
        wheel = metadata.distribution("weft")
    except metadata.PackageNotFoundError:
        pytest.skip("weft is not installed from a wheel here")
    return {path.name: path for path in wheel.files}


def test_each_bundled_library_has_its_licence_in_the_wheel(files):
    licences = files["third_party.txt"].read_text()
    bundled = [path for path in files.values() if path.parent.name == "lib"]

    assert "Apache License" in files["LICENSE"].read_text()
    assert len(bundled) == 2
    for path in bundled:
        assert "-".join(path.name.split(".")[0].split("-")[:2]) in licences


def test_the_compiler_process_may_be_started(files):
    assert os.access(files["weft-compiler"].locate(), os.X_OK)
