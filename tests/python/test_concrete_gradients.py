# SPDX-License-Identifier: Apache-2.0
"""Parameters of type DiffTensor, WDiffTensor, RWDiffTensor, with and without gradients."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
[Differentiable] float square(int i, DiffTensor<float, 1> x) { return x[i] * x[i]; }
[Differentiable]
void copy(int i, DiffTensor<float, 1> x, WDiffTensor<float, 1> y) { y[i] = 3 * x[i]; }
[Differentiable] void double_it(int i, RWDiffTensor<float, 1> x) { x[i] = 2 * x[i]; }
[Differentiable] float interface_square(int i, IDiffTensor<float, 1> x) { return x[i] * x[i]; }
void square_bwd(int i, DiffTensor<float, 1> x, float given)
{
    x._grad_out.add(i, 2 * x[i] * given);
}
float given_of(int i, WDiffTensor<float2, 1> y) { return y._grad_in[i].x + y._grad_in[i].y; }
float length(int i, IDiffTensor<float3, 1> x) { return x[i].x; }
[Differentiable] float squared_length(int i, IDiffTensor<float3, 1> x) { return dot(x[i], x[i]); }
"""

GRID = weft.grid((3,))


@pytest.fixture
def module(device):
    """A module of its own for each test: a warning is shown once a module."""
    return weft.Module.load_from_source(device, "concrete", SOURCE)


def ones(device):
    return Tensor.ones(device, (3,))


def result(device):
    made = Tensor.zeros(device, (3,)).with_grads()
    made.grad.fill(1.0)
    return made


def test_a_forward_call_without_gradient_warns_once_and_works(device, module):
    def call():
        for count in (3, 4, 5):
            module.square(weft.grid((count,)), Tensor.ones(device, (count,)))

    with pytest.warns(weft.GradientWarning) as caught:
        call()

    assert len(caught) == 1
    assert (
        "square: parameter 'x' is a DiffTensor and got a tensor without a gradient: it reads zero "
        "and drops what is added; pass tensor.with_grads(), or declare the parameter as IDiffTensor"
    ) in str(caught[0].message)
    assert caught[0].filename == __file__


def test_each_parameter_is_warned_of(device, module):
    with pytest.warns(weft.GradientWarning) as caught:
        module.copy(GRID, ones(device), ones(device))

    assert ["'x' is a DiffTensor" in str(w.message) for w in caught] == [True, False]
    assert "'y' is a WDiffTensor" in str(caught[1].message)


def test_what_is_added_to_an_absent_gradient_is_dropped(device, module):
    x = ones(device)

    with pytest.warns(weft.GradientWarning):
        module.square_bwd(GRID, x, 1.0)

    assert np.array_equal(x.numpy(), [1, 1, 1])


def test_an_absent_gradient_reads_zero(device, module):
    x = ones(device).with_grads()
    x.grad.fill(4.0)

    with pytest.warns(weft.GradientWarning):
        module.copy.bwds(GRID, x, ones(device))
    with pytest.warns(weft.GradientWarning):
        zeros = module.given_of(GRID, Tensor.ones(device, (3,), weft.float2))

    assert np.array_equal(x.grad.numpy(), [4, 4, 4])
    assert np.array_equal(zeros.numpy(), [0, 0, 0])


def test_a_read_write_tensor_needs_no_gradient_either(device, module):
    x = ones(device)
    gradient = Tensor.full(device, (3,), 7.0)
    with pytest.warns(weft.GradientWarning):
        module.double_it(GRID, x)

    module.double_it.bwds(GRID, x.with_grads(grad_out=gradient))

    assert np.array_equal(x.numpy(), [2, 2, 2])
    assert np.array_equal(gradient.numpy(), [7, 7, 7])


def test_a_function_called_directly_reaches_the_gradients(device, module):
    x = Tensor.from_numpy(device, np.array([1, 2, 3], np.float32)).with_grads()
    y = Tensor.zeros(device, (3,), weft.float2).with_grads()
    y.grad.copy_from_numpy(np.arange(6, dtype=np.float32).reshape(3, 2))

    module.square_bwd(GRID, x, 10.0)

    assert np.array_equal(x.grad.numpy(), [20, 40, 60])
    assert np.array_equal(module.given_of(GRID, y).numpy(), [1, 5, 9])


def test_tensors_with_gradients_and_interfaces_do_not_warn(device, module):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module.square.bwds(GRID, ones(device).with_grads(), _result=result(device))
        module.interface_square(GRID, ones(device))
        module.interface_square.bwds(GRID, ones(device).with_grads(), _result=result(device))


def test_a_warning_that_is_an_error_stops_the_call_each_time(device, module):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(weft.GradientWarning):
                module.square(GRID, ones(device))


def test_a_tensor_of_scalars_serves_as_one_of_vectors(device, module):
    values = np.arange(9, dtype=np.float32).reshape(3, 3)
    x = Tensor.from_numpy(device, values).with_grads()

    module.squared_length.bwds(GRID, x, _result=result(device))

    assert np.array_equal(x.grad.numpy(), 2 * values)


def test_a_gradient_with_gaps_inside_an_element_is_refused(device, module):
    gradient = Tensor.from_numpy(device, np.zeros((3, 3), np.float32)).T
    x = Tensor.from_numpy(device, np.ones((3, 3), np.float32)).with_grads(gradient, gradient)

    with pytest.raises(weft.ArgumentError) as caught:
        module.squared_length.bwds(GRID, x, _result=result(device))

    assert "the components of an element of its gradient must be contiguous" in str(caught.value)
