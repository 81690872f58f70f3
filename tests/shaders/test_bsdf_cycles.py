# SPDX-License-Identifier: Apache-2.0
"""The BSDFs against Cycles, 5.0.1 (GGX without compensation: 4.5.15), pair by pair without noise.

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
    "all_ggx": "kAllFeatures & ~kMultiscatter",
}

NODES = {
    "node_diffuse": "DiffuseBSDF<kDiffuseRoughness>.prepare(color, roughness, wi)",
    "node_glossy": "GlossyBSDF<kMultiscatter | kAnisotropy>"
    ".prepare(color, roughness, anisotropy, rotation, wi, tables)",
    "node_metallic": "MetallicBSDF<kMultiscatter | kAnisotropy>.prepare("
    "color, edgeTint, roughness, anisotropy, rotation, float2(0.f), wi, tables)",
    "node_glass": "GlassBSDF<kMultiscatter>"
    ".prepare(color, roughness, ior, float2(0.f), wi, back, tables)",
    "node_refraction": "RefractionBSDF<kPlain>.prepare(color, roughness, ior, wi, back, tables)",
    "node_sheen": "SheenBSDF.prepare(color, roughness, wi, tables)",
    "node_translucent": "TranslucentBSDF.prepare(color)",
    "node_velvet": "VelvetBSDF.prepare(color, roughness, wi)",
    "node_glossy_ggx": "GlossyBSDF<kAnisotropy>"
    ".prepare(color, roughness, anisotropy, rotation, wi, tables)",
    "node_metallic_ggx": "MetallicBSDF<kAnisotropy>.prepare("
    "color, edgeTint, roughness, anisotropy, rotation, float2(0.f), wi, tables)",
    "node_glass_ggx": "GlassBSDF<kPlain>"
    ".prepare(color, roughness, ior, float2(0.f), wi, back, tables)",
    "node_glossy_beckmann": "GlossyBSDF<kBeckmann | kAnisotropy>"
    ".prepare(color, roughness, anisotropy, rotation, wi, tables)",
    "node_glossy_shirley": "GlossyBSDF<kShirley | kAnisotropy>"
    ".prepare(color, roughness, anisotropy, rotation, wi, tables)",
    "node_metallic_beckmann": "MetallicBSDF<kBeckmann | kAnisotropy>.prepare("
    "color, edgeTint, roughness, anisotropy, rotation, float2(0.f), wi, tables)",
    "node_glass_beckmann": "GlassBSDF<kBeckmann>"
    ".prepare(color, roughness, ior, float2(0.f), wi, back, tables)",
    "node_refraction_beckmann": "RefractionBSDF<kBeckmann>"
    ".prepare(color, roughness, ior, wi, back, tables)",
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


def evaluate_node(device, name):
    inputs = bsdf_cases.draw(name).inputs
    parameters = "".join(
        f"{'float3' if values.ndim == 2 else 'float'} {field}, " for field, values in inputs.items()
    )
    module = weft.Module.load_from_source(
        device,
        f"cycles_{name}",
        f"""
        import weft.bsdf;
        float3 evaluate({parameters}float3 wi, float3 wo, bool back, BsdfTables tables)
        {{
            return {NODES[name]}.eval(wo);
        }}
        """,
    )
    cases = bsdf_cases.draw(name)
    tables = {"data": weft.render.bsdf_tables(device)}
    wi, wo = cases.wi.astype(np.float32), cases.wo.astype(np.float32)
    given = cases.inputs.values()
    return module.evaluate(*given, wi, wo, cases.backfacing, tables, _result="numpy")


@pytest.mark.sweep(9)
@pytest.mark.parametrize("name", [*FEATURES, *NODES])
def test_values_are_those_of_cycles(device, name):
    expected = np.load(GOLDEN / f"bsdf_{name}.npy")

    values = evaluate_node(device, name) if name in NODES else evaluate(device, name)

    size = np.maximum(expected.max(axis=1, keepdims=True), 1e-3)
    assert np.abs((values - expected) / size).max() < TOLERANCE


def test_every_set_is_compared():
    assert set(FEATURES) | set(NODES) == set(bsdf_cases.SETS)


def test_the_albedo_under_a_white_sky_is_that_of_cycles(device):
    module = weft.Module.load_from_source(
        device,
        "furnace",
        """
        import weft.bsdf;
        float3 reflect(PrincipledInputs inputs, float3 wi, BsdfTables tables, float3 u)
        {
            BsdfSample drawn;
            typealias Layered = PrincipledBSDF<kOpaque | kCoat | kSheen>;
            Layered.prepare(inputs, wi, false, tables).sample(u, drawn);
            return drawn.weight;
        }
        """,
    )
    inputs = bsdf_cases.furnace_inputs()
    columns = {name: values[:, None] for name, values in inputs.items()}
    u = np.random.default_rng(0).random((128, 128, 3), dtype=np.float32)
    u[..., 0] = (u[..., 0] + np.arange(128)[:, None]) / 128
    u[..., 1] = (u[..., 1] + np.arange(128)) / 128
    given = module.PrincipledInputs.standard() | columns
    tables = {"data": weft.render.bsdf_tables(device)}

    weights = module.reflect(
        given, bsdf_cases.FURNACE_VIEW, tables, u.reshape(1, -1, 3), _result="numpy"
    )

    expected = np.load(GOLDEN / "bsdf_furnace.npy")
    # Cycles' noise is about 5e-4, that of 16384 samples here 1e-3.
    np.testing.assert_allclose(weights.mean(axis=1), expected, atol=4e-3)
    assert np.abs(weights.mean(axis=1) - expected).mean() < 1e-3
