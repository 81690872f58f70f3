# SPDX-License-Identifier: Apache-2.0
"""Sums, extrema and comparisons over tensors."""

from __future__ import annotations

import numpy as np
import pytest

import weft


def tensor(device, array):
    return weft.Tensor.from_numpy(device, array)


@pytest.fixture(scope="module")
def numbers():
    return np.random.default_rng(1).standard_normal((5, 40, 7)).astype(np.float32)


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2)])
def test_reductions_agree_with_numpy_over_any_axes(device, numbers, name, axis):
    result = getattr(weft, name)(tensor(device, numbers), axis)

    value = result if axis is None else result.to_numpy()
    assert np.allclose(value, getattr(np, name)(numbers, axis=axis), rtol=1e-5, atol=1e-5)


def test_reduced_axes_can_be_kept(device, numbers):
    assert weft.sum(tensor(device, numbers), 1, keepdims=True).shape == (5, 1, 7)


@pytest.mark.slow
def test_every_mean_of_very_many_rows_is_written(device):
    rows = 65535 * 256 + 1  # threads in one row of groups, on many devices

    means = weft.mean(weft.Tensor.ones(device, (rows, 1), weft.float16), 1)

    assert means.numpy().min() == 1


def test_long_rows_are_summed_in_segments(device):
    values = np.random.default_rng(2).random(100_003).astype(np.float32)

    assert weft.sum(tensor(device, values)) == pytest.approx(
        values.astype(np.float64).sum(), rel=1e-6
    )


def test_a_transposed_view_is_reduced_without_a_copy(device, numbers):
    view = tensor(device, numbers).transpose(2, 0, 1)

    assert np.allclose(weft.sum(view, 0).to_numpy(), numbers.sum(axis=2), atol=1e-5)


def test_integers_are_summed_in_64_bits(device):
    values = np.full(1000, 2**30, dtype=np.int32)

    assert weft.sum(tensor(device, values)) == 1000 * 2**30


def test_extrema_keep_the_type(device):
    values = tensor(device, np.array([[3, -7, 5]], dtype=np.int32))

    assert weft.min(values, 1).dtype == weft.int32
    assert (weft.min(values), weft.max(values)) == (-7, 5)


def test_dot_and_norm(device, numbers):
    flat = numbers.ravel()
    values = tensor(device, flat)

    assert weft.dot(values, values) == pytest.approx(float(flat @ flat), rel=1e-5)
    assert weft.norm(values) == pytest.approx(float(np.linalg.norm(flat)), rel=1e-5)


def test_all_close_sees_one_element_that_differs(device, numbers):
    other = numbers.copy()
    other[3, 20, 4] += 1.0

    assert weft.all_close(tensor(device, numbers), tensor(device, numbers)) is True
    assert weft.all_close(tensor(device, numbers), tensor(device, other)) is False


def test_two_runs_give_the_same_bits(device):
    values = tensor(device, np.random.default_rng(3).random(50_000).astype(np.float32))

    assert weft.sum(values) == weft.sum(values)


def test_sums_of_nothing_are_zero_and_extrema_an_error(device):
    empty = weft.Tensor.empty(device, (0,), weft.float32)

    assert weft.sum(empty) == 0.0
    with pytest.raises(ValueError, match="no elements"):
        weft.max(empty)


def test_an_axis_out_of_range_names_the_range(device, numbers):
    with pytest.raises(ValueError, match=r"axis 3 is out of range.*-3 to 2"):
        weft.sum(tensor(device, numbers), 3)
