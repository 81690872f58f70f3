# SPDX-License-Identifier: Apache-2.0
"""What a parameter takes, and what a call returns."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
float scale(float value, float factor = 2) { return value * factor; }
int triple(int value) { return 3 * value; }
uint8_t small(uint8_t value) { return value; }
bool negate(bool value) { return !value; }
double precise(double value) { return value / 3.0lf; }
float3 cross_up(float3 v) { return cross(v, float3(0, 0, 1)); }
float2x3 same_matrix(float2x3 m) { return m; }
float sum_array(float values[4]) { return values[0] + values[1] + values[2] + values[3]; }
float[3] ramp(float step) { float r[3] = { 0, step, 2 * step }; return r; }
float total(ITensor<float, 1> values)
{
    float sum = 0;
    for (uint i = 0; i < values.shape[0]; ++i)
        sum += values[i];
    return sum;
}
float first_three(float* values) { return values[0] + values[1] + values[2]; }
void nothing(int a, float b) {}
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "calls", SOURCE)


def test_a_call_with_numbers_returns_a_python_number(module):
    assert module.scale(3.0, 0.5) == 1.5
    assert module.triple(14) == 42
    assert module.negate(True) is False
    assert isinstance(module.scale(1, 1), float)


def test_arguments_may_be_named_and_defaults_left_out(module):
    assert module.scale(value=4.0) == 8.0
    assert module.scale(4.0, factor=3.0) == 12.0
    assert module.scale(factor=3.0, value=5.0) == 15.0


def test_call_is_the_same_as_calling(module):
    assert module.scale.call(2.0, factor=4.0) == 8.0


def test_a_function_without_result_returns_none(module):
    assert module.nothing(5, 6.0) is None


def test_numpy_scalars_are_numbers(module):
    assert module.triple(np.int16(5)) == 15
    assert module.scale(np.float64(1.25), np.float32(2)) == 2.5


def test_doubles_keep_their_precision(device, module):
    if not device.info.features.float64:
        pytest.skip("this device has no float64")
    assert module.precise(1.0) == 1.0 / 3.0


def test_vectors_matrices_and_arrays_come_from_lists_and_return_as_sequences(module):
    assert tuple(module.cross_up([1, 0, 0])) == (0.0, -1.0, 0.0)
    assert tuple(module.cross_up(weft.float3(0, 1, 0))) == (1.0, 0.0, 0.0)
    assert np.array_equal(module.same_matrix([[1, 2, 3], [4, 5, 6]]), [[1, 2, 3], [4, 5, 6]])
    assert module.sum_array([1, 2, 3, 4]) == 10.0
    assert list(module.ramp(0.5)) == [0.0, 0.5, 1.0]


def test_a_numpy_array_gives_one_call_an_element_and_a_tensor_back(module):
    values = np.linspace(-1, 1, 24).reshape(4, 6)

    result = module.scale(values, 3.0)

    assert isinstance(result, Tensor)
    assert result.shape == (4, 6)
    assert np.allclose(result.numpy(), values * 3, rtol=1e-6)


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.float16, np.int64, np.int32, np.uint8]
)
def test_any_number_dtype_rounds_silently_to_float(module, dtype):
    values = np.array([0, 1, 2, 100], dtype=dtype)

    assert np.array_equal(module.scale(values).numpy(), [0, 2, 4, 200])


def test_integer_arrays_convert_to_another_width_if_they_fit(module):
    assert np.array_equal(module.triple(np.array([1, -2], dtype=np.int64)).numpy(), [3, -6])
    assert np.array_equal(module.triple(np.array([7], dtype=np.uint8)).numpy(), [21])
    with pytest.raises(weft.ArgumentError, match="triple"):
        module.triple(np.array([1 << 40]))


def test_a_float_array_is_not_an_integer_argument(module):
    with pytest.raises(weft.ArgumentError, match=r"triple.*value"):
        module.triple(np.array([1.0, 2.0]))
    with pytest.raises(weft.ArgumentError, match=r"triple.*value"):
        module.triple(1.5)


def test_integers_out_of_range_are_errors(device, module):
    with pytest.raises(weft.ArgumentError, match="triple"):
        module.triple(1 << 31)
    if device.info.features.int8:
        assert module.small(255) == 255
        with pytest.raises(weft.ArgumentError, match="small"):
            module.small(256)
        with pytest.raises(weft.ArgumentError, match="small"):
            module.small(-1)


def test_strided_and_reversed_numpy_arrays_are_read_in_their_own_order(module):
    base = np.arange(24, dtype=np.float32).reshape(4, 6)

    for view in (base[::2, 1::2], base[::-1], base.T, np.broadcast_to(base[:, :1], (4, 5))):
        assert np.array_equal(module.scale(view).numpy(), view * 2)


def test_a_whole_tensor_goes_to_a_tensor_parameter(device, module):
    values = Tensor.from_numpy(device, np.arange(10, dtype=np.float32))

    assert module.total(values) == 45.0
    assert module.total(np.arange(5, dtype=np.float32)) == 10.0
    assert module.total(values[::3]) == 18.0


def test_a_tensor_parameter_broadcasts_over_leading_dimensions(device, module):
    rows = np.arange(12, dtype=np.float32).reshape(3, 4)

    assert np.array_equal(module.total(Tensor.from_numpy(device, rows)).numpy(), rows.sum(1))


def test_a_pointer_parameter_gets_the_memory_of_a_contiguous_tensor(device, module):
    values = Tensor.from_numpy(device, np.array([1, 2, 4], dtype=np.float32))

    assert module.first_three(values) == 7.0
    with pytest.raises(weft.ArgumentError, match="contiguous"):
        module.first_three(Tensor.zeros(device, (6,))[::2])


def test_repeated_calls_see_new_values_of_tensors_and_numbers(device, module):
    values = Tensor.from_numpy(device, np.ones(4, dtype=np.float32))

    for factor in (1.0, 2.0, -3.0):
        assert np.array_equal(module.scale(values, factor).numpy(), np.full(4, factor))
    values.copy_from_numpy(np.full(4, 5, dtype=np.float32))
    assert np.array_equal(module.scale(values, 1.0).numpy(), np.full(4, 5))


def test_dlpack_arrays_of_other_libraries_are_arguments(module):
    class Foreign:
        """An array of a library that Weft has never heard of."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__()

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert np.array_equal(module.scale(Foreign(np.arange(3, dtype=np.float32))).numpy(), [0, 2, 4])


@pytest.mark.parametrize("kind", ["int", "int64_t", "int3"])
def test_signs_of_integers(device, kind):
    module = weft.Module.load_from_source(
        device, f"signs_{kind}", f"{kind} signed({kind} x) {{ return sign(x); }}"
    )
    values = np.array([-7, 0, 9], np.int64 if kind == "int64_t" else np.int32)
    given = np.stack([values] * 3, axis=1) if kind == "int3" else values

    np.testing.assert_array_equal(module.signed(given, _result="numpy"), np.sign(given))
