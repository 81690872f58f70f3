# SPDX-License-Identifier: Apache-2.0
"""The Principled BSDF: closed forms, energy, sampling, gradients; not Cycles."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.bsdf_checks import Asked, directions, integrate, refracts, require_samples_to_fit

VIEW = (0.6, 0.0, 0.8)
WHITE = (1.0, 1.0, 1.0)

TILTED = (0.2, -0.1, float(np.sqrt(0.95)))

ROUGH, LAYERED = (
    "kOpaque | kDiffuseRoughness | kAnisotropy",
    "kOpaque | kCoat | kCoatNormal | kSheen",
)

MATERIALS = {
    "dielectric": ("kOpaque", {"roughness": 0.4}),
    "metal": ("kOpaque", {"metallic": 1.0, "roughness": 0.6}),
    "mixed": ("kOpaque", {"metallic": 0.5, "roughness": 0.5}),
    "rough_base": (ROUGH, {"diffuseRoughness": 0.8}),
    "brushed": (
        ROUGH,
        {"metallic": 1.0, "roughness": 0.6, "anisotropic": 0.7, "anisotropicRotation": 0.1},
    ),
    "orange_peel": (
        LAYERED,
        {"coatWeight": 0.8, "coatRoughness": 0.4, "coatNormal": TILTED},
    ),
    "fuzzy": (LAYERED, {"sheenWeight": 1.0, "sheenRoughness": 0.4}),
    "film": ("kOpaque | kThinFilm", {"metallic": 0.5, "thinFilmThickness": 400.0}),
    "glass": ("kOpaque | kGlass | kAlpha", {"transmissionWeight": 0.8, "alpha": 0.6}),
    # Lobes with normals of their own lead below the surface, too: see tests of normals.
    "everything": (
        "kAllFeatures - kNormal",
        {
            "metallic": 0.3,
            "diffuseRoughness": 0.5,
            "anisotropic": 0.5,
            "coatWeight": 0.5,
            "coatRoughness": 0.3,
            "coatNormal": TILTED,
            "sheenWeight": 0.5,
            "thinFilmThickness": 300.0,
            "transmissionWeight": 0.5,
            "alpha": 0.8,
        },
    ),
}

EACH = [
    pytest.param(name, marks=pytest.mark.slow if name == "everything" else ()) for name in MATERIALS
]


def principled(device, features, wi=VIEW, **fields):
    prepare = f"PrincipledBSDF<{features}>.prepare(inputs, wi, false, tables)"
    return Asked(device, prepare, wi, **fields)


def test_without_a_dielectric_interface_the_base_is_lambert(device):
    base = principled(device, "kOpaque", specularLevel=0.0, baseColor=(0.2, 0.5, 0.7))
    wo = directions(16, 8)

    values = base.eval(wo)

    expected = np.maximum(wo[:, 2:], 0) / np.pi * [0.2, 0.5, 0.7]
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("roughness", [0.0, 0.05, 0.3, 0.6, 1.0])
def test_white_metal_reflects_all_light(device, roughness):
    metal = principled(
        device, "kMetal | kMultiscatter", metallic=1.0, roughness=roughness, baseColor=WHITE
    )

    drawn = metal.draw(256)
    mean = np.where(drawn["flags"][:, None] != 0, drawn["weight"], 0).mean(axis=0)

    # The table's interpolation and the noise of 65536 samples.
    np.testing.assert_allclose(mean, 1, atol=2e-3)


@pytest.mark.parametrize("cosine", [1.0, 0.5, 0.1])
def test_a_mirror_reflects_what_fresnel_says(device, cosine):
    wi = (float(np.sqrt(1 - cosine**2)), 0.0, cosine)
    mirror = principled(device, "kOpaque", wi, roughness=0.0, baseColor=(0.0, 0.0, 0.0))

    drawn = mirror.draw(8)
    drawn = drawn[drawn["flags"] == 5]

    inner = np.sqrt(1 - (1 - cosine**2) / 1.5**2)
    s = (cosine - 1.5 * inner) / (cosine + 1.5 * inner)
    p = (1.5 * cosine - inner) / (1.5 * cosine + inner)
    np.testing.assert_allclose(drawn["wo"], [[-wi[0], 0, cosine]] * len(drawn), atol=1e-6)
    np.testing.assert_allclose(drawn["weight"], (s * s + p * p) / 2, rtol=1e-4)
    assert (drawn["pdf"] == 0).all()
    assert len(drawn) == 64


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", EACH)
def test_samples_follow_the_density(device, name):
    features, fields = MATERIALS[name]

    require_samples_to_fit(
        principled(device, features, **fields), leads=lambda wo: refracts(wo, VIEW, 1.5)
    )


@pytest.mark.sweep(3)
@pytest.mark.slow
@pytest.mark.parametrize(("roughness", "cosine"), [(0.2, 0.8), (1.0, 0.25)])
@pytest.mark.parametrize("name", MATERIALS)
def test_samples_follow_the_density_at_other_roughnesses_and_angles(
    device, name, roughness, cosine
):
    features, fields = MATERIALS[name]
    sine = float(np.sqrt(1 - cosine**2))
    wi = (sine * 0.8, sine * 0.6, cosine)

    require_samples_to_fit(
        principled(device, features, wi, **fields | {"roughness": roughness}),
        leads=lambda wo: refracts(wo, wi, 1.5),
    )


MIN_AND_MOST = {"glass": (0.9, 1.02), "film": (0.7, 1.005), "everything": (0.7, 1.005)}
"""Of the light: glass has tables of 16 steps; a film colours the light."""


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("cosine", [0.95, 0.3])
def test_no_more_light_leaves_than_comes(device, name, cosine):
    features, fields = MATERIALS[name]
    wi = (float(np.sqrt(1 - cosine**2)), 0.0, cosine)

    asked = principled(device, features, wi, **fields | {"baseColor": WHITE})
    values = asked.eval(directions()) * refracts(directions(), wi, 1.5)[:, None]
    total = integrate(values) + (1 - fields.get("alpha", 1))

    assert np.all(total < MIN_AND_MOST.get(name, (0.9, 1.005))[1])
    assert np.all(total > MIN_AND_MOST.get(name, (0.9, 1.005))[0])


@pytest.mark.parametrize("name", EACH)
def test_the_estimated_albedo_is_close(device, name):
    features, fields = MATERIALS[name]
    asked = principled(device, features, **fields)

    weights = asked.draw(64)["weight"].mean(axis=0)

    # It decides how often lobes are sampled; Cycles' estimate differs by as much.
    np.testing.assert_allclose(asked.albedo(), weights, atol=0.08)


def test_light_and_view_may_be_exchanged_where_facets_reflect_once(device):
    a, b = np.array([0.48, 0.36, 0.8]), np.array([-0.28, 0.0, 0.96])

    def metal(wi, wo):
        asked = principled(device, "kMetal", wi.tolist(), metallic=1.0, roughness=0.4)
        return asked.eval(wo.astype(np.float32)[None])[0] / wo[2]

    np.testing.assert_allclose(metal(a, b), metal(b, a), rtol=1e-5)


def test_nothing_is_seen_from_below_or_reflected_there(device):
    below = directions()
    below = below[below[:, 2] < 0]

    assert not principled(device, "kOpaque").eval(below).any()
    assert not principled(device, "kOpaque").pdf(below).any()


RANGES = {
    "baseColor": (0.3, 0.7),
    "metallic": (0.3, 0.7),
    "roughness": (0.4, 0.7),
    "ior": (1.3, 1.7),
    "specularLevel": (0.3, 0.7),
    "specularTint": (0.3, 0.7),
    "alpha": (0.4, 0.8),
    "diffuseRoughness": (0.3, 0.7),
    "anisotropic": (0.2, 0.6),
    "anisotropicRotation": (0.1, 0.4),
    "transmissionWeight": (0.3, 0.7),
    "coatWeight": (0.3, 0.7),
    "coatRoughness": (0.3, 0.7),
    "coatIor": (1.3, 1.7),
    "coatTint": (0.3, 0.7),
    "coatNormal": (0.8, 1.0),
    "sheenWeight": (0.3, 0.7),
    "sheenRoughness": (0.3, 0.7),
    "sheenTint": (0.3, 0.7),
    "thinFilmThickness": (0.2, 0.5),
    "thinFilmIor": (1.2, 1.6),
}
"""Away from the ends, where derivatives are one-sided; the film in micrometres, near 1."""

SCALES = {"thinFilmThickness": " * 1000.f"}
COLORS = {"baseColor", "specularTint", "coatTint", "coatNormal", "sheenTint"}


def values_and_module(device, features, names, count=8):
    """Draw inputs and load a function of them, one parameter each."""
    random = np.random.default_rng(3)
    values = {}
    for name in names:
        shape = (count, 3) if name in COLORS else (count,)
        values[name] = random.uniform(*RANGES[name], shape).astype(np.float32)
    if "coatNormal" in values:
        values["coatNormal"] *= np.array([0.2, 0.2, 1.0], np.float32)
    types = {name: "float3" if name in COLORS else "float" for name in names}
    parameters = ", ".join(f"{kind} {name}" for name, kind in types.items())
    module = weft.Module.load_from_source(
        device,
        f"gradients_{names[-1]}",
        f"""
        import weft.bsdf;
        [Differentiable]
        float3 shade({parameters}, no_diff float3 wi, no_diff float3 wo, no_diff BsdfTables tables)
        {{
            PrincipledInputs inputs = no_diff PrincipledInputs.standard();
            {" ".join(f"inputs.{name} = {name}{SCALES.get(name, '')};" for name in names)}
            return PrincipledBSDF<{features}>.prepare(inputs, wi, false, tables).eval(wo);
        }}
        """,
    )
    return list(values.values()), module


ON_GLASS = ("alpha", "transmissionWeight")
LAYERS = [name for name in RANGES if name.startswith(("coat", "sheen"))]
GRADIENTS = {
    "base": (f"{ROUGH} | kThinFilm", [n for n in RANGES if n not in (*LAYERS, *ON_GLASS)], 0.8),
    "layers": (LAYERED, ["roughness", *LAYERS], 0.8),
    "glass": (
        "kDielectric | kMultiscatter | kGlass | kAlpha",
        ["baseColor", "roughness", "ior", "specularTint", *ON_GLASS],
        -0.8,
    ),
}
"""Features, inputs, and the cosine of the other direction."""


def test_every_input_is_differentiated():
    assert {name for _, names, _ in GRADIENTS.values() for name in names} == set(RANGES)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name != "glass" else ()) for name in GRADIENTS],
)
def test_gradients_by_every_input_agree_with_differences(device, name):
    features, names, cosine = GRADIENTS[name]
    given, module = values_and_module(device, features, names)
    directions = [np.array([v] * 8, np.float32) for v in (VIEW, (-0.36, 0.48, cosine))]
    tables = {"data": weft.render.bsdf_tables(device)}

    # A difference across a kink, an entry of a table, lies between two slopes.
    check = weft.check_gradients(
        module.shade, *given, *directions, tables, wrt=names, samples=4, tolerance=0.03
    )

    assert check.passed, check.differences
