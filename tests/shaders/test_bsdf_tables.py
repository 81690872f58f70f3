# SPDX-License-Identifier: Apache-2.0
"""The file of the BSDFs' tables: its layout, and entries integrated again."""

from __future__ import annotations

import re

import numpy as np
import pytest

from weft.render import bsdf_integrals
from weft.render.bsdf_layout import LAYOUT
from weft.render.bsdf_tables import tables_path

SLANG = {
    "albedo": "kAlbedoTable",
    "mean_albedo": "kMeanAlbedoTable",
    "schlick": "kSchlickTable",
    "schlick_of_five": "kSchlickOfFiveTable",
    "glass": "kGlassTable",
    "glass_mean": "kGlassMeanTable",
    "glass_inside": "kGlassInsideTable",
    "glass_inside_mean": "kGlassInsideMeanTable",
    "sheen": "kSheenTable",
    "thin_film": "kFilmTable",
}


@pytest.fixture(scope="module")
def tables():
    row = np.load(tables_path())
    sizes = [int(np.prod(shape)) for shape in LAYOUT.values()]
    parts = np.split(row, np.cumsum(sizes)[:-1])
    assert len(row) == sum(sizes)
    return {
        name: part.reshape(shape) for (name, shape), part in zip(LAYOUT.items(), parts, strict=True)
    }


def test_slang_and_python_agree_on_offsets():
    text = tables_path().with_name("tables.slang").read_text()
    offsets = dict(re.findall(r"static const int (\w+) = (\d+);", text))
    sizes = [int(np.prod(shape)) for shape in LAYOUT.values()]

    expected = dict(zip(LAYOUT, np.cumsum([0, *sizes[:-1]]), strict=True))

    assert {name: int(offsets[SLANG[name]]) for name in LAYOUT} == expected


@pytest.mark.parametrize(("rough", "cosine"), [(3, 30), (16, 16), (31, 31), (20, 0)])
def test_albedos_are_integrals(tables, rough, cosine):
    fine = bsdf_integrals.nodes(32)

    again = bsdf_integrals.albedo(fine[rough], fine[cosine])

    assert tables["albedo"][cosine, rough] == pytest.approx(again, abs=1e-6)


def test_the_mean_albedo_is_that_of_the_albedos(tables):
    cosine = np.linspace(0, 1, 32)

    mean = np.trapezoid(2 * cosine[:, None] * tables["albedo"], cosine, axis=0)

    np.testing.assert_allclose(tables["mean_albedo"], mean, atol=1e-3)  # 32 steps


@pytest.mark.parametrize(("rough", "cosine"), [(2, 14), (8, 8), (15, 3)])
def test_fresnel_terms_and_glass_are_integrals(tables, rough, cosine):
    coarse = bsdf_integrals.nodes(16)
    iors = bsdf_integrals.ior_of(bsdf_integrals.nodes(16, 0.99))
    at = (coarse[rough], coarse[cosine])

    expected = {
        "schlick": bsdf_integrals.schlick_weight(*at, iors),
        "glass": bsdf_integrals.glass_albedo(*at, iors),
        "glass_inside": bsdf_integrals.glass_albedo(*at, 1 / iors),
    }

    for name, values in expected.items():
        np.testing.assert_allclose(tables[name][:, cosine, rough], values, atol=1e-6)


def test_a_film_without_thickness_has_no_colour(tables):
    np.testing.assert_allclose(tables["thin_film"][0], [1, 1, 1, 0, 0, 0], atol=1e-6)


def test_sheen_is_brightest_where_light_grazes(tables):
    a, _b, albedo = tables["sheen"]

    assert np.all(np.diff(albedo[8:], axis=1) < 1e-3)
    assert np.all((albedo >= 0) & (albedo < 1))
    assert np.all(a[1:] > 0)
