# SPDX-License-Identifier: Apache-2.0
"""What Vulkan has no double of is refused: drivers would compute something without a word."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.messages import assert_in_order
from support.slangtorch_modules import load

__all__ = ["load"]  # the fixture

UNARY = (
    "radians degrees sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp log log2"
).split()
BODIES = {name: f"{name}(x)" for name in UNARY} | {
    "atan2": "atan2(x, 2.0L)",
    "pow": "pow(x, 2.5L)",
}
SOURCE = "".join(
    f"[Differentiable] double take_{name}(double x) {{ return {body}; }}\n"
    for name, body in BODIES.items()
)
OTHERS = """
double binary(double x) { return exp2(x); }
[Differentiable] double3 vectors(double3 x) { return exp(x); }
double logarithm(double x) { return log10(x); }
double inner(double x) { double s, c; sincos(x, s, c); return s; }
double caller(double x) { return inner(2 * x); }
[Differentiable] double narrowed(double x) { return sin(float(x)) + sqrt(x); }
double allowed(double x)
{
    return sqrt(x) + abs(x) + floor(x) + frac(x) + fmod(x, 2.0L) + rsqrt(x) + lerp(x, 2.0L, x)
        + clamp(x, 0.0L, 1.0L) + sign(x) + length(double2(x, x));
}
[ForwardDerivative(curve_fwd)] double curve(double x) { return x; }
DifferentialPair<double> curve_fwd(DifferentialPair<double> x)
{
    return diffPair(x.p, x.d * exp(x.p));
}
"""
KERNEL = """
[AutoPyBindCUDA]
[CUDAKernel]
[Differentiable]
void wave(DiffTensorView<double> x, DiffTensorView<double> y)
{
    let i = cudaThreadIdx().x;
    y.storeOnce(i, cos(x.loadOnce(i)));
}
"""


@pytest.fixture(scope="module")
def module(device):
    if not device.info.features.float64:
        pytest.skip("the device has no double")
    if device.info.type != weft.DeviceType.vulkan:
        pytest.skip("the device is not Vulkan's")
    return weft.Module.load_from_source(device, "doubles", SOURCE + OTHERS)


def refusal(call):
    with pytest.raises(weft.ArgumentError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("name", BODIES)
def test_a_function_that_vulkan_has_no_double_of_is_refused_by_name(device, module, name):
    message = refusal(lambda: module[f"take_{name}"](np.array([0.5, 0.75])))

    assert_in_order(
        message,
        [
            f"take_{name}: it takes {name}() of double on the Vulkan device '{device.info.name}'",
            f"compute it in float, {name}(float(x)",
            "CUDA device",
        ],
    )


@pytest.mark.parametrize(
    ("function", "called"),
    [("vectors", "exp"), ("logarithm", "log"), ("caller", "sin")],
)
def test_vectors_and_functions_that_others_call_are_found(module, function, called):
    x = np.full((2, 3) if function == "vectors" else 2, 0.5)

    message = refusal(lambda: module[function](x))

    assert message.startswith(f"{function}: it takes {called}() of double")


def test_derivatives_are_refused_for_what_they_take(module):
    x = weft.Tensor.from_numpy(module.device, np.array([0.5, 0.75])).with_grads()
    result = module.curve(x).with_grads()

    assert np.array_equal(result.to_numpy(), [0.5, 0.75])
    tangents = refusal(lambda: module.curve.fwds(x, _result=result))
    assert tangents.startswith("curve: it takes exp() of double")
    gradients = refusal(lambda: module.take_sin.bwds(x, _result=result))
    assert gradients.startswith("take_sin: it takes sin() of double")


def test_what_vulkan_has_of_double_is_computed_in_double(module):
    x = np.array([0.3, 0.7])

    allowed, narrowed = module.allowed(x).to_numpy(), module.narrowed(x).to_numpy()

    powers = np.sqrt(x) + 1 / np.sqrt(x) + np.sqrt(2) * x
    assert allowed == pytest.approx(powers + 5 * x + (2 - x) * x + 1, rel=1e-14)
    assert narrowed == pytest.approx(np.sin(x) + np.sqrt(x), rel=1e-6)


def test_exp2_of_double_has_the_precision_of_float(module):
    x = np.array([0.3, 0.7])

    assert module.binary(x).to_numpy() == pytest.approx(np.exp2(x), rel=1e-6)


def test_kernels_of_slangtorch_are_refused_forward_and_backward(module, load):
    kernels = load(KERNEL)
    x, y = np.full(4, 0.5), np.zeros(4)
    size = {"blockSize": (4, 1, 1), "gridSize": (1, 1, 1)}

    forward = refusal(lambda: kernels.wave(x=x, y=y).launchRaw(**size))
    backward = refusal(
        lambda: kernels.wave.bwd(x=(x, np.zeros(4)), y=(y, np.ones(4))).launchRaw(**size)
    )

    assert forward.startswith("wave: it takes cos() of double on the Vulkan device")
    assert_in_order(backward, ["wave.bwd: it takes ", "() of double on the Vulkan device"])
    assert not y.any()
