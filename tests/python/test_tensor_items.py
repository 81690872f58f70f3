# SPDX-License-Identifier: Apache-2.0
"""Tensors as Python objects: assignment to parts, the value of one element, length, iteration."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

KEYS = [
    (slice(None),),
    (0,),
    (-1, 2),
    (slice(1, None), slice(None, None, 2)),
    (..., 1),
    (slice(0, 0),),
]


@pytest.fixture
def array():
    return np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.fixture
def tensor(device, array):
    return Tensor.from_numpy(device, array)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("value", [7, 0.5, True, np.float32(3)])
def test_a_number_is_assigned_to_every_selected_element(tensor, array, key, value):
    tensor[key] = value
    array[key] = value

    assert np.array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
def test_an_array_broadcasts_to_the_selected_elements(tensor, array, key, dtype):
    shape = array[key].shape
    values = np.arange(100, 100 + (shape[-1] if shape else 1)).astype(dtype)
    values = values if shape else values[0]

    tensor[key] = values
    array[key] = values

    assert np.array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_a_tensor_broadcasts_and_converts_on_the_device(device, tensor, array, dtype):
    row = np.array([9, 8, 7, 6], dtype)

    tensor[1:] = Tensor.from_numpy(device, row)
    array[1:] = row

    assert np.array_equal(tensor.numpy(), array)


def test_overlapping_parts_are_assigned_as_if_copied_first(tensor, array):
    tensor[1:] = tensor[:-1]
    array[1:] = array[:-1].copy()

    assert np.array_equal(tensor.numpy(), array)


def test_lists_and_vectors_are_assigned(device):
    colors = Tensor.zeros(device, (2, 3), weft.float3)

    colors[0] = [1, 2, 3]
    colors[1, 1] = 0.5
    colors[1, 2] = (4, 5, 6)

    assert colors.numpy().tolist() == [[[1, 2, 3]] * 3, [[0, 0, 0], [0.5] * 3, [4, 5, 6]]]


def test_structures_are_assigned(device):
    module = weft.Module.load_from_source(
        device, "items", "struct P { float3 position; int id; }; int id(P p) { return p.id; }"
    )
    points = Tensor.zeros(device, (3,), module.P)

    points[1] = {"position": [1, 2, 3], "id": 7}
    points[2] = points[1]

    assert points.numpy()["id"].tolist() == [0, 7, 7]
    assert points.numpy()["position"].tolist() == [[0, 0, 0], [1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros(3), r"value has shape \(3,\), which does not broadcast to \(3, 4\)"),
        (np.zeros((1, 3, 4)), r"value has shape \(1, 3, 4\)"),
        ("text", "Tensor"),
        (None, "Tensor"),
    ],
)
def test_what_does_not_fit_is_not_assigned(tensor, array, value, message):
    with pytest.raises(weft.ArgumentError, match=message):
        tensor[:] = value

    assert np.array_equal(tensor.numpy(), array)


def test_a_tensor_of_another_device_is_not_assigned(fresh_device, tensor):
    with pytest.raises(weft.ArgumentError, match="on one device"):
        tensor[0] = Tensor.zeros(fresh_device, (4,))


def test_a_repeated_element_is_not_assigned(device):
    repeated = Tensor.zeros(device, (1,)).broadcast_to((4,))

    with pytest.raises(weft.ArgumentError, match="repeat"):
        repeated[:] = 1


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
@pytest.mark.parametrize("value", [0, 1, -3])
def test_a_tensor_of_one_number_is_that_number(device, shape, value):
    tensor = Tensor.full(device, shape, value)

    assert bool(tensor) is bool(value)
    assert int(tensor) == value
    assert float(tensor) == float(value)
    assert tensor.item() == value


def test_floats_lose_their_fraction_as_int(device):
    assert int(Tensor.full(device, (), 2.75)) == 2
    assert bool(Tensor.full(device, (), 0.25))


@pytest.mark.parametrize("count", [0, 2])
def test_a_tensor_of_several_numbers_has_no_truth(device, count):
    tensor = Tensor.zeros(device, (count,))

    with pytest.raises(ValueError, match=rf"^bool: .*\({count},\) of float.*weft.any"):
        bool(tensor)
    for convert in (float, int):
        with pytest.raises(TypeError, match=f"^{convert.__name__}: "):
            convert(tensor)
    with pytest.raises(ValueError, match=r"Tensor\.item"):
        tensor.item()


def test_a_vector_has_no_truth(device):
    with pytest.raises(weft.ArgumentError, match="float3"):
        bool(Tensor.zeros(device, (), weft.float3))


def test_a_tensor_has_the_length_and_the_rows_of_its_first_axis(tensor, array):
    assert len(tensor) == 3
    assert [row.numpy().tolist() for row in tensor] == array.tolist()
    with pytest.raises(TypeError, match="no len"):
        len(tensor[0, 0])
    with pytest.raises(TypeError, match="iterate"):
        iter(tensor[0, 0])
