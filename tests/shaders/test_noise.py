# SPDX-License-Identifier: Apache-2.0
"""shaders/demo/noise.slang against a reference in numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft

SHADERS = Path(weft.__file__).parent / "shaders" / "demo"


@pytest.fixture(scope="module")
def noise(device):
    return weft.Module.load_from_file(device, SHADERS / "noise.slang")


def pcg2d(cell):
    with np.errstate(over="ignore"):
        x, y = (
            part * np.uint32(1664525) + np.uint32(1013904223) for part in np.moveaxis(cell, -1, 0)
        )
        x += y * np.uint32(1664525)
        y += x * np.uint32(1664525)
        x, y = x ^ (x >> np.uint32(16)), y ^ (y >> np.uint32(16))
        x += y * np.uint32(1664525)
    return x ^ (x >> np.uint32(16))


def reference_noise(p):
    """Gradient noise in double precision, p of shape (N, 2)."""
    corner = np.floor(p)
    f = p - corner
    weight = f**3 * (f * (f * 6 - 15) + 10)

    def corner_value(offset):
        bits = pcg2d((corner.astype(np.int64) + offset).astype(np.uint32))
        angle = bits.astype(np.float64) * (2 * np.pi / 2**32)
        towards = f - offset
        return np.cos(angle) * towards[:, 0] + np.sin(angle) * towards[:, 1]

    n00, n10, n01, n11 = (corner_value(np.array(o)) for o in ((0, 0), (1, 0), (0, 1), (1, 1)))
    low = n00 + (n10 - n00) * weight[:, 0]
    high = n01 + (n11 - n01) * weight[:, 0]
    return np.sqrt(2) * (low + (high - low) * weight[:, 1])


def positions(count=4000, seed=3):
    return np.random.default_rng(seed).uniform(-50, 50, (count, 2)).astype(np.float32)


def test_gradient_noise_equals_its_definition(noise):
    p = positions()

    values = noise.gradientNoise(p, _result="numpy")

    # Distances to a corner lose up to 2e-6 of their precision at coordinates near 50.
    np.testing.assert_allclose(values, reference_noise(p.astype(np.float64)), atol=2e-5)


def test_gradient_noise_is_zero_at_lattice_points(noise):
    lattice = np.stack(np.meshgrid(np.arange(-8, 8), np.arange(-8, 8)), axis=-1).astype(np.float32)

    assert np.abs(noise.gradientNoise(lattice, _result="numpy")).max() == 0


def test_fbm_is_the_weighted_mean_of_its_octaves(noise):
    p = positions(500)
    octaves = [p.astype(np.float64)]
    for _ in range(2):
        octaves.append(octaves[-1] * 2.5 + (0.61803399, 0.41421356))
    expected = (
        sum(w * reference_noise(q) for w, q in zip((1, 0.25, 0.0625), octaves, strict=True))
        / 1.3125
    )

    values = noise.fbm(p=p, octaves=3, lacunarity=2.5, gain=0.25, _result="numpy")

    # Coordinates grow to 330 in the third octave; their rounding error of 1.5e-5 weighs 1/21.
    np.testing.assert_allclose(values, expected, atol=5e-5)


def test_fbm_stays_in_range_and_clamps_its_octaves(noise):
    p = positions(20000)

    values = noise.fbm(p, octaves=16, _result="numpy")

    assert np.abs(values).max() <= 1
    assert np.array_equal(values, noise.fbm(p, octaves=40, _result="numpy"))
    assert np.array_equal(
        noise.fbm(p, octaves=1, _result="numpy"), noise.fbm(p, octaves=-3, _result="numpy")
    )
