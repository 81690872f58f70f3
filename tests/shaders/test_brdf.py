# SPDX-License-Identifier: Apache-2.0
"""shaders/demo/brdf.slang: identities that every BRDF of its kind satisfies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft

SHADERS = Path(weft.__file__).parent / "shaders" / "demo"
NORMAL = [0.0, 0.0, 1.0]


@pytest.fixture(scope="module")
def brdf(device):
    return weft.Module.load_from_file(device, SHADERS / "brdf.slang")


def hemisphere(rows=200, columns=200):
    """Directions (N, 3) about +z and their solid angles (N,): midpoints in cos(theta)^2, phi."""
    u = (np.arange(rows) + 0.5) / rows
    phi = (np.arange(columns) + 0.5) * (2 * np.pi / columns)
    cosine, phi = (a.ravel() for a in np.meshgrid(np.sqrt(u), phi, indexing="ij"))
    sine = np.sqrt(1 - cosine**2)
    directions = np.stack([sine * np.cos(phi), sine * np.sin(phi), cosine], axis=-1)
    return directions.astype(np.float32), np.pi / (rows * columns) / cosine


def direction(theta, phi=0.0):
    return np.array(
        [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], np.float32
    )


@pytest.mark.parametrize("alpha", [0.1, 0.3, 1.0])
def test_microfacet_normals_project_onto_the_surface(brdf, alpha):
    u = (np.arange(100_000) + 0.5) / 100_000
    cosine = np.sqrt(u)

    density = brdf.ggxDistribution(cosine.astype(np.float32), alpha, _result="numpy")

    # The integral of D cos over the hemisphere is that of pi D over cos^2.
    assert np.pi * density.astype(np.float64).mean() == pytest.approx(1.0, abs=2e-3)


def test_a_white_surface_reflects_no_more_than_it_receives(brdf):
    lights, solid_angles = hemisphere()
    for roughness in (0.3, 0.6, 1.0):
        for metallic in (0.0, 1.0):
            values = brdf.evalBrdf(
                NORMAL,
                direction(0.8),
                lights,
                [1.0, 1.0, 1.0],
                roughness,
                metallic,
                _result="numpy",
            )

            albedo = (values * solid_angles[:, None]).sum(axis=0)
            # The base reflects what a smooth interface lets through, a rough one a little more.
            assert np.all(albedo <= 1.005), (roughness, metallic)
            # One bounce between microfacets loses at most 63 % of the light.
            assert np.all(albedo > 0.37), (roughness, metallic)


def test_exchanging_light_and_view_changes_only_the_cosine(brdf):
    a, b = direction(0.3, 0.4), direction(1.1, 2.0)

    forth = np.array(brdf.evalBrdf(NORMAL, a, b, [0.7, 0.5, 0.2], 0.4, 0.3)) / b[2]
    back = np.array(brdf.evalBrdf(NORMAL, b, a, [0.7, 0.5, 0.2], 0.4, 0.3)) / a[2]

    np.testing.assert_allclose(forth, back, rtol=1e-5)  # a few float operations in another order


def test_nothing_is_reflected_from_below_the_surface(brdf):
    below = [0.0, 0.6, -0.8]

    assert list(brdf.evalBrdf(NORMAL, NORMAL, below, [1.0, 1.0, 1.0], 0.5, 0.0)) == [0, 0, 0]
    assert list(brdf.evalBrdf(NORMAL, below, NORMAL, [1.0, 1.0, 1.0], 0.5, 0.0)) == [0, 0, 0]


def test_fresnel_is_f0_head_on_and_one_at_grazing(brdf):
    f0 = np.array([0.04, 0.5, 0.9], np.float32)

    np.testing.assert_allclose(np.array(brdf.schlickFresnel(f0, 1.0)), f0, rtol=1e-6)
    np.testing.assert_allclose(np.array(brdf.schlickFresnel(f0, 0.0)), 1.0, rtol=1e-6)


def test_the_sphere_fills_the_unit_disc_and_takes_a_roughness_per_pixel(brdf):
    x, y = np.meshgrid(np.linspace(-1.2, 1.2, 65), np.linspace(-1.2, 1.2, 65))
    uv = np.stack([x, y], axis=-1).astype(np.float32)
    roughness = np.linspace(0.2, 1.0, x.size, dtype=np.float32).reshape(x.shape)

    image = brdf.shadeSphere(uv, [0.8, 0.8, 0.8], roughness, _result="numpy")

    assert image.shape == (65, 65, 3)
    inside = x**2 + y**2 < 0.99
    assert np.all(image[x**2 + y**2 > 1.01] == 0)
    assert np.all(image[inside & (y > 0)] > 0)
    assert np.all(np.isfinite(image))
