# SPDX-License-Identifier: Apache-2.0
"""Documented uses of tensors with gradients."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.tensor_functions import SOURCE

OWN = """
[Differentiable]
[BackwardDerivative(smooth_bwd)]
float smooth(int idx, DiffTensor<float, 1> input)
{
    float x = input.load(idx);
    return x <= 0 ? 0 : x >= 1 ? 1 : x * x * (3 - 2 * x);
}

void smooth_bwd(int idx, DiffTensor<float, 1> input, float gradient)
{
    float x = input._primal.load(idx);
    float slope = x <= 0 || x >= 1 ? 0 : 6 * x * (1 - x);
    input._grad_out.add(idx, slope * gradient);
}
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "seed_gradients", SOURCE + OWN)


def ones(count):
    return np.ones(count, dtype=np.float32)


def test_a_polynomial_passes_its_gradient_to_the_input(device, module):
    x = weft.Tensor.from_numpy(device, np.array([1, 2, 3, 4], dtype=np.float32))
    x = x.with_grads(zero=True)
    result = weft.Tensor.empty(device, x.shape, weft.float32)

    module.quadratic(idx=weft.grid(x.shape), a=2, b=8, c=-1, x=x, result=result)
    result = result.with_grads()
    result.grad.copy_from_numpy(ones(4))
    module.quadratic.bwds(idx=weft.grid(x.shape), a=2, b=8, c=-1, x=x, result=result)

    assert np.array_equal(result.to_numpy(), [9, 23, 41, 63])
    assert np.array_equal(x.grad.to_numpy(), [12, 16, 20, 24])


def test_a_tensor_changed_in_place_has_two_gradients(device, module):
    x = weft.Tensor.from_numpy(device, np.array([1, 2, 3, 4], dtype=np.float32))
    x = x.with_grads(
        grad_in=weft.Tensor.ones(device, shape=(4,), dtype=float),
        grad_out=weft.Tensor.zeros(device, shape=(4,), dtype=float),
    )

    module.doubled_in_place(idx=weft.grid(x.shape), data=x)
    module.doubled_in_place.bwds(idx=weft.grid(x.shape), data=x)

    assert np.array_equal(x.to_numpy(), [2, 4, 6, 8])  # written by the call, not again by bwds
    assert np.array_equal(x.grad_out.to_numpy(), [2, 2, 2, 2])


def test_one_gradient_for_reading_and_writing_is_refused(device, module):
    x = weft.Tensor.zeros(device, (4,)).with_grads()

    with pytest.raises(weft.ArgumentError) as caught:
        module.doubled_in_place.bwds(idx=weft.grid(x.shape), data=x)

    assert "give it two: with_grads(grad_in=..., grad_out=...)" in str(caught.value)


def test_a_dense_layer_accumulates_in_weights_bias_and_input(device, module):
    rng = np.random.default_rng(0)
    init, bias_init, batch, given = (
        rng.random(shape, dtype=np.float32) for shape in ((5, 3), (5,), (3,), (5,))
    )
    weights = weft.Tensor.from_numpy(device, init).with_grads(zero=True)
    bias = weft.Tensor.from_numpy(device, bias_init).with_grads(zero=True)
    x = weft.Tensor.from_numpy(device, batch).with_grads(zero=True)
    y = weft.Tensor.empty(device, shape=(5,), dtype=float).with_grads()

    module.dense(weft.grid(shape=(5,)), weights, bias, x, y)
    y.grad.copy_from_numpy(given)
    module.dense.bwds(weft.grid(shape=(5,)), weights, bias, x, y)

    assert np.allclose(y.to_numpy(), init @ batch + bias_init, rtol=1e-5)
    assert np.allclose(weights.grad.to_numpy(), np.outer(given, batch), rtol=1e-5)
    assert np.allclose(bias.grad.to_numpy(), given, rtol=1e-5)
    assert np.allclose(x.grad.to_numpy(), init.T @ given, rtol=1e-5)


def test_a_tensor_without_gradient_is_a_constant(device, module):
    weights = weft.Tensor.ones(device, (5, 3)).with_grads()
    bias, x = weft.Tensor.ones(device, (5,)), weft.Tensor.ones(device, (3,))
    y = weft.Tensor.zeros(device, (5,)).with_grads()
    y.grad.copy_from_numpy(ones(5))

    module.dense.bwds(weft.grid(shape=(5,)), weights, bias, x, y)

    assert np.array_equal(weights.grad.to_numpy(), np.ones((5, 3)))


def test_a_custom_derivative_adds_to_the_gradient_of_its_tensor(device, module):
    values = np.array([-1, 0.25, 0.5, 2], dtype=np.float32)
    x = weft.Tensor.from_numpy(device, values).with_grads()
    result = weft.Tensor.zeros(device, (4,)).with_grads()
    result.grad.copy_from_numpy(ones(4))

    module.smooth.bwds(weft.grid((4,)), x, _result=result)

    assert np.allclose(result.to_numpy(), [0, 0.15625, 0.5, 1])
    assert np.allclose(x.grad.to_numpy(), [0, 1.125, 1.5, 0])


def test_a_concrete_tensor_type_takes_a_tensor_without_gradient(device, module):
    x = weft.Tensor.from_numpy(device, np.array([0.5], dtype=np.float32))

    with pytest.warns(weft.GradientWarning):
        result = module.smooth(weft.grid((1,)), x)

    assert np.allclose(result.numpy(), [0.5])
