# SPDX-License-Identifier: Apache-2.0
"""Levenberg-Marquardt with Jacobians from forward mode."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor
from weft.optim import LevenbergMarquardt, Model

SOURCE = """
[Differentiable] float decay(no_diff float t, float height, float rate, float offset)
{
    return height * exp(-rate * t) + offset;
}
[Differentiable] float3 shine(no_diff float3 n, float3 colour, float3 light, float ambient)
{
    return colour * (ambient + max(dot(n, normalize(light)), 0.f));
}
[Differentiable] float cubic(no_diff float x, float c[4])
{
    return c[0] + x * (c[1] + x * (c[2] + x * c[3]));
}
[Differentiable] float2 rosenbrock(float x, float y) { return float2(10.f * (y - x * x), 1.f - x); }
[Differentiable] double square(double x) { return x * x - 2.0L; }
int whole(int x) { return x; }
"""
T = np.linspace(0, 4, 60).astype(np.float32)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "models", SOURCE)


def differences(model, x, step=1e-2):
    """Central differences of the residuals."""
    columns = []
    for i in range(len(x)):
        above, below = np.array(x, np.float64), np.array(x, np.float64)
        above[i] += step
        below[i] -= step
        difference = model.residuals(above).astype(np.float64) - model.residuals(below)
        columns.append(difference.reshape(-1) / (2 * step))
    return np.stack(columns, 1)


def test_the_jacobian_of_numbers_is_exact(module):
    model = Model(module.decay, ["height", "rate", "offset"], {"t": T})

    jacobian = model.jacobian([2.0, 0.7, 0.3])

    e = np.exp(-0.7 * T)
    assert np.allclose(jacobian, np.stack([e, -2 * T * e, np.ones_like(T)], 1), atol=1e-6)


def test_the_order_of_unknowns_is_that_of_the_list(module):
    model = Model(module.decay, ["rate", "height"], {"t": T, "offset": 0.0})

    e = np.exp(-0.7 * T)
    assert np.allclose(model.residuals([0.7, 2.0]), 2 * e, atol=1e-6)
    assert np.allclose(model.jacobian([0.7, 2.0]), np.stack([-2 * T * e, e], 1), atol=1e-6)


def test_vectors_are_unknowns_and_predictions(device, module):
    random = np.random.default_rng(0)
    n = random.normal(size=(6, 5, 3))
    n = (n / np.linalg.norm(n, axis=-1, keepdims=True)).astype(np.float32)
    model = Model(module.shine, ["colour", "light", "ambient"], {"n": Tensor.from_numpy(device, n)})
    x = [0.8, 0.4, 0.2, 0.1, 0.9, 0.3, 0.25]

    jacobian = model.jacobian(x)

    assert jacobian.shape == (90, 7)
    assert np.allclose(jacobian, differences(model, x, 1e-3), atol=2e-3)


def test_arrays_are_unknowns(module):
    x = np.linspace(-1, 1, 20).astype(np.float32)
    model = Model(module.cubic, ["c"], {"x": x})

    assert np.allclose(model.jacobian(np.ones(4)), x[:, None] ** np.arange(4), atol=1e-6)


def test_without_arrays_there_is_one_prediction(module):
    model = Model(module.rosenbrock, ["x", "y"])

    assert np.allclose(model.residuals([-1.0, 2.0]), [10, 2])
    assert np.allclose(model.jacobian([-1.0, 2.0]), [[20, 10], [-1, 0]])


@pytest.mark.parametrize("seed", range(5))
def test_noisy_decays_are_fitted_from_any_start(module, seed):
    random = np.random.default_rng(seed)
    truth = random.uniform([1, 0.3, -1], [4, 1.5, 1])
    clean = truth[0] * np.exp(-truth[1] * T) + truth[2]
    model = Model(
        module.decay, ["height", "rate", "offset"], {"t": T}, clean + 0.01 * random.normal(size=60)
    )

    fit = LevenbergMarquardt(model.residuals, model.jacobian).fit(random.uniform(0.2, 2, 3))

    assert fit.is_converged
    assert np.all(np.abs(fit.parameters - truth) < 5 * fit.standard_errors)
    by_differences = LevenbergMarquardt(model.residuals).fit(fit.parameters)
    assert np.allclose(fit.parameters, by_differences.parameters, atol=1e-3)
    assert fit.evaluations < by_differences.evaluations + 20


def test_rosenbrocks_valley_is_followed_to_its_end(module):
    model = Model(module.rosenbrock, ["x", "y"])

    fit = LevenbergMarquardt(model.residuals, model.jacobian).fit([-1.2, 1.0])

    assert fit.is_converged
    assert np.allclose(fit.parameters, 1, atol=1e-5)


def test_a_light_is_found_from_shading(device, module):
    random = np.random.default_rng(1)
    n = random.normal(size=(500, 3))
    n = (n / np.linalg.norm(n, axis=-1, keepdims=True)).astype(np.float32)
    light = np.array([1.0, 2.0, 2.0]) / 3
    photo = np.array([0.8, 0.4, 0.2]) * (0.25 + np.maximum(n @ light, 0))[:, None]
    model = Model(
        module.shine, ["colour", "light"], {"n": n, "ambient": 0.25}, photo.astype(np.float32)
    )

    fit = LevenbergMarquardt(model.residuals, model.jacobian).fit([0.5, 0.5, 0.5, 0, 0, 1])

    colour, way = fit.parameters[:3], fit.parameters[3:]
    assert np.allclose(colour, [0.8, 0.4, 0.2], atol=1e-4)
    assert np.allclose(way / np.linalg.norm(way), light, atol=1e-4)


def test_doubles_keep_their_precision(module):
    model = Model(module.square, ["x"])

    fit = LevenbergMarquardt(model.residuals, model.jacobian).fit([1.0])

    assert fit.parameters[0] == pytest.approx(np.sqrt(2), rel=1e-9)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda m: Model(m.decay, ["speed"]), "unknowns names 'speed', expected parameters of"),
        (lambda m: Model(m.whole, ["x"]), "expected parameters of whole of half, float or double"),
        (lambda m: Model(m.cubic, ["c"], {"x": T}).residuals([1.0]), "take a vector of shape (4,)"),
    ],
)
def test_mistakes_are_named(module, make, text):
    with pytest.raises(weft.ArgumentError) as caught:
        make(module)

    assert text in str(caught.value)
