# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions that take derivatives themselves."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
[Differentiable] float cube(float x, float y) { return x * x * x * y; }
[Differentiable] float slope(float x, float y)
{
    return fwd_diff(cube)(diffPair(x, 1.f), diffPair(y, 0.f)).d;
}
[Differentiable] float curvature(float x, float y)
{
    return fwd_diff(slope)(diffPair(x, 1.f), diffPair(y, 0.f)).d;
}
[Differentiable] float slope_backward(float x, float y)
{
    var px = diffPair(x);
    var py = diffPair(y);
    bwd_diff(cube)(px, py, 1.f);
    return px.d;
}
[Differentiable] [ForwardDerivative(by_hand_fwd)] [BackwardDerivative(by_hand_bwd)]
float by_hand(float x, float y) { return slope_backward(x, y); }
DifferentialPair<float> by_hand_fwd(DifferentialPair<float> x, DifferentialPair<float> y)
{
    return fwd_diff(slope)(x, y);
}
void by_hand_bwd(inout DifferentialPair<float> x, inout DifferentialPair<float> y, float given)
{
    bwd_diff(slope)(x, y, given);
}
/// The Hessian of `cube` times a direction, by reverse over forward.
[Differentiable] float along(float x, float y, no_diff float dx, no_diff float dy)
{
    return fwd_diff(cube)(diffPair(x, dx), diffPair(y, dy)).d;
}
[Differentiable]
float tensor_slope(int i, IDiffTensor<float, 1> x)
{
    return fwd_diff(cube)(diffPair(x[i], 1.f), diffPair(x[0], 0.f)).d;
}
"""

X = np.array([0.5, 1.0, 2.0], np.float32)
Y = np.array([3.0, -1.0, 2.0], np.float32)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "higher_order", SOURCE)


def backward(device, function, *arguments):
    """Gradients by x and y of the sum of the values."""
    held = [Tensor.from_numpy(device, values).with_grads() for values in (X, Y)]
    result = Tensor.zeros(device, X.shape).with_grads(Tensor.ones(device, X.shape))
    function.bwds(*held, *arguments, _result=result)
    return [tensor.grad.numpy() for tensor in held]


def forward(device, function):
    """The tangent along x."""
    x = Tensor.from_numpy(device, X).with_grads(grad_in=Tensor.ones(device, X.shape))
    result = Tensor.zeros(device, X.shape).with_grads()
    function.fwds(x, Y, _result=result)
    return result.grad.numpy()


@pytest.mark.parametrize("name", ["slope", "by_hand"])
def test_second_derivatives_by_both_modes(device, module, name):
    function = getattr(module, name)

    by_x, by_y = backward(device, function)

    assert np.allclose(function(X, Y).numpy(), 3 * X * X * Y)
    assert np.allclose(by_x, 6 * X * Y)
    assert np.allclose(by_y, 3 * X * X)
    assert np.allclose(forward(device, function), 6 * X * Y)


def test_a_third_derivative_by_forward_mode(device, module):
    assert np.allclose(module.curvature(X, Y).numpy(), 6 * X * Y)
    assert np.allclose(forward(device, module.curvature), 6 * Y)


def test_reverse_over_forward_is_the_hessian_times_a_direction(device, module):
    by_x, by_y = backward(device, module.along, 2.0, 3.0)

    assert np.allclose(by_x, 6 * X * Y * 2 + 3 * X * X * 3)
    assert np.allclose(by_y, 3 * X * X * 2)


def test_second_derivatives_go_through_whole_tensors(device, module):
    x = Tensor.from_numpy(device, X).with_grads()
    result = Tensor.zeros(device, X.shape).with_grads(Tensor.ones(device, X.shape))

    module.tensor_slope.bwds(weft.grid((3,)), x, _result=result)

    expected = 6 * X * X[0]
    expected[0] += (3 * X * X).sum()
    assert np.allclose(x.grad.numpy(), expected)


def test_a_function_that_calls_bwd_diff_is_called(module):
    assert np.allclose(module.slope_backward(X, Y).numpy(), 3 * X * X * Y)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda d, m: backward(d, m.slope_backward), "slope_backward.bwds: "),
        (lambda d, m: forward(d, m.slope_backward), "slope_backward.fwds: Slang cannot"),
        (lambda d, m: backward(d, m.curvature), "curvature.bwds: "),
    ],
)
def test_what_slang_cannot_differentiate_is_an_error_with_a_remedy(device, module, call, name):
    with pytest.raises(weft.CompileError) as caught:
        call(device, module)

    assert str(caught.value).startswith(name)
    assert "Slang differentiates what calls fwd_diff once, and not what calls bwd_diff" in (
        str(caught.value)
    )
    assert np.allclose(module.slope(X, Y).numpy(), 3 * X * X * Y)  # the compiler is back
