# SPDX-License-Identifier: Apache-2.0
"""Every way to ask for a gradient that cannot be had, and what the error says."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
struct Plain { float x; }
struct Outer { Plain plain; float weight; }
struct Smooth : IDifferentiable { float x; no_diff float fixed; }
float step_of(float x) { return x > 0 ? 1.f : 0.f; }
[Differentiable] float cube(float x) { return x * x * x; }
[Differentiable] float of_plain(Plain p, float y) { return p.x * y; }
[Differentiable] float of_outer(Outer o, float y) { return o.plain.x * y; }
[Differentiable] float of_constant(no_diff Smooth s, float y) { return s.x * y; }
[Differentiable] float of_smooth(Smooth s) { return s.x * s.fixed; }
[Differentiable] float of_pair(Smooth s[2]) { return s[0].x * s[1].x; }
[Differentiable] void split(float a, out float square, inout float s) { square = a * a; s *= a; }
[Differentiable] void inc(float a, inout float v) { v = v * 3 + a; }
[Differentiable] void both(inout float u, inout float v) { u *= 2; v *= 3; }
[Differentiable] void mixed(float u, inout float v) { v *= u; }
[Differentiable] void in_place(int i, IRWDiffTensor<float, 1> x) { x[i] = x[i] * x[i]; }
[Differentiable]
void copy(int i, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y) { y[i] = x[i]; }
[Differentiable] float concrete(int i, DiffTensor<float, 1> x) { return x[i]; }
float pair(DifferentialPair<float> x) { return x.p; }
"""

GRID = weft.grid((3,))


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "gradient_errors", SOURCE)


def held(device, values=(1, 2, 3)):
    """A tensor with a gradient."""
    return Tensor.from_numpy(device, np.asarray(values, np.float32)).with_grads()


def result(device):
    """A result whose gradient is 1."""
    return Tensor.zeros(device, (3,)).with_grads(Tensor.ones(device, (3,)))


def shared(device, gradient):
    """Two tensors with one gradient."""
    return [Tensor.ones(device, (3,)).with_grads(gradient, gradient) for _ in range(2)]


def overlapping(device):
    """A tensor whose grad_out is a view of its grad_in."""
    gradient = Tensor.ones(device, (3,))
    return Tensor.ones(device, (3,)).with_grads(grad_in=gradient, grad_out=gradient[:])


