# SPDX-License-Identifier: Apache-2.0
"""Documented use of a multilayer perceptron: called from Python, and trained."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
import mlp;

[Differentiable]
float[8] infer(MLP<32,8> mlp, float input[32])
{
    return mlp.run(input);
}

[Differentiable]
float squaredError(MLP<32,8> mlp, float input[32], float target[8])
{
    float error = 0.0;
    let output = infer(mlp, input);
    [ForceUnroll]
    for (int i = 0; i < 8; i++)
        error += (output[i] - target[i]) * (output[i] - target[i]);
    return error;
}

void descend(inout float param, float grad, float step)
{
    param -= grad * step;
}
"""

N = 128
rng = np.random.default_rng(0)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "seed_mlp", SOURCE)


def random_tensor(device, *shape):
    return Tensor.from_numpy(device, rng.random(shape).astype(np.float32))


def test_a_matrix_is_the_network_of_all_calls(device, module):
    weights, batch = random_tensor(device, 32, 8), random_tensor(device, N, 32)

    output = module.infer(weights, batch, _result=Tensor)

    assert output.shape == (N,)
    assert np.allclose(output.to_numpy(), batch.to_numpy() @ weights.to_numpy(), rtol=1e-5)


def test_training_prints_a_loss_that_falls(device, module):
    weights = random_tensor(device, 32, 8).with_grads()
    batch, target = random_tensor(device, N, 32), random_tensor(device, N, 8)
    losses = Tensor.zeros(device, dtype=module.float, shape=(N,))
    loss_gradient = Tensor.from_numpy(device, np.ones(shape=(N,), dtype=np.float32))
    losses = losses.with_grads(grad_in=loss_gradient)
    printed = []

    for _ in range(60):
        weights.grad_out.clear()
        module.squaredError.bwds(weights, batch, target, _result=losses)
        module.descend(weights.flatten_dtype(), weights.grad_out.flatten_dtype(), 1e-4)
        printed.append(losses.to_numpy().mean())

    assert printed[0] > 100  # weights of [0, 1] give sums near 8, targets are near 0.5
    assert all(later < earlier for earlier, later in pairwise(printed))
    assert printed[-1] < 0.05 * printed[0]


def test_the_first_step_is_the_one_of_the_closed_form(device, module):
    weights = random_tensor(device, 32, 8).with_grads()
    batch, target = random_tensor(device, N, 32), random_tensor(device, N, 8)
    losses = Tensor.zeros(device, (N,)).with_grads(grad_in=Tensor.ones(device, (N,)))
    w, x, t = (each.to_numpy().astype(np.float64) for each in (weights, batch, target))

    module.squaredError.bwds(weights, batch, target, _result=losses)

    residual = x @ w - t
    assert np.allclose(losses.to_numpy(), (residual**2).sum(1), rtol=1e-5)
    assert np.allclose(weights.grad_out.to_numpy(), 2 * x.T @ residual, rtol=1e-4)
