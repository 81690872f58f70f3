# SPDX-License-Identifier: Apache-2.0
"""Derivatives of 39 functions, in both modes, equal those of JAX in float64.

./dev test installs JAX; machines that run the tests without ./dev may lack it.
"""

from __future__ import annotations

import pytest

from support.autodiff_checks import Derivatives, each_case, modules, require_close

jax = pytest.importorskip("jax")
jnp = pytest.importorskip("jax.numpy")

__all__ = ["modules"]  # the fixture


@pytest.fixture(scope="module", autouse=True)
def in_double():
    """Let JAX compute in float64."""
    with jax.enable_x64(True):
        yield


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
