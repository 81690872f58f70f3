# SPDX-License-Identifier: Apache-2.0
"""The sample that the extension brings: it opens, Fit finds what it hides, its files stay."""

from __future__ import annotations

import hashlib
from pathlib import Path

import bpy
import numpy as np
import pytest

from blender.panel import draw_panel

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "addon" / "sample"
TRUTH = {
    "Glaze": {"Base Color": (0.75, 0.21, 0.05), "Metallic": 0.4, "Roughness": 0.27},
    "Table": {"Base Color": (0.10, 0.24, 0.33), "Roughness": 0.55},
}
"""As in packaging/sample/make.py."""


def content() -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in FOLDER.iterdir()}


def buttons() -> list[str]:
    return draw_panel().texts("operator")


def test_an_empty_panel_offers_the_sample(extension):
    assert "Open Sample" in buttons()

    bpy.ops.weft.open_sample()

    assert "Open Sample" not in buttons()


def test_the_sample_opens_as_a_copy_with_its_photos(extension):
    before = content()

    assert bpy.ops.weft.open_sample() == {"FINISHED"}

    assert Path(bpy.data.filepath).parent != FOLDER
    targets = bpy.context.scene.weft_fit.targets
    assert [target.camera.name for target in targets] == ["Front", "Left", "Right"]
    for target in targets:
        assert tuple(target.image.size) == (240, 180)
        assert len(target.image.pixels) > 0
    bpy.ops.wm.save_mainfile()
    assert content() == before


def test_the_sample_is_small():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 1_000_000


@pytest.mark.slow
def test_fit_finds_what_the_sample_hides(extension):
    bpy.ops.weft.open_sample()

    assert bpy.ops.weft.fit() == {"FINISHED"}

    for name, inputs in TRUTH.items():
        found = bpy.data.materials[name].node_tree.nodes["Principled BSDF"].inputs
        for key, value in inputs.items():
            number = np.ravel(found[key].default_value)[: np.size(value)]
            assert number == pytest.approx(np.ravel(value), abs=0.03), (name, key)
