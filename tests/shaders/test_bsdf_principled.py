# SPDX-License-Identifier: Apache-2.0
"""The Principled BSDF: closed forms, energy, sampling, gradients; not Cycles."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.bsdf_checks import Asked, directions, integrate, require_samples_to_fit

VIEW = (0.6, 0.0, 0.8)
WHITE = (1.0, 1.0, 1.0)

MATERIALS = {
    "dielectric": ("kOpaque", {"roughness": 0.4}),
    "metal": ("kMetal | kMultiscatter", {"metallic": 1.0, "roughness": 0.6}),
    "mixed": ("kOpaque", {"metallic": 0.5, "roughness": 0.5}),
}


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


@pytest.mark.parametrize("name", MATERIALS)
def test_samples_follow_the_density(device, name):
    features, fields = MATERIALS[name]

    require_samples_to_fit(principled(device, features, **fields))


@pytest.mark.parametrize("name", MATERIALS)
@pytest.mark.parametrize("cosine", [0.95, 0.3])
def test_no_more_light_leaves_than_comes(device, name, cosine):
    features, fields = MATERIALS[name]
    wi = (float(np.sqrt(1 - cosine**2)), 0.0, cosine)

    total = integrate(
        principled(device, features, wi, **fields | {"baseColor": WHITE}).eval(directions())
    )

    assert np.all(total < 1.005)  # Interpolation between the entries of the tables.
    assert np.all(total > 0.9)  # Nothing is black about white.


@pytest.mark.parametrize("name", MATERIALS)
def test_the_estimated_albedo_is_close(device, name):
    features, fields = MATERIALS[name]
    asked = principled(device, features, **fields)

    np.testing.assert_allclose(asked.albedo(), integrate(asked.eval(directions())), atol=0.02)


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


GRADIENTS = {
    "kOpaque": ("baseColor", "metallic", "roughness", "ior", "specularLevel", "specularTint"),
}


@pytest.mark.parametrize("features", GRADIENTS)
def test_gradients_by_every_input_agree_with_differences(device, features):
    names = GRADIENTS[features]
    random = np.random.default_rng(3)
    values = {
        "baseColor": random.uniform(0.3, 0.7, (8, 3)),
        "metallic": random.uniform(0.3, 0.7, 8),
        "roughness": random.uniform(0.4, 0.7, 8),
        "ior": random.uniform(1.3, 1.7, 8),
        "specularLevel": random.uniform(0.3, 0.7, 8),
        "specularTint": random.uniform(0.3, 0.7, (8, 3)),
    }
    types = {name: "float3" if values[name].ndim == 2 else "float" for name in names}
    parameters = ", ".join(f"{kind} {name}" for name, kind in types.items())
    module = weft.Module.load_from_source(
        device,
        "gradients",
        f"""
        import weft.bsdf;
        [Differentiable]
        float3 shade({parameters}, no_diff float3 wi, no_diff float3 wo, no_diff BsdfTables tables)
        {{
            PrincipledInputs inputs = no_diff PrincipledInputs.standard();
            {" ".join(f"inputs.{name} = {name};" for name in names)}
            return PrincipledBSDF<{features}>.prepare(inputs, wi, false, tables).eval(wo);
        }}
        """,
    )
    wi = np.array([[0.6, 0.0, 0.8]] * 8, np.float32)
    wo = np.array([[-0.36, 0.48, 0.8]] * 8, np.float32)
    given = [values[name].astype(np.float32) for name in names]
    tables = {"data": weft.render.bsdf_tables(device)}

    check = weft.check_gradients(module.shade, *given, wi, wo, tables, wrt=names, samples=8)

    assert check.passed, check.differences
