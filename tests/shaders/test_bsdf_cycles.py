# SPDX-License-Identifier: Apache-2.0
"""The Principled BSDF against Cycles 5.0.1, direction by direction and without noise.

``tests/golden/cycles_bsdf.py`` measured the files; ``support/bsdf_cases.py`` has the materials.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft
from support import bsdf_cases

GOLDEN = Path(__file__).parents[1] / "golden"

FEATURES = {
    "base": "kOpaque",
    "single": "kMetal | kDielectric",
    "diffuse": "kOpaque | kDiffuseRoughness",
    "anisotropic": "kOpaque | kAnisotropy",
    "coat": "kOpaque | kCoat",
    "coat_normal": "kOpaque | kCoat | kCoatNormal",
    "sheen": "kOpaque | kSheen",
    "film": "kOpaque | kThinFilm",
    "glass": "kOpaque | kGlass",
    "all": "kAllFeatures",
}

TOLERANCE = 2e-4
"""Of the brightest channel. Cycles' tables are sums of random samples with six decimals, up to 7e-5
beside the integral; its distribution of smooth facets cancels digits that this one keeps."""


def evaluate(device, name):
    module = weft.Module.load_from_source(
        device,
        f"cycles_{name}",
        f"""
        import weft.bsdf;
        float3 evaluate(PrincipledInputs inputs, float3 wi, float3 wo, bool back, BsdfTables tables)
        {{
            return PrincipledBSDF<{FEATURES[name]}>.prepare(inputs, wi, back, tables).eval(wo);
        }}
        """,
    )
    cases = bsdf_cases.draw(name)
    inputs = module.PrincipledInputs.standard() | cases.inputs
    tables = {"data": weft.render.bsdf_tables(device)}
    wi, wo = cases.wi.astype(np.float32), cases.wo.astype(np.float32)
    return module.evaluate(inputs, wi, wo, cases.backfacing, tables, _result="numpy")


@pytest.mark.parametrize("name", FEATURES)
def test_values_are_those_of_cycles(device, name):
    expected = np.load(GOLDEN / f"bsdf_{name}.npy")

    values = evaluate(device, name)

    size = np.maximum(expected.max(axis=1, keepdims=True), 1e-3)
    assert np.abs((values - expected) / size).max() < TOLERANCE


def test_every_set_is_compared():
    assert set(FEATURES) == set(bsdf_cases.SETS)
