# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 (Slang in one line reads better than in two strings)
"""A parameter with a default may be left out wherever it stands."""

import numpy as np
import pytest

import weft

SOURCE = """
struct Inner : IDifferentiable { float2 v; float w; }
struct Outer : IDifferentiable
{
    Inner inner; float b;
    __init() { inner = { float2(0.f), 0.f }; b = 4.f; }
    __init(Inner inner, float b) { this.inner = inner; this.b = b; }
}
enum Mode { one = 1, two = 2 }
static const float kTwo = 2.f;
struct Scale
{
    float z;
    float run(float x, float2 c = float2(1, 2) * 2.f, float k = 2.f) { return z * (x + c.y * k); }
}
[Differentiable] float number(float x, float c = 4, float k = 2.f) { return x * c * k; }
[Differentiable] float expression(float x, float c = 1 + 3, float k = 2.f) { return x * c * k; }
[Differentiable] float vector(float x, float3 c = float3(1, 4, 3), float k = 2.f) { return x * c.y * k; }
[Differentiable] float spelled(float x, vector<float, 3> c = vector<float, 3>(1, 4, 3), float k = 2.f) { return x * c.y * k; }
[Differentiable] float matrix(float x, float2x2 c = float2x2(1, 2, 4, 3), float k = 2.f) { return x * c[1][0] * k; }
[Differentiable] float array(float x, float[3] c = { 1.f, 4.f, 3.f }, float k = 2.f) { return x * c[1] * k; }
[Differentiable] float structure(float x, Outer c = { { float2(1.f), 2.f }, 4.f }, float k = 2.f) { return x * c.b * k; }
[Differentiable] float constant(float x, no_diff Outer c = { { float2(1.f), 2.f }, 4.f }, float k = 2.f) { return x * c.b * k; }
[Differentiable] float constructed(float x, Outer c = Outer(), float k = 2.f) { return x * c.b * k; }
float enumerator(float x, Mode c = Mode.two, float k = 2.f) { return x * 2.f * int(c) * k; }
T generic<T : __BuiltinFloatingPointType>(T x, int3 c = int3(1, 4, 3), T k = T(2)) { return x * T(c.y) * k; }
float either(float x, float2 c = float2(5, 6), float k = 2.f) { return x + c.y * k; }
float either(int x, float3 c = float3(1, 2, 3), float k = 2.f) { return 100 + x + c.y * k; }
float named(float x, float c = kTwo, float k = 2.f) { return x * c * k; }
"""

DIFFERENTIABLE = (
    "number expression vector spelled matrix array structure constant constructed".split()
)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "default_arguments", SOURCE)


@pytest.mark.parametrize("name", [*DIFFERENTIABLE, "enumerator", "generic"])
def test_a_default_is_taken_in_front_of_an_argument(module, name):
    function = module.find_function(name)

    assert function(3.0) == 24.0
    assert function(3.0, k=3.0) == 36.0
    assert function(k=3.0, x=3.0) == 36.0
    np.testing.assert_array_equal(
        function(np.ones(2, np.float32), k=np.float32([1, 2]), _result="numpy"), [4, 8]
    )


@pytest.mark.parametrize("name", DIFFERENTIABLE)
@pytest.mark.parametrize(("given", "slope"), [({}, 8.0), ({"k": 3.0}, 12.0)])
def test_derivatives_take_defaults(module, name, given, slope):
    function = module.find_function(name)
    x, tangent = weft.diffPair(2.0), weft.diffPair(0.0, 0.0)

    function.bwds(x, _result=weft.diffPair(0.0, 1.0), **given)
    function.fwds(weft.diffPair(2.0, 1.0), _result=tangent, **given)

    assert (x.grad, tangent.grad) == (slope, slope)


def test_overloads_take_their_own_defaults(module):
    assert module.either(1.0, k=3.0) == 19.0
    assert module.either(1, k=3.0) == 107.0


def test_methods_take_defaults(module):
    assert module.Scale.run.bind({"z": 2.0})(1.0, k=3.0) == 26.0


def test_a_name_of_the_module_is_taken_behind_the_last_argument_alone(module):
    assert module.named(3.0) == 12.0
    with pytest.raises(weft.ArgumentError) as error:
        module.named(3.0, k=3.0)
    assert str(error.value) == (
        "named: parameter 'c' (float) is missing; its default kTwo can only be taken by Slang, where"
        " nothing behind it is given: pass it; its signature is named(x: float, c: float, k: float)"
    )
