# SPDX-License-Identifier: Apache-2.0
"""Calls over no elements return empty results and touch nothing."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
float add(float a, float b) { return a + b; }
void bump(inout float a) { a += 1; }
float total(ITensor<float, 1> values)
{
    float sum = 0;
    for (uint i = 0; i < values.shape[0]; ++i)
        sum += values[i];
    return sum;
}
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "emptiness", SOURCE)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 4)])
def test_an_empty_argument_makes_an_empty_result(device, module, shape):
    result = module.add(Tensor.zeros(device, shape), 1.0)

    assert result.shape == shape
    assert result.numpy().shape == shape


def test_an_empty_dimension_joins_with_one(module):
    assert module.add(np.zeros((0, 3)), np.zeros((1, 3))).shape == (0, 3)


def test_an_empty_dimension_does_not_join_with_two(module):
    with pytest.raises(weft.ArgumentError, match="axis 0"):
        module.add(np.zeros((0,)), np.zeros((2,)))


def test_an_empty_inout_argument_stays_empty(device, module):
    empty = Tensor.zeros(device, (0,))

    module.bump(empty)

    assert empty.numpy().shape == (0,)


def test_a_whole_empty_tensor_is_an_argument(device, module):
    assert module.total(Tensor.zeros(device, (0,))) == 0.0


def test_a_grid_may_be_empty(device):
    module = weft.Module.load_from_source(device, "empty_grid", "int id(int i) { return i; }")

    assert module.id(weft.grid((0,))).shape == (0,)
