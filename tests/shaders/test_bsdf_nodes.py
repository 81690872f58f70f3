# SPDX-License-Identifier: Apache-2.0
"""The BSDFs of single nodes: sampling, energy, reciprocity. Cycles is in test_bsdf_cycles."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import weft
from support.bsdf_checks import (
    BELOW,
    FINE,
    Asked,
    directions,
    integrate,
    refracts,
    require_samples_to_fit,
)
from weft.scene import CLOSURES

VIEW = (0.6, 0.0, 0.8)
WHITE = (1.0, 1.0, 1.0)

# One expression, and so one set of kernels, for all roughnesses and directions of a node; alpha,
# which they do not have, says from which side glass is seen.
PREPARED = {
    "diffuse": "DiffuseBSDF<kDiffuseRoughness>.prepare(inputs.baseColor, inputs.roughness, wi)",
    "glossy": "GlossyBSDF<kMultiscatter | kAnisotropy>.prepare("
    "inputs.baseColor, inputs.roughness, -0.4f, 0.1f, wi, tables)",
    "metallic": "MetallicBSDF<kMultiscatter>.prepare(inputs.baseColor, inputs.baseColor, "
    "inputs.roughness, 0.f, 0.f, float2(0.f), wi, tables)",
    "glass": "GlassBSDF<kMultiscatter>.prepare("
    "inputs.baseColor, inputs.roughness, inputs.ior, float2(0.f), wi, inputs.alpha < 0.5f, tables)",
    "refraction": "RefractionBSDF<kPlain>.prepare("
    "inputs.baseColor, inputs.roughness, inputs.ior, wi, inputs.alpha < 0.5f, tables)",
    "sheen": "SheenBSDF.prepare(inputs.baseColor, inputs.roughness, wi, tables)",
    "velvet": "VelvetBSDF.prepare(inputs.baseColor, inputs.roughness, wi)",
    "translucent": "TranslucentBSDF.prepare(inputs.baseColor)",
    # Green has no way to wander, and is diffuse.
    "subsurface": "SubsurfaceBSDF<kSubsurface>.prepare(inputs.baseColor, float3(1.f, 0.f, 0.5f), "
    "0.1f, inputs.roughness, inputs.ior, 0.f, 1.f, wi)",
}

DISTRIBUTED = {
    "glossy_beckmann": "GlossyBSDF<kBeckmann | kAnisotropy>.prepare("
    "inputs.baseColor, inputs.roughness, -0.4f, 0.1f, wi, tables)",
    "glossy_shirley": "GlossyBSDF<kShirley | kAnisotropy>.prepare("
    "inputs.baseColor, inputs.roughness, -0.4f, 0.1f, wi, tables)",
    "glass_beckmann": "GlassBSDF<kBeckmann>.prepare("
    "inputs.baseColor, inputs.roughness, inputs.ior, float2(0.f), wi, inputs.alpha < 0.5f, tables)",
}
"""Closures with another distribution than their first one."""

INSIDE = {"alpha": 0.0}
NAMES = [*PREPARED, *DISTRIBUTED, "glass_inside"]

STRAIGHT_OR_NONE = {"transparent", "emission", "medium", "none"}
"""Have no density."""

SMOOTHEST = 0.2
"""Sharper peaks fall between the points at which densities are integrated."""

FINER = {"glossy_shirley": 2 * FINE}
"""Points along a bin's side where lobes are sharper than GGX's of the same roughness.

