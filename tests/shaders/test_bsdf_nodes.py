# SPDX-License-Identifier: Apache-2.0
"""The BSDFs of single nodes: sampling, energy, straight light. Cycles is in test_bsdf_cycles."""

from __future__ import annotations

import numpy as np
import pytest

from support.bsdf_checks import Asked, directions, integrate, refracts, require_samples_to_fit

VIEW = (0.6, 0.0, 0.8)

PREPARED = {
    "diffuse": "DiffuseBSDF<kDiffuseRoughness>.prepare(float3(1.f), 0.7f, wi)",
    "glossy": "GlossyBSDF<kMultiscatter | kAnisotropy>"
    ".prepare(float3(1.f), 0.6f, -0.4f, 0.1f, wi, tables)",
    "metallic": "MetallicBSDF<kMultiscatter>.prepare("
    "float3(1.f), float3(1.f), 0.5f, 0.f, 0.f, float2(0.f), wi, tables)",
    "glass": "GlassBSDF<kMultiscatter>"
    ".prepare(float3(1.f), 0.5f, 1.5f, float2(0.f), wi, false, tables)",
    "glass_inside": "GlassBSDF<kMultiscatter>"
    ".prepare(float3(1.f), 0.5f, 1.5f, float2(0.f), wi, true, tables)",
    "refraction": "RefractionBSDF.prepare(float3(1.f), 0.5f, 1.5f, wi, false, tables)",
    "sheen": "SheenBSDF.prepare(float3(1.f), 0.5f, wi, tables)",
    "translucent": "TranslucentBSDF.prepare(float3(1.f))",
}

ALBEDOS = {
    # Single bounces only; the rest is lost between the facets.
    "refraction": (0.85, 1.0),
    # The table is that of isotropic facets.
    "glossy": (0.9, 1.01),
    "sheen": (0.0, 0.5),
    # The table of 16 steps also counts what refracts to above the surface, and is lost.
    "glass_inside": (0.9, 1.02),
}


def leads(name):
    """Return where samples may lead."""
    if name == "glass_inside":
        return lambda wo: (wo[:, 2] > 0) | (wo @ np.array(VIEW) < -1 / 1.5 + 1e-4)
    if name in ("glass", "refraction"):
        return lambda wo: refracts(wo, VIEW, 1.5)
    return lambda wo: np.full(len(wo), True)


@pytest.mark.parametrize("name", PREPARED)
def test_samples_follow_the_density(device, name):
    require_samples_to_fit(Asked(device, PREPARED[name], VIEW), leads=leads(name))


@pytest.mark.parametrize("name", PREPARED)
def test_white_scatters_all_light_and_no_more(device, name):
    values = Asked(device, PREPARED[name], VIEW).eval(directions())

    total = integrate(values * leads(name)(directions())[:, None])

    least, most = ALBEDOS.get(name, (0.99, 1.01))
    assert np.all(total > least)
    assert np.all(total < most)


def test_transparent_light_goes_straight(device):
    straight = Asked(device, "TransparentBSDF.prepare(float3(0.2f, 0.5f, 1.f), wi)", VIEW)

    drawn = straight.draw(2)

    np.testing.assert_allclose(drawn["wo"], -np.tile(VIEW, (4, 1)).astype(np.float32))
    np.testing.assert_allclose(drawn["weight"], np.tile([0.2, 0.5, 1.0], (4, 1)), rtol=1e-6)
    assert (drawn["flags"] == 6).all()
    assert not straight.eval(directions(8, 8)).any()


def test_smooth_glass_refracts_by_snells_law(device):
    pane = "GlassBSDF<0>.prepare(float3(1.f), 0.f, 1.5f, float2(0.f), wi, false, tables)"

    drawn = Asked(device, pane, VIEW).draw(16)
    passed = drawn[drawn["flags"] == 6]

    np.testing.assert_allclose(passed["wo"][:, 0], -0.6 / 1.5, rtol=1e-5)
    np.testing.assert_allclose(drawn["weight"], 1, rtol=1e-5)
    assert 0 < len(passed) < 256
