# SPDX-License-Identifier: Apache-2.0
"""Values between numpy and tensors."""

import numpy as np
import pytest

import weft
from weft import NDBuffer, Tensor

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64",
]  # fmt: skip

SOURCE = """
struct Pixel { float r; float g; float b; };
struct Mixed { int id; float3 position; bool flags[2]; half weight; };
struct Nested { Pixel pixels[2]; float2x3 frame; int8_t small; };
struct Half { half3 value; half last; };
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "tensor_values", SOURCE)


def values_of(dtype, shape):
    """Values that use the range of a dtype."""
    random = np.random.default_rng(3)
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind == "f":
        return random.normal(size=shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_every_dtype_come_back_as_they_went(device, dtype):
    array = values_of(dtype, (3, 5))

    result = Tensor.from_numpy(device, array).to_numpy()

    assert result.dtype == array.dtype
    assert np.array_equal(result, array)


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_the_other_byte_order_are_understood(device, dtype):
    array = values_of(dtype, (4,))
    swapped = array.astype(array.dtype.newbyteorder("S"))

    assert np.array_equal(Tensor.from_numpy(device, swapped).numpy(), array)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.T,
        lambda a: a[::-1, ::2],
        lambda a: a[1:3, ::-3],
        lambda a: np.asfortranarray(a),
        lambda a: np.broadcast_to(a[:1], (5, 6)),
        lambda a: a[:, 2],
        lambda a: a.reshape(2, 2, 6).transpose(1, 2, 0),
    ],
)
def test_strided_arrays_are_understood(device, view):
    array = view(np.arange(24, dtype=np.float32).reshape(4, 6))

    assert np.array_equal(Tensor.from_numpy(device, array).numpy(), array)


def test_float64_and_integers_round_to_float32_silently(device):
    buffer = NDBuffer(device, shape=(4,))

    buffer.from_numpy(np.array([0.1, 1e300, -2.0, 3.0]))
    assert np.array_equal(buffer.numpy(), np.array([0.1, np.inf, -2.0, 3.0], np.float32))

    buffer.from_numpy(np.array([1, 2, 3, 16777217]))
    assert np.array_equal(buffer.numpy(), [1, 2, 3, 16777216])


def test_copy_from_numpy_takes_lists(device):
    tensor = Tensor.zeros(device, (2, 2), int)

    tensor.copy_from_numpy([[1, 2], [3, 4]])

    assert np.array_equal(tensor.numpy(), [[1, 2], [3, 4]])


def test_vectors_take_their_components_as_the_last_axis(device):
    array = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    tensor = Tensor.from_numpy(device, array, dtype=weft.float3)

    assert tensor.shape == (2, 2)
    assert np.array_equal(tensor.numpy(), array)


@pytest.mark.parametrize("dtype", ["half3", "float4", "bool3", "float2x3", "float[5]", "half3[2]"])
def test_elements_of_every_shape_come_back_as_they_went(device, dtype):
    tensor = Tensor.zeros(device, (3,), dtype)
    array = tensor.numpy()
    array[...] = np.arange(array.size).reshape(array.shape) % (2 if array.dtype == bool else 7)

    tensor.from_numpy(array)

    assert np.array_equal(tensor.numpy(), array)


def test_a_flat_array_fills_a_tensor_of_structures(device, module):
    image = NDBuffer(device, dtype=module.Pixel, shape=(16, 16))
    values = 0.1 * np.random.rand(16 * 16 * 3).astype(np.float32)

    image.from_numpy(values)

    assert np.array_equal(image.numpy()["b"].ravel(), values[2::3])


def test_structures_also_take_an_axis_of_scalars(device, module):
    image = Tensor.from_numpy(device, np.ones((4, 3), np.float32), dtype=module.Pixel)

    assert image.shape == (4,)
    assert np.array_equal(image.numpy()["g"], np.ones(4))


def mixed_values():
    return {
        "id": np.arange(3),
        "position": np.arange(9).reshape(3, 3) / 2,
        "flags": np.array([[True, False], [False, True], [True, True]]),
        "weight": [0.5, 1.5, 2.5],
    }


def test_a_dict_of_arrays_fills_structures_and_comes_back_structured(device, module):
    tensor = Tensor.zeros(device, (3,), module.Mixed)

    tensor.from_numpy(mixed_values())

    result = tensor.numpy()
    assert result.dtype.names == ("id", "position", "flags", "weight")
    for name, values in mixed_values().items():
        assert np.array_equal(result[name], values)


def test_a_structured_array_fills_structures_by_field_name(device, module):
    dtype = [("weight", "f8"), ("flags", "?", (2,)), ("id", ">i2"), ("position", "f4", (3,))]
    array = np.zeros(3, dtype)
    for name, values in mixed_values().items():
        array[name] = values

    result = Tensor.from_numpy(device, array, dtype=module.Mixed).numpy()

    for name in array.dtype.names:
        assert np.array_equal(result[name], array[name])


def test_nested_structures_come_back_as_they_went(device, module):
    tensor = Tensor.zeros(device, (2,), module.Nested)
    array = tensor.numpy()
    array["pixels"]["r"] = [[1, 2], [3, 4]]
    array["frame"] = np.arange(12).reshape(2, 2, 3)
    array["small"] = [-128, 127]

    tensor.from_numpy(array)

    result = tensor.numpy()
    assert np.array_equal(result["pixels"]["r"], [[1, 2], [3, 4]])
    assert np.array_equal(result["frame"], array["frame"])
    assert np.array_equal(result["small"], [-128, 127])


def test_structures_whose_device_layout_has_padding_come_back_as_they_went(device, module):
    tensor = Tensor.zeros(device, (2,), module.Half)

    tensor.from_numpy(np.arange(8, dtype=np.float16))

    assert np.array_equal(tensor.numpy()["value"], [[0, 1, 2], [4, 5, 6]])
    assert np.array_equal(tensor.numpy()["last"], [3, 7])


def test_writing_through_a_view_changes_only_its_elements(device):
    base = Tensor.zeros(device, (4, 4))

    base[1:3, ::2].from_numpy(np.ones((2, 2), np.float32))
    base[3].fill(5)
    base[:, 3].clear()

    expected = np.zeros((4, 4))
    expected[1:3, ::2] = 1
    expected[3] = 5
    expected[:, 3] = 0
    assert np.array_equal(base.numpy(), expected)


def test_numpy_functions_take_tensors(device):
    tensor = Tensor.from_numpy(device, np.arange(4, dtype=np.float32))

    assert np.sum(tensor) == 6
    assert np.asarray(tensor, dtype=np.int32).dtype == np.int32


def test_rows_can_be_iterated(device):
    tensor = Tensor.from_numpy(device, np.arange(6, dtype=np.int32).reshape(3, 2))

    assert [row.numpy().tolist() for row in tensor] == [[0, 1], [2, 3], [4, 5]]


def test_astype_converts_scalars(device):
    tensor = Tensor.from_numpy(device, np.array([-1.9, 0.0, 2.7], np.float32))

    assert tensor.astype(int).numpy().tolist() == [-1, 0, 2]
    assert tensor.astype(bool).numpy().tolist() == [True, False, True]
    assert tensor.astype("half").dtype == weft.float16