With FINE, what midpoints find of one at a roughness of 0.2 is 5 % above the integral of its bin.
"""

AT = [
    pytest.param(
        name,
        roughness,
        cosine,
        marks=[pytest.mark.slow] * ((roughness, cosine) != (0.5, 0.8)),
    )
    for name, roughness, cosine in itertools.product(NAMES, (SMOOTHEST, 0.5, 1.0), (0.8, 0.25))
    if not (name in ("translucent", "subsurface") and roughness != 0.5)
]


def view_at(cosine, turn=0.7):
    """Return a direction so far from the normal, off the tangent."""
    sine = np.sqrt(1 - cosine**2)
    return (float(sine * np.cos(turn)), float(sine * np.sin(turn)), cosine)


def leads(name, wi):
    """Return where samples may lead."""
    if name == "glass_inside":
        # As in refracts(), with the sides exchanged.
        return lambda wo: (
            (wo[:, 2] > 0) | (wo @ np.array(wi) < -1 / 1.5 + 1e-4) & (wo[:, 2] > -1.5 * wi[2])
        )
    if name in ("glass", "glass_beckmann", "refraction"):
        return lambda wo: refracts(wo, wi, 1.5)
    return lambda wo: np.full(len(wo), True)


def node(device, name, wi=VIEW, **fields):
    side = INSIDE if name == "glass_inside" else {}
    prepare = (PREPARED | DISTRIBUTED)[name.removesuffix("_inside")]
    return Asked(device, prepare, wi, **{"baseColor": WHITE} | side | fields)


def test_every_closure_but_principled_is_asked():
    assert set(PREPARED) | STRAIGHT_OR_NONE == set(CLOSURES) - {"principled"}


@pytest.mark.sweep(9)
@pytest.mark.parametrize(("name", "roughness", "cosine"), AT)
def test_samples_follow_the_density(device, name, roughness, cosine):
    wi = view_at(cosine)

    require_samples_to_fit(
        node(device, name, wi, roughness=roughness),
        leads=leads(name, wi),
        fine=FINER.get(name, FINE),
    )


MOST = {
    # The table is that of isotropic facets.
    "glossy": 1.05,
    # The table of 16 steps also counts what refracts to above the surface, and is lost.
    "glass_inside": 1.02,
    # Its shadowing does not follow from its distribution.
    "velvet": 1.5,
}
LEAST = {
    "glossy": 0.85,
    "glossy_beckmann": 0.5,
    "glossy_shirley": 0.3,
    "glass_beckmann": 0.7,
    "glass_inside": 0.9,
    "refraction": 0.0,
    "sheen": 0.0,
    "velvet": 0.0,
}
"""Refraction and these distributions have single bounces only; sheen is a thin layer."""

WHOLE = [case for case in AT if case.values[0] != "subsurface"]
"""Without those whose light goes below, which test_light_goes_below_or_is_diffuse() counts."""


@pytest.mark.parametrize(("name", "roughness", "cosine"), WHOLE)
def test_white_scatters_all_light_and_no_more(device, name, roughness, cosine):
    wi = view_at(cosine)
    values = node(device, name, wi, roughness=roughness).eval(directions())

    total = integrate(values * leads(name, wi)(directions())[:, None])

    assert np.all(total < MOST.get(name, 1.01))
    assert np.all(total > LEAST.get(name, 0.98))


@pytest.mark.parametrize("roughness", [SMOOTHEST, 0.5, 1.0])
@pytest.mark.parametrize(
    ("name", "prepare", "above"),
    [
        ("diffuse", PREPARED["diffuse"], True),
        ("translucent", PREPARED["translucent"], False),
        # Without what facets reflect more than once: its factor depends on one direction alone.
        (
            "glossy",
            "GlossyBSDF<kAnisotropy>.prepare("
            "inputs.baseColor, inputs.roughness, -0.4f, 0.1f, wi, tables)",
            True,
        ),
        (
            "metallic",
            "MetallicBSDF<0>.prepare(inputs.baseColor, float3(0.5f, 0.7f, 0.9f), "
            "inputs.roughness, 0.f, 0.f, float2(0.f), wi, tables)",
            True,
        ),
    ],
)
def test_light_and_view_may_be_exchanged(device, name, prepare, above, roughness):
    if name == "translucent" and roughness != 0.5:
        pytest.skip("has no roughness")
    a, b = np.array([0.48, 0.36, 0.8]), np.array([-0.28, 0.0, 0.96])
    to = np.array([1, 1, 1 if above else -1])

    def value(wi, wo):
        asked = Asked(device, prepare, wi.tolist(), baseColor=(0.3, 0.5, 0.7), roughness=roughness)
        return asked.eval((wo * to).astype(np.float32)[None])[0] / wo[2]

    assert value(a, b).min() > 0
    np.testing.assert_allclose(value(a, b), value(b, a), rtol=1e-4)


@pytest.mark.parametrize("roughness", [SMOOTHEST, 0.5, 1.0])
def test_refraction_is_reciprocal_but_for_the_change_of_solid_angles(device, roughness):
    ior = 1.5
    outside, inside = np.array([0.48, 0.36, 0.8]), np.array([-0.36, -0.1, 0.0])
    inside[2] = -np.sqrt(1 - inside @ inside)
    flip = np.array([1, 1, -1])

    def value(wi, wo, **side):
        asked = node(device, "refraction", wi.tolist(), ior=ior, roughness=roughness, **side)
        return asked.eval(wo.astype(np.float32)[None])[0] / abs(wo[2])

    into, out = value(outside, inside), value(inside * flip, outside * flip, **INSIDE)

    # Walter et al. 2007, section 4.3: f / ior^2 of the side that wo is on.
    assert into.min() > 0.01
    np.testing.assert_allclose(into, out * ior**2, rtol=1e-3)


def test_velvet_has_derivatives_by_its_color_and_roughness(device):
    module = weft.Module.load_from_source(
        device,
        "velvet_gradients",
        """
        import weft.bsdf;
        [Differentiable]
        float3 shade(float3 color, float roughness, no_diff float3 wi, no_diff float3 wo)
        {
            return VelvetBSDF.prepare(color, roughness, wi).eval(wo);
        }
        """,
    )
    random = np.random.default_rng(3)
    wi, wo = (random.normal(size=(32, 3)) for _ in range(2))
    for vectors in (wi, wo):
        vectors[:, 2] = np.abs(vectors[:, 2]) + 0.2
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    color, roughness = random.random((32, 3)), random.uniform(0.2, 0.9, 32)
    given = [values.astype(np.float32) for values in (color, roughness, wi, wo)]

    check = weft.check_gradients(module.shade, *given, wrt=("color", "roughness"))

    assert check.passed, check


def test_light_goes_below_or_is_diffuse(device):
    wax = node(device, "subsurface", baseColor=(0.6, 0.3, 0.9))

    drawn = wax.draw(64)

    below = (drawn["flags"] & BELOW) != 0
    total = np.where(below[:, None], drawn["weight"], 0).mean(axis=0)
    assert 0.5 < below.mean() < 0.95
    np.testing.assert_allclose(drawn["pdf"][below], 1.5 / 1.8, rtol=1e-5)
    assert np.all(drawn["wo"][below][:, 2] < 0)
    # What enters is without the color, which the walk brings.
    np.testing.assert_allclose(total, [1, 0, 1], atol=0.02)
    np.testing.assert_allclose(integrate(wax.eval(directions())), [0, 0.3, 0], atol=1e-3)


def test_transparent_light_goes_straight(device):
    straight = Asked(device, "TransparentBSDF.prepare(float3(0.2f, 0.5f, 1.f), wi)", VIEW)

    drawn = straight.draw(2)

    np.testing.assert_allclose(drawn["wo"], -np.tile(VIEW, (4, 1)).astype(np.float32))
    np.testing.assert_allclose(drawn["weight"], np.tile([0.2, 0.5, 1.0], (4, 1)), rtol=1e-6)
    assert (drawn["flags"] == 14).all()
    assert not straight.eval(directions(8, 8)).any()


def test_what_only_shines_scatters_nothing(device):
    module = weft.Module.load_from_source(
        device,
        "scatters_nothing",
        """
        import weft.bsdf;
        import weft.render;
        float4 ask(float3 wo)
        {
            BsdfSample drawn;
            const bool found = NullBSDF.prepare().sample(float3(0.5f), drawn);
            const float density = NullBSDF.prepare().pdf(wo);
            return float4(NullBSDF.prepare().eval(wo), found ? 1.f : density);
        }
        """,
    )

    assert not module.ask(directions(8, 8), _result="numpy").any()


def test_smooth_glass_refracts_by_snells_law(device):
    pane = "GlassBSDF<0>.prepare(float3(1.f), 0.f, 1.5f, float2(0.f), wi, false, tables)"

    drawn = Asked(device, pane, VIEW).draw(16)
    passed = drawn[drawn["flags"] == 6]

    np.testing.assert_allclose(passed["wo"][:, 0], -0.6 / 1.5, rtol=1e-5)
    np.testing.assert_allclose(drawn["weight"], 1, rtol=1e-5)
    assert 0 < len(passed) < 256


@pytest.mark.parametrize("film", [(0.0, 1.33), (400.0, 0.8), (400.0, 1.7)])
@pytest.mark.parametrize("inside", [False, True])
def test_glass_between_equal_sides_has_values_and_derivatives(device, film, inside):
    module = weft.Module.load_from_source(
        device,
        "equal_sides",
        """
        import weft.bsdf;
        [Differentiable]
        float3 shade(float ior, float roughness, float2 film, no_diff float3 wi, no_diff float3 wo,
                     no_diff bool inside, no_diff BsdfTables tables)
        {
            return GlassBSDF<kMultiscatter | kThinFilm>
                .prepare(float3(0.9f), roughness, ior, film, wi, inside, tables).eval(wo);
        }
        float3 slope(float2 film, float3 wi, float3 wo, bool inside, BsdfTables tables)
        {
            return fwd_diff(shade)(diffPair(1.f, 1.f), diffPair(0.3f, 1.f),
                                   diffPair(film, float2(1.f, 1.f)), wi, wo, inside, tables).d;
        }
        """,
    )
    random = np.random.default_rng(3)
    wi = random.normal(size=(400, 3))
    wi[:, 2] = abs(wi[:, 2])
    wi = (wi / np.linalg.norm(wi, axis=1, keepdims=True)).astype(np.float32)
    wo = np.concatenate([-wi[:200], wi[:200, ::-1]])
    tables = {"data": weft.render.bsdf_tables(device)}

    values = module.shade(1.0, 0.3, film, wi, wo, inside, tables, _result="numpy")
    slopes = module.slope(film, wi, wo, inside, tables, _result="numpy")

    assert np.isfinite(values).all()
    assert np.isfinite(slopes).all()
    assert not values[:200].any()
