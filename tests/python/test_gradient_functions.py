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


TENSOR_SOURCE = """
[Differentiable]
void dense(int i, IDiffTensor<float, 2> weights, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y)
{
    float sum = 0;
    [MaxIters(16)]
    for (int j = 0; j < weights.shape[1]; j++)
        sum += weights[i, j] * x[j];
    y[i] = sin(sum);
}
[Differentiable]
void polar(int i, IDiffTensor<float2, 1> p, float scale, IWDiffTensor<float, 1> radius,
           IWDiffTensor<float, 1> product)
{
    radius[i] = sqrt(dot(p[i], p[i])) * scale;
    product[i] = p[i].x * p[i].y;
}
"""


@pytest.fixture(scope="module")
def tensors(device):
    return weft.Module.load_from_source(device, "gradient_tensors", TENSOR_SOURCE)


def test_functions_that_write_tensors_have_derivatives_as_functions(device, tensors):
    random = np.random.default_rng(0)
    w, x = random.standard_normal((4, 5)), random.standard_normal(5)
    y = weft.Tensor.zeros(device, (4,))
    arguments = (weft.grid((4,)), w, x, y)

    value, (dw, dx) = weft.value_and_grad(tensors.dense, wrt=("weights", "x"), outputs=("y",))(
        *arguments
    )
    _, change = weft.jvp(
        tensors.dense, arguments, (np.ones((4, 5)), 0.0), wrt=(1, 2), outputs=("y",)
    )

    slope = np.cos(w @ x)
    assert np.allclose(value.numpy(), np.sin(w @ x), atol=1e-5)
    assert np.allclose(dw.numpy(), np.outer(slope, x), atol=1e-5)
    assert np.allclose(dx.numpy(), slope @ w, atol=1e-5)
    assert np.allclose(change.numpy(), slope * x.sum(), atol=1e-5)
    assert np.array_equal(y.numpy(), np.zeros(4))  # gives shape and type only


def test_several_outputs_have_a_cotangent_each(device, tensors):
    points = np.random.default_rng(1).random((6, 2)) + 0.5
    outputs = [weft.Tensor.zeros(device, (6,)) for _ in range(2)]

    (radius, product), pullback = weft.vjp(
        tensors.polar, weft.grid((6,)), points, 2.0, *outputs, wrt=("p",), outputs=(3, 4)
    )
    (gradient,) = pullback((1.0, np.full(6, 10.0)))

    length = np.sqrt((points**2).sum(1, keepdims=True))
    assert np.allclose(radius.numpy(), 2 * length[:, 0], rtol=1e-5)
    assert np.allclose(product.numpy(), points.prod(1), rtol=1e-5)
    expected = 2 * points / length + 10 * points[:, ::-1]
    assert np.allclose(gradient.numpy(), expected, rtol=1e-5)


def test_check_gradients_takes_functions_that_write_tensors(device, tensors):
    random = np.random.default_rng(2)
    y = [weft.Tensor.zeros(device, (4,)) for _ in range(2)]

    dense = weft.check_gradients(
        tensors.dense, weft.grid((4,)), random.random((4, 5)), random.random(5), y[0],
        wrt=("weights", "x"), outputs=("y",),
    )  # fmt: skip
    polar = weft.check_gradients(
        tensors.polar, weft.grid((4,)), random.random((4, 2)) + 0.5, 1.5, *y,
        wrt=("p", "scale"), outputs=("radius", "product"),
    )  # fmt: skip

    assert dense.passed, dense.differences
    assert polar.passed, polar.differences


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda t, y: weft.vjp(
                t.dense, weft.grid((4,)), 1.0, 1.0, np.zeros(4), wrt=(1,), outputs=(3,)
            ),
            "vjp: outputs names 'y', which must be a Tensor that dense only writes",
        ),
        (
            lambda t, y: weft.vjp(t.dense, weft.grid((4,)), 1.0, 1.0, y, wrt=(3,), outputs=(3,)),
            "pass one, and leave it out of wrt",
        ),
        (
            lambda t, y: weft.vjp(t.dense, weft.grid((4,)), 1.0, 1.0, y, wrt=(1,), outputs=("z",)),
            "vjp: outputs names 'z', expected a position below 4 or one of",
        ),
        (
            lambda t, y: weft.vjp(
                t.polar, weft.grid((4,)), np.ones((4, 2)), 1.0, y, y, wrt=(1,), outputs=(3, 4)
            )[1](1.0),
            "vjp: polar writes 2 outputs; pass a tuple of as many cotangents",
        ),
    ],
)
def test_wrong_outputs_are_named(device, tensors, call, text):
    with pytest.raises(weft.ArgumentError) as caught:
        call(tensors, weft.Tensor.zeros(device, (4,)))

    assert text in str(caught.value)
