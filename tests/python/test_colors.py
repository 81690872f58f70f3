# SPDX-License-Identifier: Apache-2.0
"""weft.colors: the curve of sRGB and its derivative, and the luminance, in Python as in Slang."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.colors import linear_from_srgb, luminance, srgb_derivative, srgb_from_linear


def test_the_curve_meets_known_values():
    encoded = np.array([0.0, 0.02, 0.5, 1.0])

    # IEC 61966-2-1, by hand
    expected = [0, 0.02 / 12.92, ((0.5 + 0.055) / 1.055) ** 2.4, 1]
    assert linear_from_srgb(encoded) == pytest.approx(expected, rel=1e-6)


def test_encoding_undoes_decoding_beyond_0_and_1_too():
    values = np.linspace(-2, 3, 997).astype(np.float32)

    assert linear_from_srgb(srgb_from_linear(values)) == pytest.approx(values, rel=1e-5, abs=1e-6)


def test_the_derivative_is_that_of_the_curve():
    light = np.array([0.001, 0.0029, 0.0035, 0.04, 0.5, 1.0, 2.0])
    size = light * 1e-3

    high, low = srgb_from_linear(light + size), srgb_from_linear(light - size)
    measured = (high.astype(np.float64) - low) / (2 * size)

    assert srgb_derivative(light) == pytest.approx(measured, rel=1e-3)


def test_the_luminance_of_slang_has_the_same_weights(device):
    module = weft.Module.load_from_source(
        device, "grey", "import weft.render;\nfloat grey(float3 c) { return luminance(c); }\n"
    )

    for axis in np.eye(3):
        assert module.grey(tuple(axis)) == pytest.approx(float(luminance(axis)), rel=1e-6)
