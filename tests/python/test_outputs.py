# SPDX-License-Identifier: Apache-2.0
"""Where results go: `_result`, `return_type`, out and inout parameters."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
float half_of(float x) { return x / 2; }
void split(float x, out float whole, out float rest) { whole = floor(x); rest = x - whole; }
void decay(inout float x, float rate) { x -= rate * x; }
float both(float x, out float twice) { twice = 2 * x; return 3 * x; }
void fill(int i, IRWTensor<float, 1> values) { values[i] = values[i] + i; }
float3 color(float x) { return float3(x, 2 * x, 3 * x); }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "outputs", SOURCE)


def test_result_fills_the_tensor_that_is_given(device, module):
    out = Tensor.zeros(device, (4,), weft.float32)

    module.half_of(np.arange(4.0), _result=out)

    assert np.array_equal(out.numpy(), [0, 0.5, 1, 1.5])


def test_result_fills_a_strided_view(device, module):
    out = Tensor.zeros(device, (3, 4), weft.float32)

    module.half_of(np.full(3, 8.0), _result=out[:, 1])

    assert np.array_equal(out.numpy(), np.array([[0, 4, 0, 0]] * 3))


def test_the_shape_of_result_is_part_of_the_calls_shape(device, module):
    out = Tensor.zeros(device, (2, 3), weft.float32)

    module.half_of(5.0, _result=out)

    assert np.array_equal(out.numpy(), np.full((2, 3), 2.5))


def test_result_names_the_kind_of_result(module):
    values = np.arange(3.0)

    assert isinstance(module.half_of(values, _result="numpy"), np.ndarray)
    assert isinstance(module.half_of(values, _result=np.ndarray), np.ndarray)
    assert isinstance(module.half_of(values, _result=Tensor), Tensor)
    assert isinstance(module.half_of(values, _result="tensor"), Tensor)
    assert np.array_equal(module.half_of(values, _result="numpy"), values / 2)


def test_return_type_makes_a_function_with_that_kind_of_result(module):
    numpy_half = module.half_of.return_type("numpy")

    assert isinstance(numpy_half(np.arange(3.0)), np.ndarray)
    assert isinstance(module.half_of.return_type(Tensor)(np.arange(3.0)), Tensor)
    assert isinstance(module.half_of(np.arange(3.0)), Tensor)


def test_vector_results_become_a_trailing_dimension_in_numpy(module):
    assert np.array_equal(
        module.color(np.array([1.0, 2.0]), _result="numpy"), [[1, 2, 3], [2, 4, 6]]
    )


def test_result_may_be_a_numpy_array(module):
    out = np.zeros(3, np.float32)

    module.half_of(np.array([2.0, 4.0, 6.0]), _result=out)

    assert np.array_equal(out, [1, 2, 3])


def test_omitted_out_parameters_are_returned(module):
    assert module.split(2.75) == (2.0, 0.75)
    whole, rest = module.split(np.array([1.5, -0.25]))

    assert np.array_equal(whole.numpy(), [1, -1])
    assert np.array_equal(rest.numpy(), [0.5, 0.75])


def test_a_result_comes_before_omitted_out_parameters(module):
    assert module.both(5.0) == (15.0, 10.0)


def test_out_parameters_fill_tensors(device, module):
    whole, rest = (Tensor.zeros(device, (2,), weft.float32) for _ in range(2))

    assert module.split(np.array([1.5, 2.25]), whole, rest=rest) is None

    assert np.array_equal(whole.numpy(), [1, 2])
    assert np.array_equal(rest.numpy(), [0.5, 0.25])


def test_out_parameters_fill_numpy_arrays(module):
    whole, rest = np.zeros(2, np.float32), np.zeros((2, 2), np.float32)[:, 0]

    module.split(np.array([1.5, 2.25]), whole, rest)

    assert np.array_equal(whole, [1, 2])
    assert np.array_equal(rest, [0.5, 0.25])


def test_a_value_ref_takes_an_out_value(module):
    whole, rest = weft.ValueRef(0.0), weft.ValueRef(0.0)

    assert module.split(3.25, whole, rest) is None

    assert (whole.value, rest.value) == (3.0, 0.25)


def test_an_inout_value_ref_is_read_and_replaced(module):
    x = weft.ValueRef(8.0)

    module.decay(x, 0.25)

    assert x.value == 6.0


def test_inout_tensors_change_in_place(device, module):
    x = Tensor.from_numpy(device, np.array([4, 8], dtype=np.float32))

    module.decay(x, 0.5)

    assert np.array_equal(x.numpy(), [2, 4])


def test_an_inout_number_is_returned(module):
    assert module.decay(8.0, 0.5) == 4.0


def test_a_writable_tensor_parameter_writes_any_element(device, module):
    values = Tensor.full(device, (4,), 10.0)

    module.fill(weft.grid((4,)), values)

    assert np.array_equal(values.numpy(), [10, 11, 12, 13])


def test_a_written_argument_must_have_the_shape_of_the_call(device, module):
    with pytest.raises(weft.ArgumentError, match=r"decay.*'x'"):
        module.decay(Tensor.zeros(device, (1,)), np.zeros(3))


def test_a_read_only_numpy_array_is_no_output(module):
    locked = np.zeros(2, np.float32)
    locked.flags.writeable = False

    with pytest.raises(weft.ArgumentError, match="read-only"):
        module.split(np.zeros(2), locked, np.zeros(2, np.float32))


CHANGED = """
struct P { float x; int y; };
struct Pair { P a; float2 b; };
void change(inout P p) { p.x += 1; p.y += 2; }
float give(float x, out P p) { p.x = x; p.y = 3; return -x; }
void turn(inout Pair pair) { pair.a.x += pair.b.x; pair.b = pair.b.yx; }
"""


def test_a_structure_of_numbers_that_a_call_changes_is_returned(device):
    module = weft.Module.load_from_source(device, "changed", CHANGED)
    given = {"x": 1.0, "y": 2}

    assert module.change(given) == {"x": 2.0, "y": 4}
    assert given == {"x": 1.0, "y": 2}
    assert module.give(5.0, given) == (-5.0, {"x": 5.0, "y": 3})
    assert module.turn({"a": {"x": 1, "y": 2}, "b": [3, 4]}) == {
        "a": {"x": 4.0, "y": 2},
        "b": weft.float2(4, 3),
    }


def test_a_changed_structure_goes_into_its_reference(device):
    module = weft.Module.load_from_source(device, "changed", CHANGED)
    reference = weft.ValueRef({"x": 1.0, "y": 2})

    module.change(reference)

    assert reference.value == {"x": 2.0, "y": 4}


def test_a_field_that_cannot_be_written_is_refused_beside_arrays(device):
    module = weft.Module.load_from_source(device, "changed", CHANGED)
    x = np.zeros(2, np.float32)

    with pytest.raises(weft.ArgumentError, match=r"change: parameter 'p\.y'.*an output needs"):
        module.change({"x": x, "y": 1})
    module.change({"x": x, "y": np.zeros(2, np.int32)})
    assert x.tolist() == [1.0, 1.0]
