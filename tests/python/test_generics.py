# SPDX-License-Identifier: Apache-2.0
"""Generic parameters follow from the arguments, or are named in brackets."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
T twice<T : __BuiltinArithmeticType>(T value) { return value + value; }
float accumulate<let N : int>(float values[N])
{
    float sum = 0;
    for (int i = 0; i < N; ++i)
        sum += values[i];
    return sum;
}
vector<T, N> reversed<T : __BuiltinType, let N : int>(vector<T, N> v)
{
    vector<T, N> r;
    for (int i = 0; i < N; ++i)
        r[i] = v[N - 1 - i];
    return r;
}
float corner<let D : int>(ITensor<float, D> values)
{
    int origin[D];
    for (int i = 0; i < D; ++i)
        origin[i] = 0;
    return values.load(origin);
}
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "generics", SOURCE)


def test_a_type_is_inferred_from_a_number(module):
    assert module.twice(21) == 42
    assert module.twice(0.25) == 0.5


def test_a_type_is_inferred_from_a_tensor(device, module):
    result = module.twice(Tensor.from_numpy(device, np.arange(3, dtype=np.uint32)))

    assert result.dtype == weft.uint32
    assert np.array_equal(result.numpy(), [0, 2, 4])


@pytest.mark.parametrize("count", [2, 5])
def test_an_array_length_is_inferred(module, count):
    assert module.accumulate(list(range(count))) == sum(range(count))


def test_element_and_length_of_a_vector_are_inferred(module):
    assert tuple(module.reversed([1.0, 2.0, 3.0])) == (3.0, 2.0, 1.0)
    assert tuple(module.reversed([1, 2])) == (2, 1)


def test_the_rank_of_a_tensor_is_inferred(device, module):
    values = Tensor.full(device, (2, 3), 7.0)

    assert module.corner(values) == 7.0


def test_arguments_in_brackets_name_a_specialization(module):
    accumulate = module["accumulate<3>"]

    assert accumulate([1, 2, 3]) == 6.0
    with pytest.raises(weft.ArgumentError, match="accumulate"):
        accumulate([1, 2])


def test_map_by_type_names_the_type_of_a_generic_parameter(module):
    assert module.twice.map("float")(21) == 42.0


def test_a_parameter_that_cannot_be_inferred_is_named(device):
    module = weft.Module.load_from_source(
        device, "hidden", "T make<T : __BuiltinIntegerType>(int a) { return T(a); }"
    )

    with pytest.raises(weft.ArgumentError, match=r"make.*'T'.*module\[\"make<...>\"\]"):
        module.make(3)
    assert module["make<uint>"](3) == 3


def test_an_array_parameter_cannot_be_empty(device):
    module = weft.Module.load_from_source(
        device, "empty", "float first<let N : int>(float values[N]) { return values[0]; }"
    )

    with pytest.raises(weft.ArgumentError, match=r"first.*values.*at least one element"):
        module.first(np.zeros(0, np.float32))
