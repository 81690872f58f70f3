# SPDX-License-Identifier: Apache-2.0
"""Encodings of coordinates: values against numpy, gradients against differences."""

from __future__ import annotations

import numpy as np
import pytest

import weft

SOURCE = """
import mlp;
[Differentiable] float[12] waves(float x[2]) { return FrequencyEncoding<2, 3>.encode(x); }
[Differentiable]
float[6] plane(HashGrid<2, 3, 2, 40, 2, 16> grid, float x[2]) { return grid.encode(x); }
[Differentiable]
float[2] space(HashGrid<3, 1, 2, 64, 3, 3> grid, float x[3]) { return grid.encode(x); }
"""

rng = np.random.default_rng(11)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "mlp_encodings", SOURCE)


def test_frequencies_double(device, module):
    x = rng.uniform(-1, 1, (20, 2)).astype(np.float32)

    got = module.waves(x).to_numpy()

    angle = np.pi * x.astype(np.float64)[:, :, None] * 2.0 ** np.arange(3)
    expected = np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(20, 12)
    assert np.allclose(got, expected, atol=1e-5)


def corner_rows(corners, cells, entries):
    """Rows of a table for corners of a grid: counted where they fit, hashed where not."""
    if (cells + 1) ** corners.shape[-1] <= entries:
        return (corners * (cells + 1) ** np.arange(corners.shape[-1])).sum(-1)
    primes = np.array([1, 2654435761, 805459861], np.uint64)[: corners.shape[-1]]
    words = (corners.astype(np.uint64) * primes) & np.uint64(0xFFFFFFFF)
    return (np.bitwise_xor.reduce(words, axis=-1) % entries).astype(np.int64)


def reference(table, x, resolutions, entries):
    """Multilinear interpolation in float64."""
    dimensions = x.shape[1]
    result = []
    for level, cells in enumerate(resolutions):
        at = np.clip(x, 0, 1) * cells
        low = np.minimum(np.floor(at), cells - 1)
        total = np.zeros((len(x), table.shape[1]))
        for which in range(1 << dimensions):
            high = (which >> np.arange(dimensions)) & 1
            weight = np.where(high, at - low, 1 - (at - low)).prod(1)
            rows = level * entries + corner_rows((low + high).astype(np.int64), cells, entries)
            total += weight[:, None] * table[rows]
        result.append(total)
    return np.concatenate(result, axis=1)


def test_a_hash_grid_interpolates_each_level(device, module):
    # 2, 5 and 16 cells: floor(2 * sqrt(8)) is 5. The 9 and 36 corners of the first two levels fit
    # into 40 rows without a hash.
    table = rng.standard_normal((3 * 40, 2))
    x = np.concatenate([rng.uniform(0, 1, (50, 2)), [[0, 0], [1, 1], [1, 0], [-0.5, 2]]])

    got = module.plane(table.astype(np.float32), x.astype(np.float32)).to_numpy()

    assert np.allclose(got, reference(table, x, [2, 5, 16], 40), atol=1e-4)


def test_three_dimensions_interpolate_too(device, module):
    table = rng.standard_normal((64, 2))
    x = rng.uniform(0, 1, (50, 3))

    got = module.space(table.astype(np.float32), x.astype(np.float32)).to_numpy()

    assert np.allclose(got, reference(table, x, [3], 64), atol=1e-5)


def test_gradients_of_encodings_agree_with_differences_and_forward_mode(device, module):
    # Away from borders of cells, where the derivative jumps.
    x = (rng.integers(0, 16, (6, 2)) + rng.uniform(0.3, 0.7, (6, 2))) / 16
    x[:, 0] = np.where(np.abs(x[:, 0] * 5 - np.round(x[:, 0] * 5)) < 0.1, 0.47, x[:, 0])
    x[:, 1] = np.where(np.abs(x[:, 1] * 5 - np.round(x[:, 1] * 5)) < 0.1, 0.72, x[:, 1])

    waves = weft.check_gradients(module.waves, rng.uniform(-1, 1, (5, 2)))
    plane = weft.check_gradients(module.plane, rng.standard_normal((120, 2)), x, wrt=("grid", "x"))

    assert waves.passed, waves.differences
    assert plane.passed, plane.differences


def test_rows_that_nobody_reads_get_no_gradient(device, module):
    table = weft.Tensor.zeros(device, (64, 2)).with_grads()
    result = weft.Tensor.zeros(device, (1, 2)).with_grads(grad_in=weft.Tensor.ones(device, (1, 2)))

    module.space.bwds(table, np.zeros((1, 3), np.float32), _result=result)

    expected = np.zeros((64, 2))
    expected[0] = 1  # the corner at the origin has all the weight
    assert np.array_equal(table.grad.to_numpy(), expected)


def test_created_tables_fit_and_are_small(device, module):
    table = weft.mlp.create_hash_grid(device, 3, 2, 40)

    assert module.plane(table, np.full((1, 2), 0.3, np.float32)).to_numpy().shape == (1, 6)
    assert 0 < np.abs(table.to_numpy()).max() <= 1e-4
    with pytest.raises(weft.ArgumentError, match="must be 1 or greater, got 3, 0 and 40"):
        weft.mlp.create_hash_grid(device, 3, 0, 40)
