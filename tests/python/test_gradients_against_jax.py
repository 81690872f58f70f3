# SPDX-License-Identifier: Apache-2.0
"""Derivatives of 39 functions, in both modes, equal those of JAX in float64."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from support.autodiff_cases import CASES
from support.autodiff_checks import SCALARS, Derivatives, load, require_close, runs_in, tolerance_of


@pytest.fixture(scope="module", autouse=True)
def in_double():
    """Let JAX compute in float64."""
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module")
def modules(device):
    return {scalar: load(device, scalar) for scalar in SCALARS}


@pytest.mark.slow
@pytest.mark.parametrize("scalar", SCALARS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_derivatives_equal_those_of_jax(device, modules, case, scalar):
    if not runs_in(case, scalar, device):
        pytest.skip("SPIR-V has these functions in single precision only")
    ours = Derivatives(modules[scalar], case, scalar)
    tolerance = tolerance_of(case, scalar)

    def function(*arguments):
        return case.function(jnp, *arguments)

    value, pullback = jax.vjp(function, *jax.tree.map(jnp.asarray, ours.arguments))
    gradients = list(pullback(jnp.asarray(ours.cotangent)))
    _, tangent = jax.jvp(function, tuple(ours.arguments), tuple(ours.directions))

    found_value, found_gradients = ours.backward()
    require_close(found_value, value, tolerance)
    require_close(found_gradients, gradients, tolerance)
    require_close(ours.forward(), tangent, tolerance)
