# SPDX-License-Identifier: Apache-2.0
"""diffPair() and DifferentialPair<T>: values with gradients, and functions of both."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
[Differentiable] float poly(float a, float b, float x) { return a * x * x + b * x; }
[Differentiable] float weigh(float3 v, float x) { return dot(v, v) * x; }
[Differentiable] double cube(double x) { return x * x * x; }
[Differentiable] T twice<T : __BuiltinFloatingPointType>(T x) { return x + x; }
struct Paint : IDifferentiable { float3 color; float weight; }
[Differentiable] float energy(Paint paint) { return dot(paint.color, paint.color) * paint.weight; }
[Differentiable] float total(int i, IDiffTensor<float, 1> x) { return x[0] * x[1]; }

float both(DifferentialPair<float> x) { return x.p + 10 * x.d; }
void double_both(inout DifferentialPair<float3> x) { x = diffPair(x.p * 2, x.d * 3); }
void make(float x, out DifferentialPair<float> result) { result = diffPair(x, x * x); }
void poly_bwd(inout DifferentialPair<float> a, inout DifferentialPair<float> x, float given)
{
    var b = diffPair(0.f);
    bwd_diff(poly)(a, b, x, given);
}
[Differentiable] float both_diff(DifferentialPair<float> x) { return x.p; }
float generic_sum<T : IDifferentiable>(DifferentialPair<T> x) { return 1; }
float energy_change(DifferentialPair<Paint> paint) { return fwd_diff(energy)(paint).d; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "pairs", SOURCE)


def given(device, values):
    """A tensor to write into whose gradient is `values`."""
    result = Tensor.zeros(device, np.shape(values)).with_grads()
    result.grad.copy_from_numpy(np.asarray(values, np.float32))
    return result


@pytest.mark.parametrize("count", [1, 100, 100_000])
def test_a_number_gets_the_sum_over_all_calls(device, module, count):
    random = np.random.default_rng(0)
    x, w = random.random((2, count), np.float32)
    a, b = weft.diffPair(2.0), weft.diffPair(3.0)

    module.poly.bwds(a, b, x, _result=given(device, w))

    assert isinstance(a.grad, float)
    assert np.isclose(a.grad, (np.float64(w) * x * x).sum(), rtol=1e-4)
    assert np.isclose(b.grad, (np.float64(w) * x).sum(), rtol=1e-4)
    assert (a.primal, b.primal) == (2.0, 3.0)


def test_gradients_of_numbers_add_up_until_they_are_cleared(device, module):
    a = weft.diffPair(2.0, 1.0)
    for _ in range(2):
        module.poly.bwds(a, 0.0, 3.0, _result=weft.diffPair(0.0, 1.0))

    assert a.grad == 1 + 9 + 9
    a.clear()
    assert a.grad == 0


def test_a_number_can_be_the_result(device, module):
    x, result = weft.diffPair(3.0), weft.diffPair(0.0, 2.0)

    module.poly.bwds(2.0, 1.0, x, _result=result)

    assert result.primal == 2 * 9 + 3
    assert x.grad == 2.0 * (2 * 2 * 3 + 1)


def test_lists_and_arrays_keep_their_form(device, module):
    random = np.random.default_rng(1)
    w = random.random(50, np.float32)
    values = np.array([1.0, 2.0, 3.0])
    array, rows = weft.diffPair(values), weft.diffPair([[1.0, 2.0, 3.0]] * 50)

    module.weigh.bwds(array, 1.0, _result=given(device, w))
    module.weigh.bwds(rows, 1.0, _result=given(device, w))

    assert np.allclose(array.grad, 2 * values * w.sum(), rtol=1e-5)
    assert isinstance(rows.grad, list)
    assert np.allclose(rows.grad, 2 * values * w[:, None], rtol=1e-5)


def test_rows_of_an_array_get_the_sums_of_their_calls(device, module):
    random = np.random.default_rng(2)
    x, w = random.random((2, 7, 5), np.float32)
    a = weft.diffPair(random.random((7, 1)))
    b = weft.diffPair(random.random(5))

    module.poly.bwds(a, b, x, _result=given(device, w))

    assert np.allclose(a.grad, (w * x * x).sum(1, keepdims=True), rtol=1e-4)
    assert np.allclose(b.grad, (w * x).sum(0), rtol=1e-4)


def test_an_array_passed_as_gradient_is_added_to_in_place(device, module):
    gradient = np.array([1.0, 2.0, 3.0])

    module.weigh.bwds(weft.diffPair(np.ones(3), gradient), 1.0, _result=given(device, [1.0]))

    assert np.array_equal(gradient, [3, 4, 5])


def test_a_tensor_in_a_pair_keeps_its_gradient_on_the_device(device, module):
    x = Tensor.from_numpy(device, np.array([1.0, 2.0], np.float32))
    pair = weft.diffPair(x, 10.0)

    module.poly.bwds(1.0, 0.0, pair, _result=given(device, [1.0, 1.0]))

    assert np.array_equal(pair.grad.numpy(), [12, 14])
    assert np.array_equal(pair.primal.numpy(), [1, 2])


def test_doubles_keep_their_precision(device, module):
    x = weft.diffPair(1.1)
    result = Tensor.zeros(device, (), weft.float64).with_grads()
    result.grad.fill(1.0)

    module.cube.bwds(x, _result=result)

    assert np.isclose(x.grad, 3 * 1.1**2, rtol=1e-14)


def test_fields_of_a_dict_are_pairs_of_their_own(device, module):
    color, weight = weft.diffPair([1.0, 2.0, 3.0]), weft.diffPair(2.0)

    module.energy.bwds({"color": color, "weight": weight}, _result=given(device, np.ones(10)))

    assert np.allclose(color.grad, [40, 80, 120])
    assert np.isclose(weight.grad, 140)


def test_a_pair_is_a_value_for_a_forward_call_and_a_generic_function(device, module):
    assert module.poly(weft.diffPair(2.0), 1.0, weft.diffPair(3.0)) == 21
    x = weft.diffPair(2.0)
    module.twice.bwds(x, _result=weft.diffPair(0.0, 1.0))
    assert x.grad == 2


def test_a_pair_goes_into_a_whole_tensor(device, module):
    x = weft.diffPair([2.0, 5.0])

    module.total.bwds(weft.grid((3,)), x, _result=given(device, [1.0, 1.0, 2.0]))

    assert x.grad == [20, 8]


def test_forward_mode_takes_the_tangent_from_the_pair(device, module):
    result = weft.diffPair(0.0)

    module.poly.fwds(weft.diffPair(2.0, 1.0), 1.0, weft.diffPair(3.0, 0.5), _result=result)

    assert result.primal == 21
    assert result.grad == 9 + 0.5 * (2 * 2 * 3 + 1)


def test_a_pair_parameter_reads_value_and_gradient(device, module):
    x = np.array([1.0, 2.0], np.float32)
    tensor = Tensor.from_numpy(device, x).with_grads(Tensor.from_numpy(device, 3 * x))

    assert np.array_equal(module.both(tensor).numpy(), 31 * x)
    assert module.both(weft.diffPair(1.0, 2.0)) == 21
    assert np.array_equal(module.both(weft.diffPair(x, 2.0)).numpy(), x + 20)


def test_an_inout_pair_parameter_writes_value_and_gradient(device, module):
    tensor = weft.NDDifferentiableBuffer(device, module.float3, (4,))
    tensor.copy_from_numpy(np.full((4, 3), 5, np.float32))
    tensor.grad.copy_from_numpy(np.full((4, 3), 7, np.float32))
    pair = weft.diffPair([1.0, 2.0, 3.0], [1.0, 1.0, 1.0])

    module.double_both(tensor)
    module.double_both(pair)

    assert np.array_equal(tensor.numpy(), np.full((4, 3), 10))
    assert np.array_equal(tensor.grad.numpy(), np.full((4, 3), 21))
    assert (pair.primal, pair.grad) == ([2, 4, 6], [3, 3, 3])


def test_two_gradients_are_one_to_read_and_one_to_write(device, module):
    ones = Tensor.ones(device, (2,), module.float3)
    tensor = ones.with_grads(Tensor.full(device, (2,), 4.0, module.float3),
                             Tensor.zeros(device, (2,), module.float3))  # fmt: skip

    module.double_both(tensor)

    assert np.array_equal(tensor.grad_in.numpy(), np.full((2, 3), 4))
    assert np.array_equal(tensor.grad_out.numpy(), np.full((2, 3), 12))


def test_an_out_pair_parameter_is_written(device, module):
    result = weft.types.NDDifferentiableBuffer(device, weft.float32, (3,))

    module.make(np.array([1.0, 2.0, 3.0]), result)

    assert np.array_equal(result.numpy(), [1, 2, 3])
    assert np.array_equal(result.grad.numpy(), [1, 4, 9])


def test_a_hand_written_backward_function_replaces_the_gradients(device, module):
    x = weft.NDDifferentiableBuffer(device, weft.float32, (3,))
    x.copy_from_numpy(np.array([1, 2, 3], np.float32))
    a = weft.NDDifferentiableBuffer(device, weft.float32, (3,))
    a.copy_from_numpy(np.full(3, 2, np.float32))

    module.poly_bwd(a, x, 1.0)

    assert np.array_equal(a.grad.numpy(), [1, 4, 9])
    assert np.array_equal(x.grad.numpy(), [4, 8, 12])


def test_pairs_of_structures_and_generic_pairs(device, module):
    paint = Tensor.zeros(device, (2,), module.Paint).with_grads()
    paint.copy_from_numpy({"color": np.ones((2, 3), np.float32), "weight": np.full(2, 2.0)})
    paint.grad.copy_from_numpy({"color": np.ones((2, 3), np.float32), "weight": np.full(2, 1.0)})

    assert np.allclose(module.energy_change(paint).numpy(), 12 + 3)
    assert module.generic_sum(weft.diffPair(2.0)) == 1


BAD_CALLS = {
    "a shared pair is written": (
        lambda d, m: m.poly_bwd(weft.diffPair(2.0), weft.diffPair(np.ones(3)), 1.0),
        "poly_bwd: parameter 'a': it is written, so its shape must be the shape of the call, (3,)",
    ),
    "no gradient": (
        lambda d, m: m.both(Tensor.ones(d, (2,))),
        "parameter 'x' must be DifferentialPair<float>, got a tensor of float, shape (2,); "
        "pass tensor.with_grads()",
    ),
    "a number": (lambda d, m: m.both(1.0), "pass weft.diffPair(value, gradient) or a tensor"),
    "a derivative of pairs": (
        lambda d, m: m.both_diff.bwds(weft.diffPair(1.0), _result=weft.diffPair(0.0, 1.0)),
        "a function of pairs is a derivative already: call it directly",
    ),
    "integers": (lambda d, m: weft.diffPair(np.ones(3, np.int32)), "must hold floats, got int32"),
    "a dict": (lambda d, m: weft.diffPair({"x": 1.0}), "give its fields pairs of their own"),
    "shapes": (
        lambda d, m: weft.diffPair(np.ones(3), np.ones(2)),
        "argument 'gradient' has shape (2,), the value has shape (3,); give both one shape",
    ),
    "no derivative": (
        lambda d, m: weft.NDDifferentiableBuffer(d, weft.int32, (3,)),
        "values of int have no derivatives",
    ),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_a_wrong_use_of_pairs_says_what_is_wrong(device, module, case):
    call, text = BAD_CALLS[case]

    with pytest.raises(weft.ArgumentError) as caught:
        call(device, module)

    assert text in str(caught.value)


def test_pairs_of_the_host_cannot_be_recorded(device, module):
    encoder = device.create_command_encoder()

    with pytest.raises(weft.ArgumentError) as caught:
        module.poly.bwds.append_to(
            encoder, weft.diffPair(2.0), 1.0, 1.0, _result=given(device, [1.0])
        )

    assert "needs host arrays moved, which cannot be recorded" in str(caught.value)
