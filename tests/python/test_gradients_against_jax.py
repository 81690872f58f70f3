# SPDX-License-Identifier: Apache-2.0
"""Derivatives of 40 functions, in both modes, equal those of JAX in float64; second ones of some.

./dev test installs JAX; machines that run the tests without ./dev may lack it.
"""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.autodiff_cases import CASES, SOURCE, definitions
from support.autodiff_checks import Derivatives, each_case, modules, require_close

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

__all__ = ["modules"]  # the fixture


@pytest.fixture(scope="module", autouse=True)
def in_double():
    """Let JAX compute in float64."""
    with jax.enable_x64(True):
        yield


@pytest.mark.sweep(9)
@each_case
def test_derivatives_equal_those_of_jax(modules, case, scalar):
    ours = Derivatives(modules, case, scalar)

    def function(*arguments):
        return case.function(jnp, *arguments)

    value, pullback = jax.vjp(function, *jax.tree.map(jnp.asarray, ours.arguments))
    gradients = list(pullback(jnp.asarray(ours.cotangent)))
    _, tangent = jax.jvp(function, tuple(ours.arguments), tuple(ours.directions))

    found_value, found_gradients = ours.backward()
    require_close(found_value, value, ours.tolerance)
    require_close(found_gradients, gradients, ours.tolerance)
    require_close(ours.forward(), tangent, ours.tolerance)


TWICE = ("trigonometry", "exponentials", "rational", "roots", "hyperbolic", "sigmoids", "angle")
"""Functions of two numbers whose directional derivative is differentiated once more."""

SLOPE = """
[Differentiable] Real {name}_slope(Real x, Real y, Real dx, Real dy)
{{
    return fwd_diff({name})(diffPair(x, dx), diffPair(y, dy)).d;
}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", TWICE)
def test_reverse_over_forward_gives_the_second_derivatives_of_jax(device, name):
    case = next(case for case in CASES if case.name == name)
    text = definitions("float") + SOURCE.read_text() + SLOPE.format(name=name)
    module = weft.Module.load_from_source(device, f"slopes_of_{name}", text)
    random = np.random.default_rng(0)
    arrays = [*case.draw(100), *random.uniform(-1, 1, (2, 100)).astype(np.float32)]
    tensors = [
        weft.Tensor.from_numpy(device, array.astype(np.float32)).with_grads() for array in arrays
    ]
    result = weft.Tensor.zeros(device, (100,)).with_grads()
    result.grad.fill(1.0)

    def slope(x, y, dx, dy):
        return jax.jvp(lambda *at: case.function(jnp, *at), (x, y), (dx, dy))[1]

    expected, pullback = jax.vjp(slope, *(jnp.asarray(array, jnp.float64) for array in arrays))
    getattr(module, f"{name}_slope").bwds(*tensors, _result=result)

    require_close(result.numpy(), expected, 1e-4)
    found = [tensor.grad.numpy() for tensor in tensors]
    require_close(found, list(pullback(jnp.ones(100))), 1e-4)
