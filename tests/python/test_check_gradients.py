# SPDX-License-Identifier: Apache-2.0
"""check_gradients with no arguments beyond those of the call, for every kind of function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import weft
from support.foreign_arrays import TrackedArray
from weft import Tensor

SOURCE = """
[Differentiable] float poly(float a, float b, no_diff float c, int n) { return a * a * b * c * n; }
[Differentiable] float3 bend(float3 v, float s) { return v * v.yzx * s; }
[Differentiable] float2 turn(float2x2 m, float2 v[2]) { return mul(m, v[0]) + v[1] * v[1]; }
[Differentiable] double cube(double x) { return x * x * x; }
[Differentiable] void split(float x, out float square, out float3 wide)
{
    square = x * x;
    wide = float3(x, 2 * x, sin(x));
}
[Differentiable] float step(float a, inout float v) { v = v * v * 3 + a; return v * a; }
[Differentiable] void store(int i, IDiffTensor<float, 1> x, float s, IWDiffTensor<float, 1> y)
{
    y[i] = x[i] * x[i] * s;
}
[Differentiable] float lookup(float2 uv, IDiffTensor<float, 2> image) { return image.sample(uv); }
[Differentiable] float weigh(int i, ITensor<float, 1> part, float x) { return part[i] * x * x; }
struct Paint : IDifferentiable
{
    float3 color;
    no_diff float fixed;
    float weight;
    int layer;
    [Differentiable] float shade(float light) { return dot(color, color) * weight * fixed * light; }
}
[Differentiable] float energy(Paint paint, float light) { return paint.shade(light) * light; }
[Differentiable] float pick(Paint paints[2]) { return paints[0].shade(2) * paints[1].weight; }
[Differentiable] Paint repaint(Paint paint) { paint.weight *= paint.color.x; return paint; }
[Differentiable] T scaled<T : __BuiltinFloatingPointType>(T x, T y) { return x * y * y; }
[Differentiable] float power(float x) { return x * x; }
[Differentiable] float power(float x, float y) { return x * x * y * y * y; }
float step_of(float x) { return x > 0 ? 1.f : 0.f; }
[Differentiable] float constant(no_diff float x) { return x; }
[Differentiable] void nothing(float x) {}
[Differentiable] [BackwardDerivative(wrong_bwd)] float wrong(float x, float y) { return x * y; }
void wrong_bwd(inout DifferentialPair<float> x, inout DifferentialPair<float> y, float d)
{
    x = diffPair(x.p, d * y.p);
    y = diffPair(y.p, d * 2 * x.p);
}
[BackwardDerivative(square_bwd)] float square(float x) { return x * x; }
void square_bwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d * 2 * x.p); }
[Differentiable] float uses_square(float x) { return square(x) + x; }
[Differentiable] float uses_wrong(float x, float y) { return wrong(x, y); }
[Differentiable] float of_wrong_paint(Paint p, float light) { return wrong(light, p.weight); }
[Differentiable] void writes_wrong(float x, float y, out float z) { z = wrong(x, y); }
"""

X = np.array([0.5, 1.5, -2.0, 3.0], np.float32)


@dataclass
class Paint:
    color: object
    fixed: float
    weight: object
    layer: int


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "check_gradients", SOURCE)


def paint(count=4):
    random = np.random.default_rng(1)
    color = random.random((count, 3)).astype(np.float32)
    return {"color": color, "fixed": 2.0, "weight": X[:count].copy(), "layer": 1}


CALLS = {
    "numbers": lambda m: (m.poly, 2.0, 3.0, 0.5, 2),
    "arrays and numbers": lambda m: (m.poly, X, 3.0, X, 2),
    "tensors": lambda m: (m.poly, Tensor.from_numpy(m.device, X), 3.0, 0.5, 2),
    "lists": lambda m: (m.poly, X.tolist(), [2.0], 0.5, 2),
    "an integer for a float": lambda m: (m.poly, 2, 3, 1, 2),
    "arrays of float64": lambda m: (m.poly, X.astype(np.float64), 3.0, 0.5, 2),
    "arrays of other libraries": lambda m: (m.poly, TrackedArray(X.copy()), 3.0, 0.5, 2),
    "pairs": lambda m: (m.poly, weft.diffPair(2.0), weft.diffPair(3.0), 0.5, 2),
    "vectors": lambda m: (m.bend, np.ones((4, 3), np.float32) * X[:, None], X),
    "matrices and arrays": lambda m: (m.turn, [[1.0, 2], [3, 4]], [[1.0, 2], [3, 4]]),
    "outputs": lambda m: (m.split, X, Tensor.zeros(m.device, (4,)), np.zeros((4, 3), np.float32)),
    "inout": lambda m: (m.step, X, Tensor.from_numpy(m.device, X)),
    "an inout array": lambda m: (m.step, X, X.copy()),
    "whole tensors": lambda m: (m.store, weft.grid((4,)), X, 2.0, Tensor.zeros(m.device, (4,))),
    "samples": lambda m: (
        m.lookup,
        [[0.3, 0.6]],
        np.arange(6, dtype=np.float32).reshape(2, 3) ** 2,
    ),
    "tensors without gradients": lambda m: (m.weigh, weft.grid((4,)), X, X),
    "a dict": lambda m: (m.energy, paint(), X),
    "a dataclass": lambda m: (m.energy, Paint(**paint()), X),
    "a list of dicts": lambda m: (m.pick, [paint(), paint()]),
    "a tensor of structures": lambda m: (m.energy, structures(m), X),
    "a structure as result": lambda m: (m.repaint, structures(m)),
    "a method": lambda m: (m.Paint.shade.bind(paint()), X),
    "a generic function": lambda m: (m["scaled<float>"], X, X + 1),
    "an inferred generic function": lambda m: (m.scaled, X, X + 1),
    "the first overload": lambda m: (m.power, X),
    "the second overload": lambda m: (m.power, X, X),
    "large values": lambda m: (m.poly, 1e4 * X, 3.0, 0.5, 2),
    "small values": lambda m: (m.poly, 1e-4 * X, 3.0, 0.5, 2),
    "one zero": lambda m: (m.poly, 0.0, 3.0, 0.5, 2),
}


def structures(module):
    return Tensor.from_numpy(
        module.device,
        {**paint(), "fixed": np.full(4, 2, np.float32), "layer": np.zeros(4, np.int32)},
        module.Paint,
    )


@pytest.mark.parametrize("kind", CALLS)
def test_every_kind_of_function_needs_no_more_than_the_call(module, kind):
    function, *arguments = CALLS[kind](module)

    check = weft.check_gradients(function, *arguments)

    assert check.passed, check.differences
    assert check.largest < 1e-2


def test_doubles_are_checked_as_doubles(device, module):
    if not device.info.features.float64:
        pytest.skip("this device has no double")

    check = weft.check_gradients(module.cube, np.array([0.5, 2.0]))

    assert check.passed
    assert check.largest < 1e-5


@pytest.mark.parametrize(
    ("call", "label"),
    [
        (lambda m: (m.uses_wrong, X, X), "y[0] by central differences"),
        (lambda m: (m.uses_wrong, 2.0, 3.0), "y by central differences"),
        (lambda m: (m.of_wrong_paint, paint(), X), "p.weight[0] by central differences"),
        (lambda m: (m.of_wrong_paint, structures(m), X), "p.weight[0] by central differences"),
        (lambda m: (m.writes_wrong, X, X, Tensor.zeros(m.device, (4,))), "y[0] by central"),
    ],
)  # fmt: skip
def test_a_wrong_gradient_of_any_argument_is_found(module, call, label):
    function, *arguments = call(module)

    check = weft.check_gradients(function, *arguments)

    assert not check.passed
    assert any(label in line for line in check.differences), check.differences
    assert any("by forward mode" in line for line in check.differences)


def test_a_function_without_forward_mode_is_held_against_differences_alone(module):
    check = weft.check_gradients(module.uses_square, X)

    assert check.passed, check.differences


def test_the_arguments_stay_as_they_are(device, module):
    v, x = Tensor.from_numpy(device, X), X.copy()
    y = Tensor.zeros(device, (4,))

    weft.check_gradients(module.step, x, v)
    weft.check_gradients(module.store, weft.grid((4,)), x, 2.0, y)

    assert np.array_equal(v.numpy(), X)
    assert np.array_equal(x, X)
    assert np.array_equal(y.numpy(), np.zeros(4))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda m: (m.constant, X), "no argument of constant (x) can be differentiated by"),
        (lambda m: (m.nothing, X), "nothing has no output with derivatives"),
        (lambda m: (m.step_of, X), "put [Differentiable] in front of it"),
        (lambda m: (m.split, X, None, None), "parameter 'square' of split is an output; pass"),
        (lambda m: (m.poly, X), "poly"),
    ],
)  # fmt: skip
def test_what_cannot_be_checked_says_why(module, call, text):
    function, *arguments = call(module)

    with pytest.raises(weft.ArgumentError) as caught:
        weft.check_gradients(function, *arguments)

    assert text in str(caught.value)


def test_functions_that_bend_within_the_usual_step_pass(device):
    text = "[Differentiable] float f(float x) { return sin(1000.f * x); }"
    module = weft.Module.load_from_source(device, "bends", text)
    x = np.linspace(1, 2, 30, dtype=np.float32)

    assert weft.check_gradients(module.f, x).passed


def test_wrong_derivatives_of_functions_that_bend_are_found(device):
    text = """
    [BackwardDerivative(back)] float f(float x) { return sin(1000.f * x); }
    void back(inout DifferentialPair<float> x, float d)
    {
        x = diffPair(x.p, 1.1f * 1000.f * cos(1000.f * x.p) * d);
    }
    """
    module = weft.Module.load_from_source(device, "bends wrongly", text)
    x = np.linspace(1, 2, 30, dtype=np.float32)

    found = weft.check_gradients(module.f, x)

    assert not found.passed
    assert len(found.differences) >= 10
