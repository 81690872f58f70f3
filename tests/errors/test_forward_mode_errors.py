# SPDX-License-Identifier: Apache-2.0
"""Forward mode of what has a derivative of reverse mode alone is refused: Slang gives 0."""

import numpy as np
import pytest

import weft
from weft import Tensor

BACKWARD = (
    "void g_bwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 2.f * x.p * d); }"
)
FORWARD = (
    "DifferentialPair<float> g_fwd(DifferentialPair<float> x)"
    " { return diffPair(x.p * x.p, 2.f * x.p * x.d); }"
)
BODY = "float g(float x) { return x * x; }"
CALLER = (
    "[Differentiable] float f(float x) { return g(x) + x; }"
    " [Differentiable] float twice(float x) { return 2.f * f(x); }"
)
WITHOUT = {
    "attribute": f"[BackwardDerivative(g_bwd)] {BODY} {BACKWARD}",
    "attribute of the derivative": f"{BODY} [BackwardDerivativeOf(g)] {BACKWARD}",
}
WITH = {
    "of Slang's own": f"[Differentiable] [BackwardDerivative(g_bwd)] {BODY} {BACKWARD}",
    "of Slang's own, of": f"[Differentiable] {BODY} [BackwardDerivativeOf(g)] {BACKWARD}",
    "of the user's": (
        f"[ForwardDerivative(g_fwd), BackwardDerivative(g_bwd)] {BODY} {BACKWARD} {FORWARD}"
    ),
    "of the user's, of": (
        f"{BODY} [BackwardDerivativeOf(g)] {BACKWARD} [ForwardDerivativeOf(g)] {FORWARD}"
    ),
}


def derivative_forward(device, module, name):
    x = Tensor.from_numpy(device, np.array([1.0, 3.0], np.float32))
    _, slope = weft.jvp(getattr(module, name), (x,), (Tensor.full(device, (2,), 1.0),))
    return slope.numpy()


def derivative_reverse(device, module, name):
    x = Tensor.from_numpy(device, np.array([1.0, 3.0], np.float32))
    _, pull = weft.vjp(getattr(module, name), x)
    return pull(Tensor.full(device, (2,), 1.0))[0].numpy()


@pytest.mark.parametrize("name", ["f", "twice"])
@pytest.mark.parametrize("source", WITHOUT)
def test_forward_mode_without_a_derivative_is_refused(device, source, name):
    module = weft.Module.load_from_source(device, "m", WITHOUT[source] + CALLER)

    with pytest.raises(weft.ArgumentError, match=r"'g' has a derivative of reverse mode alone"):
        derivative_forward(device, module, name)
    slope = {"f": [3, 7], "twice": [6, 14]}[name]
    assert derivative_reverse(device, module, name).tolist() == slope


@pytest.mark.parametrize("source", WITH)
def test_forward_mode_with_a_derivative_is_right(device, source):
    module = weft.Module.load_from_source(device, "m", WITH[source] + CALLER)

    assert derivative_forward(device, module, "f").tolist() == [3, 7]
    assert derivative_reverse(device, module, "f").tolist() == [3, 7]
