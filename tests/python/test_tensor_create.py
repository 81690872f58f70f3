# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import weft
from weft import NDBuffer, Tensor

SOURCE = """
struct Pixel { float r; float g; float b; };
struct Mixed { int id; float3 position; bool flags[2]; half weight; };
struct Nested { Pixel pixels[2]; float2x3 frame; int8_t small; };
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "tensor_types", SOURCE)


def test_tensor_factories_take_positional_and_keyword_arguments(device):
    assert Tensor.empty(device, (2, 3), weft.float32).shape == (2, 3)
    assert np.array_equal(Tensor.zeros(device, dtype=weft.int32, shape=(2,)).numpy(), [0, 0])
    assert np.array_equal(Tensor.ones(device, shape=(4,), dtype=float).numpy(), np.ones(4))
    assert np.array_equal(Tensor.full(device, (2,), 7).numpy(), [7, 7])


def test_shape_may_be_an_integer_a_list_or_another_tensors_shape(device):
    first = Tensor.zeros(device, 5)

    assert first.shape == (5,)
    assert Tensor.zeros(device, [2, np.int64(3)]).shape == (2, 3)
    assert Tensor.empty(device, first.shape, weft.float32).shape == (5,)


def test_dtype_is_float32_if_left_out(device):
    assert Tensor.zeros(device, (2,)).dtype == weft.float32
    assert NDBuffer(device, shape=(1024,)).dtype == weft.float32


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        (weft.float3, weft.float3),
        (float, weft.float32),
        (int, weft.int32),
        (bool, weft.bool_),
        (np.float16, weft.float16),
        (np.dtype("uint8"), weft.uint8),
        ("float3", weft.float3),
        ("uint16_t", weft.uint16),
        ("float[4]", weft.find_type("float[4]")),
    ],
)
def test_dtype_may_be_spelled_in_many_ways(device, spelling, expected):
    assert Tensor.empty(device, (1,), spelling).dtype == expected


def test_structures_and_types_of_a_module_are_dtypes(device, module):
    assert Tensor.zeros(device, dtype=module.Pixel, shape=(4, 4)).dtype.name == "Pixel"
    assert Tensor.zeros(device, dtype=module.float, shape=(4,)).dtype == weft.float32


def test_ones_sets_every_scalar_of_vectors(device):
    assert np.array_equal(Tensor.ones(device, (2,), weft.float3).numpy(), np.ones((2, 3)))


def test_full_takes_vectors_structures_and_single_numbers(device, module):
    assert np.array_equal(
        Tensor.full(device, (2,), (1, 2, 3), weft.float3).numpy(), [[1, 2, 3], [1, 2, 3]]
    )
    assert np.array_equal(Tensor.full(device, (2,), 0.5, weft.float2).numpy(), np.full((2, 2), 0.5))
    pixels = Tensor.full(device, (2,), {"r": 1, "g": 2, "b": 3}, module.Pixel).numpy()
    assert np.array_equal(pixels["g"], [2, 2])


def test_full_takes_the_dtype_of_its_value(device):
    assert Tensor.full(device, (1,), 2).dtype == weft.int32
    assert Tensor.full(device, (1,), 2.0).dtype == weft.float32
    assert Tensor.full(device, (1,), True).dtype == weft.bool_
    assert Tensor.full(device, (1,), np.float16(1)).dtype == weft.float16


def test_arange_counts_as_numpy_does(device):
    assert np.array_equal(Tensor.arange(device, 5).numpy(), np.arange(5, dtype=np.int32))
    assert Tensor.arange(device, 5).dtype == weft.int32
    assert np.array_equal(Tensor.arange(device, 2, 11, 3).numpy(), [2, 5, 8])
    assert np.array_equal(Tensor.arange(device, 3, 0, -1, dtype=float).numpy(), [3, 2, 1])
    assert np.allclose(Tensor.arange(device, 0.0, 1.0, 0.25).numpy(), [0, 0.25, 0.5, 0.75])
    assert Tensor.arange(device, 3, 3).shape == (0,)


def test_like_factories_copy_shape_dtype_and_device(device):
    other = Tensor.zeros(device, (2, 3), weft.float2)[:, 1:]

    for make in (Tensor.empty_like, Tensor.zeros_like, Tensor.ones_like):
        made = make(other)
        assert (made.shape, made.dtype, made.device) == ((2, 2), weft.float2, device)
        assert made.is_contiguous()
    assert np.array_equal(Tensor.ones_like(other).numpy(), np.ones((2, 2, 2)))


def test_a_constructed_buffer_starts_with_zeros(device):
    assert np.array_equal(NDBuffer(device, shape=(1024,)).to_numpy(), np.zeros(1024))


def test_ndbuffer_is_the_same_class_as_tensor():
    assert NDBuffer is Tensor


def test_a_tensor_without_dimensions_holds_one_element(device):
    tensor = Tensor.from_numpy(device, np.array(2.5, np.float32))

    assert tensor.shape == ()
    assert tensor.item() == 2.5
    assert Tensor.full(device, (), (1, 2), weft.int2).item() == [1, 2]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0, 2)])
def test_tensors_may_be_empty(device, shape):
    tensor = Tensor.zeros(device, shape)

    assert tensor.size == 0
    assert tensor.numpy().shape == shape
    tensor.from_numpy(np.zeros(shape, np.float32))
    tensor.clear()


def test_numpy_constructs_on_the_class_and_reads_on_an_instance(device):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)

    tensor = Tensor.numpy(device, array)

    assert np.array_equal(tensor.numpy(), array)


def test_properties_describe_memory(device):
    tensor = Tensor.zeros(device, (4, 6), weft.float3)[1:, ::2]

    assert tensor.ndim == 2
    assert tensor.shape == (3, 3)
    assert tensor.strides == (6, 2)
    assert tensor.offset == 6
    assert tensor.size == tensor.element_count == 9
    assert tensor.nbytes == 9 * 12
    assert tensor.device is device
    assert len(tensor) == 3


def test_a_tensor_outlives_the_name_of_its_device():
    device = weft.create_device(include_paths=["somewhere"])
    tensor = Tensor.ones(device, (2,))
    del device

    assert np.array_equal(tensor.numpy(), [1, 1])
    assert tensor.device.include_paths == ["somewhere"]


def test_print_shows_values_dtype_shape_and_device(device):
    text = str(Tensor.from_numpy(device, np.array([[1, 2], [3, 4]], np.int32)))

    assert "shape=(2, 2)" in text
    assert "dtype=int" in text
    assert device.info.name in text
    assert "[[1 2]\n [3 4]]" in text


def test_repr_is_one_line_without_values(device):
    assert repr(Tensor.zeros(device, (2,), weft.float3)).startswith(
        f"Tensor(shape=(2,), dtype=float3, device={device.info.type.name}:"
    )