CASES = {
    "a function without the attribute": (
        lambda d, m: m.step_of.bwds(held(d), _result=result(d)),
        "step_of: it is not differentiable; put [Differentiable] in front of it",
    ),
    "the same in forward mode": (
        lambda d, m: m.step_of.fwds(held(d), _result=result(d)),
        "step_of: it is not differentiable; put [Differentiable] in front of it",
    ),
    "a tensor of integers": (
        lambda d, m: Tensor.zeros(d, (3,), weft.int32).with_grads(),
        "with_grads: values of int have no derivatives; use half, float or double",
    ),
    "a structure without the conformance": (
        lambda d, m: Tensor.zeros(d, (3,), m.Plain).with_grads(),
        "values of Plain have no derivatives; declare struct Plain : IDifferentiable",
    ),
    "a dict for such a structure": (
        lambda d, m: m.of_plain.bwds({"x": held(d)}, held(d), _result=result(d)),
        "parameter 'p.x' must be float, got a tensor of float, shape (3,); it has a gradient, but "
        "Plain does not conform to IDifferentiable; declare struct Plain : IDifferentiable, or "
        "pass values without gradients",
    ),
    "a number with a gradient for such a structure": (
        lambda d, m: m.of_plain.bwds({"x": weft.diffPair(1.0)}, held(d), _result=result(d)),
        "it has a gradient, but Plain does not conform to IDifferentiable",
    ),
    "such a structure inside another": (
        lambda d, m: m.of_outer.bwds(
            {"plain": {"x": held(d)}, "weight": 1.0}, held(d), _result=result(d)
        ),
        "it has a gradient, but Plain does not conform to IDifferentiable",
    ),
    "no result": (
        lambda d, m: m.cube.bwds(held(d)),
        "_result must be given: a tensor with gradients (with_grads())",
    ),
    "a result without gradient": (
        lambda d, m: m.cube.bwds(held(d), _result=Tensor.zeros(d, (3,))),
        "its gradient is given by the caller: pass tensor.with_grads() and fill tensor.grad",
    ),
    "nothing to differentiate by": (
        lambda d, m: m.cube.bwds(np.ones(3), _result=result(d)),
        "cube.bwds: no differentiable argument has a gradient to add to",
    ),
    "an output left out": (
        lambda d, m: m.split.bwds(held(d)),
        "parameter 'square' is an output and must be given: a tensor with gradients",
    ),
    "no tangent to take": (
        lambda d, m: m.cube.fwds(np.ones(3), _result=result(d).with_grads()),
        "cube.fwds: no input has a tangent (grad_in)",
    ),
    "a derivative of a derivative": (
        lambda d, m: m.cube.bwds.bwds,
        "'cube' is a derivative already; differentiate the function itself",
    ),
    "two gradients read as one": (
        lambda d, m: Tensor.zeros(d, (3,)).with_grads(Tensor.zeros(d, (3,)), held(d)).grad,
        "the tensor has two gradients; name the one that you mean: grad_in, read by backward "
        "calls, or grad_out, which they add to",
    ),
    "a gradient of another type": (
        lambda d, m: Tensor.zeros(d, (3,)).with_grads(Tensor.zeros(d, (3,), weft.float64)),
        "grad_in must be a tensor of float of shape (3,), got one of double of shape (3,)",
    ),
    "one gradient for a tensor that is read and written": (
        lambda d, m: m.in_place.bwds(GRID, held(d)),
        "it is read and written, so one gradient would be read while others add to it; give it two",
    ),
    "one gradient of an inout parameter that all calls share": (
        lambda d, m: m.inc.bwds(np.ones(3), held(d, [1])),
        "inc: parameter 'v': its one gradient is read and replaced, so its shape must be the shape "
        "of the call, (3,), not (1,); or give it two: with_grads(grad_in=..., grad_out=...)",
    ),
    "one gradient of two inout parameters": (
        lambda d, m: m.both.bwds(*shared(d, Tensor.ones(d, (3,)))),
        "both: parameters 'v' and 'u' share memory, and the grad_out of 'u' is written",
    ),
    "one gradient of an input and an inout parameter": (
        lambda d, m: m.mixed.bwds(*shared(d, Tensor.ones(d, (3,)))),
        "mixed: parameters 'v' and 'u' share memory, and the grad_out of 'u' is written",
    ),
    "two gradients of an inout parameter that are one memory": (
        lambda d, m: m.inc.bwds(1.0, overlapping(d)),
        "inc: parameters 'v' and 'v' share memory, and the grad_out of 'v' is written while other "
        "calls read or write the grad_in of 'v'",
    ),
    "an output tensor without gradient": (
        lambda d, m: m.copy.bwds(GRID, held(d), Tensor.zeros(d, (3,))),
        "parameter 'y' must be IWDiffTensor<float, 1>",
    ),
    "tangents through a concrete type": (
        lambda d, m: m.concrete.fwds(GRID, held(d), _result=held(d)),
        "DiffTensor has no place for tangents: declare the parameter as IDiffTensor",
    ),
    "a value for a pair": (
        lambda d, m: m.pair(1.0),
        "pass weft.diffPair(value, gradient) or a tensor with gradients (with_grads())",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_error_says_what_is_missing_and_what_to_do(device, module, case):
    call, text = CASES[case]

    with pytest.raises(weft.ArgumentError) as caught:
        call(device, module)

    assert text in str(caught.value)


def test_a_constant_parameter_may_have_gradients(device, module):
    plain, y = held(device), held(device)

    module.of_constant.bwds({"x": plain, "fixed": 1.0}, y, _result=result(device))

    assert np.array_equal(plain.grad.numpy(), [0, 0, 0])
    assert np.array_equal(y.grad.numpy(), [1, 2, 3])


def test_a_field_that_is_no_diff_has_no_gradient(device, module):
    values = np.array([(2, 3)] * 3, [("x", "f4"), ("fixed", "f4")])
    whole = Tensor.from_numpy(device, values, module.Smooth).with_grads()
    x, fixed = held(device), held(device, (4, 5, 6))

    module.of_smooth.bwds(whole, _result=result(device))
    module.of_smooth.bwds({"x": x, "fixed": fixed}, _result=result(device))

    assert whole.grad.numpy().dtype.names == ("x",)
    assert np.array_equal(whole.grad.numpy()["x"], [3, 3, 3])
    assert np.array_equal(x.grad.numpy(), [4, 5, 6])
    assert np.array_equal(fixed.grad.numpy(), [0, 0, 0])


def test_a_list_of_structures_has_a_gradient_for_each_field(device, module):
    a, b = held(device), held(device, (4, 5, 6))

    module.of_pair.bwds([{"x": a, "fixed": 0.0}, {"x": b, "fixed": 0.0}], _result=result(device))

    assert np.array_equal(a.grad.numpy(), [4, 5, 6])
    assert np.array_equal(b.grad.numpy(), [1, 2, 3])
