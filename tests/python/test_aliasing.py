# SPDX-License-Identifier: Apache-2.0
"""Arguments of one call that share memory: in place one-to-one, an error where it is a race."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
[Differentiable] float weigh(float a, float b) { return a * a * b; }
float add(float a, float b) { return a + b; }
void both(float x, out float y, out float z) { y = x + 1; z = x + 2; }
void step(inout float x, float gradient) { x -= gradient; }
void shift(int i, ITensor<float, 1> x, IWTensor<float, 1> y) { y[i] = x[i + 1]; }
void in_place(int i, IRWTensor<float, 1> x) { x[i] = 2 * x[i]; }
float sum_of(int i, NDBuffer<float, 1> a, NDBuffer<float, 1> b) { return a[i] + b[i]; }
[Differentiable] float product(int i, IDiffTensor<float, 1> a, IDiffTensor<float, 1> b)
{
    return a[i] * a[i] * b[i];
}
void raw(uint3 thread : SV_DispatchThreadID, NDBuffer<float, 1> a, RWTensor<float, 1> b)
{
    b[thread.x] = a[thread.x];
}
"""

X = np.array([1, 2, 3, 4, 5, 6], np.float32)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "aliasing", SOURCE)


@pytest.fixture
def x(device):
    return Tensor.from_numpy(device, X)


def test_a_result_may_be_an_input_element_by_element(module, x):
    module.add(x, x, _result=x)

    assert np.array_equal(x.numpy(), 2 * X)


def test_inout_parameters_and_read_write_tensors_work_in_place(module, x):
    module.step(x, 1.0)
    module.in_place(weft.grid((6,)), x)

    assert np.array_equal(x.numpy(), 2 * (X - 1))


def test_one_tensor_may_be_read_twice(module, x):
    assert np.array_equal(module.sum_of(weft.grid((6,)), x, x).numpy(), 2 * X)


def test_parts_of_one_tensor_that_do_not_meet_are_apart(device, module):
    rows = Tensor.from_numpy(device, np.arange(24, dtype=np.float32).reshape(4, 6))
    before = rows.numpy()

    module.add(rows[:, 0], rows[:, 1], _result=rows[:, 2])  # columns
    module.add(rows[:, 0:2], 1.0, _result=rows[:, 4:6])  # blocks of columns
    module.add(rows[0], rows[1], _result=rows[2])  # rows
    flat = rows.reshape(24)
    module.add(flat[0::2], 0.0, _result=flat[1::2])  # every other element

    expected = before.copy()
    expected[:, 2] = before[:, 0] + before[:, 1]
    expected[:, 4:6] = before[:, 0:2] + 1
    expected[2] = expected[0] + expected[1]
    expected.ravel()[1::2] = expected.ravel()[0::2]
    assert np.array_equal(rows.numpy(), expected)


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda m, x: m.add(x[1:], 1.0, _result=x[:-1]), "'a' and '_result'"),
        (lambda m, x: m.add(x[0], 1.0, _result=x), "'a' and '_result'"),
        (lambda m, x: m.add(x.reshape(2, 3), x.reshape(3, 2).T, _result=x.reshape(2, 3)),
         "'b' and '_result'"),
        (lambda m, x: m.both(np.ones(2), x[0:2], x[1:3]), "'z' and 'y'"),
        (lambda m, x: m.step(x[1:], x[:-1]), "'gradient' and 'x'"),
        (lambda m, x: m.shift(weft.grid((5,)), x, x), "'x' and 'y'"),
    ],
)  # fmt: skip
def test_a_race_is_an_error_that_names_both_parameters(module, x, call, names):
    with pytest.raises(weft.ArgumentError) as caught:
        call(module, x)

    assert f"parameters {names} share memory" in str(caught.value)
    assert "is written while other calls read or write" in str(caught.value)
    assert "give one of them memory of its own" in str(caught.value)
    assert np.array_equal(x.numpy(), X)  # nothing has run


def test_a_race_is_seen_in_a_repeated_call(device, module, x):
    other = Tensor.zeros(device, (5,))
    module.add(x[1:], 1.0, _result=other)

    with pytest.raises(weft.ArgumentError, match="share memory"):
        module.add(x[1:], 1.0, _result=x[:-1])
    module.add(x[1:], 1.0, _result=other)

    assert np.array_equal(other.numpy(), X[1:] + 1)


def test_threads_of_a_dispatch_are_the_users_own(module, x):
    module.raw.dispatch(6, a=x, b=x)

    assert np.array_equal(x.numpy(), X)


@pytest.mark.parametrize("count", [1, 6, 5000])
def test_one_gradient_of_two_arguments_gets_both_parts(device, module, count):
    values = np.random.default_rng(0).random(count).astype(np.float32) + 0.5
    a, b = (Tensor.from_numpy(device, values).with_grads() for _ in range(2))
    result = Tensor.zeros(device, (count,)).with_grads(Tensor.ones(device, (count,)))

    module.weigh.bwds(a, a, _result=result)
    module.product.bwds(weft.grid((count,)), b, b, _result=result)

    assert np.allclose(a.grad.numpy(), 3 * values**2, rtol=1e-5)
    assert np.allclose(b.grad.numpy(), 3 * values**2, rtol=1e-5)


def test_gradients_of_views_that_meet_get_both_parts(device, module, x):
    held = x.with_grads()
    result = Tensor.zeros(device, (5,)).with_grads(Tensor.ones(device, (5,)))

    module.weigh.bwds(held[1:], held[:-1], _result=result)

    expected = np.zeros(6)
    expected[1:] += 2 * X[1:] * X[:-1]
    expected[:-1] += X[1:] ** 2
    assert np.allclose(held.grad.numpy(), expected)


def test_plans_know_which_gradients_are_shared(device, module):
    a, b = (Tensor.from_numpy(device, X).with_grads() for _ in range(2))
    result = Tensor.zeros(device, (6,)).with_grads(Tensor.ones(device, (6,)))

    module.weigh.bwds(a, b, _result=result)
    module.weigh.bwds(a, a, _result=result)
    module.weigh.bwds(a, b, _result=result)

    assert np.allclose(a.grad.numpy(), 2 * 2 * X**2 + 3 * X**2)
    assert np.allclose(b.grad.numpy(), 2 * X**2)


def test_a_gradient_that_is_added_to_must_not_be_read_elsewhere(device, module, x):
    held = x.with_grads()
    result = Tensor.zeros(device, (5,)).with_grads(held.grad[1:])

    with pytest.raises(weft.ArgumentError) as caught:
        module.weigh.bwds(held[:-1], 1.0, _result=result)

    assert (
        "the grad_out of 'a' is written while other calls read or write the grad_in of '_result'"
        in (str(caught.value))
    )


def test_a_gradient_that_is_a_primal_of_another_argument_is_an_error(device, module, x):
    held = x.with_grads()
    result = Tensor.zeros(device, (6,)).with_grads(Tensor.ones(device, (6,)))

    with pytest.raises(weft.ArgumentError, match="'b' and 'a' share memory"):
        module.weigh.bwds(held, held.grad[0], _result=result)


def test_deterministic_sums_of_one_gradient_get_both_parts(device, module):
    values = np.random.default_rng(1).random(3000).astype(np.float32) + 0.5
    x = Tensor.from_numpy(device, values).with_grads()
    result = Tensor.zeros(device, (3000,)).with_grads(Tensor.ones(device, (3000,)))

    for _ in range(2):
        module.weigh.bwds(x, x, _result=result, deterministic=True)

    assert np.allclose(x.grad.numpy(), 6 * values**2, rtol=1e-5)
