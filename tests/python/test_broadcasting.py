# SPDX-License-Identifier: Apache-2.0
"""Shapes of several arguments join as numpy's do; vectors take their trailing dimension."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
float add(float a, float b) { return a + b; }
float3 tint(float3 color, float amount) { return color * amount; }
float dot3(float3 a, float3 b) { return dot(a, b); }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "broadcasting", SOURCE)


def tensor(device, *shape):
    values = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    return Tensor.from_numpy(device, values), values


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((5,), ()),
        ((3, 4), (4,)),
        ((3, 1), (1, 4)),
        ((2, 3, 4), (3, 1)),
        ((1,), (6,)),
        ((40, 33), (33,)),
    ],
)
def test_shapes_join_as_in_numpy(device, module, left, right):
    a, a_values = tensor(device, *left)
    b, b_values = tensor(device, *right)

    result = module.add(a, b)

    assert result.shape == np.broadcast_shapes(left, right)
    assert np.array_equal(result.numpy(), a_values + b_values)


def test_a_number_goes_to_every_element(device, module):
    a, values = tensor(device, 2, 3)

    assert np.array_equal(module.add(a, 10).numpy(), values + 10)


def test_a_transposed_operand_is_read_through_its_strides(device, module):
    a, a_values = tensor(device, 37, 50)
    b, b_values = tensor(device, 50, 37)

    assert np.array_equal(module.add(a, b.transpose()).numpy(), a_values + b_values.T)


def test_a_broadcast_view_is_read_without_a_copy(device, module):
    row, values = tensor(device, 4)

    result = module.add(row.broadcast_to((3, 4)), 1.0)

    assert np.array_equal(result.numpy(), np.broadcast_to(values, (3, 4)) + 1)


def test_a_vector_parameter_takes_the_trailing_dimension_of_a_scalar_tensor(device, module):
    colors, color_values = tensor(device, 5, 3)
    amounts, amount_values = tensor(device, 5)

    result = module.tint(colors, amounts)

    assert result.shape == (5,)
    assert np.array_equal(result.numpy(), color_values * amount_values[:, None])


def test_one_vector_broadcasts_over_many(device, module):
    vectors, values = tensor(device, 6, 3)

    assert np.array_equal(module.dot3(vectors, [1, 2, 3]).numpy(), values @ [1, 2, 3])


def test_vector_tensors_and_scalar_tensors_mix(device, module):
    vectors = Tensor.from_numpy(device, np.ones((4, 3), np.float32))
    typed = Tensor.zeros(device, (4,), weft.float3)
    typed.copy_from_numpy(np.arange(12, dtype=np.float32).reshape(4, 3))

    assert np.array_equal(module.dot3(vectors, typed).numpy(), [3, 12, 21, 30])


def test_shapes_that_do_not_join_name_the_axis(device, module):
    a, _ = tensor(device, 4, 5)
    b, _ = tensor(device, 4, 6)

    with pytest.raises(weft.ArgumentError, match=r"add.*'b'.*\(4, 6\).*axis 1.*'a'.*5"):
        module.add(a, b)
