# SPDX-License-Identifier: Apache-2.0
"""Derivatives as functions: value_and_grad, vjp, jvp, check_gradients."""

from __future__ import annotations

import numpy as np
import pytest

import weft

SOURCE = """
[Differentiable] float poly(float a, float b, float c, float x) { return a * x * x + b * x + c; }
[Differentiable] float wavy(float a, float b) { return sin(a) * exp(b) + a * b; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "gradient_functions", SOURCE)


def test_value_and_grad_gives_both(device, module):
    x = np.array([1.0, 2.0, 3.0])

    value, (gradient, slope) = weft.value_and_grad(module.poly, wrt=("x", "a"))(2.0, 3.0, 1.0, x)

    assert np.allclose(value.numpy(), 2 * x * x + 3 * x + 1)
    assert np.allclose(gradient.numpy(), 4 * x + 3)
    assert np.isclose(slope.numpy(), (x * x).sum())


def test_vjp_pulls_any_cotangent_back_without_adding_up(device, module):
    value, pullback = weft.vjp(module.wavy, np.array([0.5, 1.0]), 0.25, wrt=(0, 1))

    first, second = pullback(np.array([1.0, 0.0])), pullback(np.array([1.0, 0.0]))

    assert np.allclose(value.numpy(), np.sin([0.5, 1]) * np.exp(0.25) + 0.25 * np.array([0.5, 1]))
    assert np.allclose(first[0].numpy(), [np.cos(0.5) * np.exp(0.25) + 0.25, 0], rtol=1e-5)
    assert np.array_equal(first[0].numpy(), second[0].numpy())
    assert np.isclose(first[1].numpy(), np.sin(0.5) * np.exp(0.25) + 0.5, rtol=1e-5)


def test_jvp_moves_along_a_direction(device, module):
    value, tangent = weft.jvp(module.wavy, (np.array([0.5, 1.0]), 0.25), (1.0, 0.0))

    assert value.shape == (2,)
    assert np.allclose(tangent.numpy(), np.cos([0.5, 1]) * np.exp(0.25) + 0.25, rtol=1e-5)


def test_check_gradients_finds_a_wrong_derivative(device, capsys):
    module = weft.Module.load_from_source(
        device,
        "wrong_derivative",
        """
        [Differentiable] float right(float x, float y) { return x * x * y; }
        [BackwardDerivative(wrong_bwd)] [ForwardDerivative(wrong_fwd)]
        float wrong(float x) { return x * x; }
        void wrong_bwd(inout DifferentialPair<float> x, float gradient)
        {
            x = diffPair(x.p, 3 * x.p * gradient);
        }
        DifferentialPair<float> wrong_fwd(DifferentialPair<float> x)
        {
            return diffPair(x.p * x.p, 2 * x.p * x.d);
        }
        [Differentiable] float uses_wrong(float x) { return wrong(x); }
        """,
    )
    x = np.array([[1.0, 2.0], [3.0, -1.5]])

    right = weft.check_gradients(module.right, x, 2.0, wrt=("x", "y"))
    wrong = weft.check_gradients(module.uses_wrong, x)

    assert right.passed, right.differences
    assert not wrong.passed
    assert any("by central differences" in line for line in wrong.differences)
    assert any("by forward mode" in line for line in wrong.differences)
    assert "check_gradients: uses_wrong: x[0, 0] by central differences" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda m: weft.vjp(m.poly, 1.0, 1.0, 1.0, 1.0, wrt=("z",)), "vjp: wrt names 'z'"),
        (lambda m: weft.vjp(m.poly, "x", 1.0, 1.0, 1.0), "must be a number, an array or a Tensor"),
        (lambda m: weft.jvp(m.wavy, (1.0, 1.0), (1.0,)), "2 arguments move, but 1 tangents"),
    ],
)
def test_functional_derivatives_name_wrong_arguments(module, call, text):
    with pytest.raises(weft.ArgumentError) as caught:
        call(module)

    assert text in str(caught.value)
