# SPDX-License-Identifier: Apache-2.0
"""Pictures of the documents are what their scripts draw."""

from __future__ import annotations

import runpy

import pytest

from checks.source_tree import ROOT

IMAGES = ROOT / "docs" / "images"
PICTURES = runpy.run_path(str(IMAGES / "draw_gradients.py"))["PICTURES"]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_its_script_draws(name):
    assert (IMAGES / name).read_text() == PICTURES[name]()
