# SPDX-License-Identifier: Apache-2.0
"""Where a changed text does not compile, the modes that needed it are refused, no others."""

import numpy as np
import pytest

import weft
from weft import Tensor

HELPERS = "[Differentiable] public void far_push(inout float a, float b) { a = a * 0.5f + b; }\n"
# That far_push writes an element cannot be seen here: Weft would read it through a call.
FORCING = (
    "[Differentiable] float forcing(float x, no_diff int i)"
    " { float[2] a = { x, x }; far_push(a[i], x); return a[i] + a[1]; }\n"
)
CASES = """
[Differentiable]
float constant(float x)
{
    float3 h = 0.f;
    h.x = x;
    if (x > 0.f)
        h.y = 1.f + h.x;
    return h.x + h.y;
}
[ForwardDifferentiable]
float only_forward(float x)
{
    float[2] h = { 0.f, 0.f };
    h[0] = x;
    for (int i = 0; i < 2; i++)
        h[1] += h[0];
    return h[1];
}
[Differentiable] float of_constant(float x) { return 2.f * constant(x); }
[Differentiable]
float table(float x, no_diff int i, no_diff int j)
{
    float4 v = float4(x, x * x, 1.f, 2.f);
    return 2.f * v[i] + 3.f * v[j];
}
[Differentiable] T same<T : IDifferentiable>(T x) { return x; }
[Differentiable]
float around(float x)
{
    float3 h = same(0.f);
    h.x = x;
    if (x > 0.f)
        h.y = 1.f + h.x;
    return h.x + h.y;
}
[Differentiable] float plain(float x) { return x > 0.f ? x * x : x; }
"""
PLACES = {"table": (0, 1)}


def load(device, folder, *, forced):
    (folder / "helpers.slang").write_text(HELPERS)
    text = "import helpers;\n" + (FORCING if forced else "\n") + CASES
    (folder / "cases.slang").write_text(text)
    return weft.Module.load_from_file(device, folder / "cases.slang")


def forward(device, module, name):
    x = Tensor.from_numpy(device, np.array([3.0], np.float32)).with_grads(
        grad_in=Tensor.ones(device, (1,)), grad_out=Tensor.zeros(device, (1,))
    )
    result = Tensor.zeros(device, (1,)).with_grads()
    getattr(module, name).fwds(x, *PLACES.get(name, ()), _result=result)
    return result.grad_out.numpy()[0]


def reverse(device, module, name):
    x = Tensor.from_numpy(device, np.array([3.0], np.float32)).with_grads()
    result = Tensor.zeros(device, (1,)).with_grads(Tensor.ones(device, (1,)))
    getattr(module, name).bwds(x, *PLACES.get(name, ()), _result=result)
    return x.grad.numpy()[0]


SLOPES = {"constant": 2, "of_constant": 4, "table": 20, "around": 2, "plain": 6}
REFUSED_FORWARD = {"constant": 6, "only_forward": 15, "of_constant": 6}


@pytest.mark.parametrize("name", [*SLOPES, "only_forward"])
def test_forward_mode_is_refused_where_a_constant_had_to_be_changed(device, tmp_path, name):
    module = load(device, tmp_path, forced=True)

    if name not in REFUSED_FORWARD:
        assert forward(device, module, name) == SLOPES[name]
        return
    line = REFUSED_FORWARD[name] + 1
    with pytest.raises(weft.ArgumentError, match=rf"cases\.slang:{line}: a constant.*same\(0\.f\)"):
        forward(device, module, name)


@pytest.mark.parametrize("name", SLOPES)
def test_reverse_mode_is_refused_where_the_text_had_to_be_changed(device, tmp_path, name):
    module = load(device, tmp_path, forced=True)

    if name in ("around", "plain"):
        assert reverse(device, module, name) == SLOPES[name]
        return
    with pytest.raises(weft.ArgumentError, match=r"reverse mode of Slang would be wrong.*cases\.s"):
        reverse(device, module, name)


@pytest.mark.parametrize("name", SLOPES)
def test_both_modes_are_right_where_the_changed_text_compiles(device, tmp_path, name):
    module = load(device, tmp_path, forced=False)

    assert forward(device, module, name) == SLOPES[name]
    assert reverse(device, module, name) == SLOPES[name]
    assert forward(device, module, "only_forward") == 2


def test_values_are_those_of_the_text_as_written(device, tmp_path):
    module = load(device, tmp_path, forced=True)

    assert module.forcing(2.0, 0) == 5
    assert module.constant(2.0) == 5
