# SPDX-License-Identifier: Apache-2.0
"""Optimisers fed by real backward calls through tensor.grad, on problems with known answers."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor, optim

SOURCE = """
[Differentiable] float squared(float2 x, float2 weights, float bias, float y)
{
    const float d = dot(x, weights) + bias - y;
    return d * d;
}
[Differentiable] float logistic(float2 x, float2 weights, float bias, float y)
{
    const float score = dot(x, weights) + bias;
    return log(1.f + exp(-y * score));
}
[Differentiable] float rosenbrock(int i, IDiffTensor<float, 1> x)
{
    const float curve = x[i + 1] - x[i] * x[i];
    const float ahead = 1.f - x[i];
    return 100.f * curve * curve + ahead * ahead;
}
"""
COUNT = 400


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "training", SOURCE)


class Training:
    """A loss, its mean over samples, and its gradients by backward calls."""

    def __init__(self, module, name, seed):
        device, random = module.device, np.random.default_rng(seed)
        self.x = random.normal(size=(COUNT, 2)).astype(np.float32)
        self.truth = random.uniform(-2, 2, 3)
        score = self.x @ self.truth[:2] + self.truth[2]
        noisy = np.where(random.random(COUNT) < 1 / (1 + np.exp(-score)), 1.0, -1.0)
        self.y = (noisy if name == "logistic" else score).astype(np.float32)
        self.weights = Tensor.zeros(device, (), module.float2).with_grads()
        self.bias = Tensor.zeros(device, ()).with_grads()
        self._loss = getattr(module, name)
        self._samples = [Tensor.from_numpy(device, array) for array in (self.x, self.y)]
        self._values = Tensor.zeros(device, (COUNT,)).with_grads()
        self._values.grad.fill(1 / COUNT)

    def backward(self):
        """Set the gradients; return the loss."""
        for tensor in (self.weights, self.bias):
            tensor.grad.clear()
        x, y = self._samples
        self._loss.bwds(x, self.weights, self.bias, y, _result=self._values)
        return weft.mean(self._values)

    def found(self):
        return np.append(self.weights.numpy(), self.bias.numpy())


FIRST_ORDER = {
    "sgd": lambda tensors: optim.SGD(tensors, 0.1),
    "momentum": lambda tensors: optim.SGD(tensors, 0.05, momentum=0.9, nesterov=True),
    "adam": lambda tensors: optim.Adam(tensors, optim.cosine_rate(0.1, steps=300)),
    "adamw": lambda tensors: optim.AdamW(
        tensors, optim.cosine_rate(0.1, steps=300), weight_decay=0.0
    ),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", FIRST_ORDER)
def test_linear_regression_finds_the_coefficients(module, kind, seed):
    training = Training(module, "squared", seed)
    optimiser = FIRST_ORDER[kind]([training.weights, training.bias])

    for _ in range(300):
        training.backward()
        optimiser.step()

    assert np.allclose(training.found(), training.truth, atol=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_all_optimisers_agree_on_logistic_regression(module, seed):
    found = {}
    for kind in ("momentum", "adam"):
        training = Training(module, "logistic", seed)
        optimiser = FIRST_ORDER[kind]([training.weights, training.bias])
        for _ in range(300):
            training.backward()
            optimiser.step()
        found[kind] = training.found()
    training = Training(module, "logistic", seed)
    minimum = optim.LBFGS([training.weights, training.bias]).minimise(training.backward)

    assert minimum.gradient_norm < 1e-4
    for kind, values in found.items():
        assert np.allclose(values, training.found(), atol=0.02), kind
    # At the minimum the mean of the residuals is 0, in closed form.
    score = training.x @ training.found()[:2] + training.found()[2]
    slopes = -training.y / (1 + np.exp(training.y * score))
    assert np.allclose([slopes.mean(), *(slopes @ training.x / COUNT)], 0, atol=1e-4)


def test_adamw_decays_what_the_loss_does_not_hold(module):
    plain, decayed = Training(module, "logistic", 0), Training(module, "logistic", 0)
    optimisers = [
        optim.AdamW([plain.weights, plain.bias], 0.05, weight_decay=0.0),
        optim.AdamW([decayed.weights, decayed.bias], 0.05, weight_decay=1.0),
    ]

    for _ in range(300):
        for training, optimiser in zip((plain, decayed), optimisers, strict=True):
            training.backward()
            optimiser.step()

    assert np.linalg.norm(decayed.found()) < 0.8 * np.linalg.norm(plain.found())


@pytest.mark.parametrize("seed", range(3))
def test_lbfgs_follows_rosenbrocks_valley(device, module, seed):
    start = np.random.default_rng(seed).uniform(-1.5, 1.5, 10).astype(np.float32)
    x = Tensor.from_numpy(device, start).with_grads()
    values = Tensor.zeros(device, (9,)).with_grads()
    values.grad.fill(1.0)

    def evaluate():
        x.grad.clear()
        module.rosenbrock.bwds(weft.grid((9,)), x, _result=values)
        return weft.sum(values)

    minimum = optim.LBFGS([x]).minimise(evaluate, max_iterations=500)

    assert minimum.loss < 1e-4 or abs(minimum.loss - 3.98) < 0.1  # its two minima
    assert np.abs(x.grad.numpy()).max() < 0.1
    if minimum.loss < 1e-4:
        assert np.allclose(x.numpy(), 1, atol=2e-2)


def test_gradients_add_up_until_they_are_cleared(module):
    training = Training(module, "squared", 0)
    optimiser = optim.SGD([training.weights, training.bias], 0.1)

    training.backward()
    once = training.bias.grad.numpy()
    training._loss.bwds(
        training._samples[0], training.weights, training.bias, training._samples[1],
        _result=training._values,
    )  # fmt: skip
    assert np.allclose(training.bias.grad.numpy(), 2 * once)

    optimiser.step()
    assert np.allclose(training.bias.numpy(), -0.2 * once, rtol=1e-5)
    optimiser.zero_grad()
    assert training.bias.grad.numpy() == 0
