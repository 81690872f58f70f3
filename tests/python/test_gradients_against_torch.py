# SPDX-License-Identifier: Apache-2.0
"""Derivatives of 40 functions, in both modes, equal those of torch in float64.

./dev test runs it in the environment that has torch, tests/bench/device/run_h200.sh on a GPU.
"""

from __future__ import annotations

import numpy as np
import pytest

from support.autodiff_checks import Derivatives, each_case, mapped, modules, require_close

torch = pytest.importorskip("torch")

__all__ = ["modules"]  # the fixture


@each_case
def test_derivatives_equal_those_of_torch(modules, case, scalar):
    ours = Derivatives(modules, case, scalar)
    arguments = mapped(lambda array: torch.from_numpy(array).requires_grad_(), ours.arguments)

    value = case.function(torch, *arguments)
    value.backward(torch.from_numpy(ours.cotangent))
    gradients = mapped(
        lambda tensor: np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy(),
        arguments,
    )
    # <cotangent, J directions> == <J^T cotangent, directions> ties forward mode to torch as well.
    products = mapped(lambda array, way: np.sum(array * way), gradients, ours.directions)
    expected_product = sum(leaves_of(products))

    found_value, found_gradients = ours.backward()
    require_close(found_value, value.detach().numpy(), ours.tolerance)
    require_close(found_gradients, gradients, ours.tolerance)
    found_product = np.sum(ours.forward().astype(np.float64) * ours.cotangent)
    size = sum(np.abs(leaf).sum() for leaf in leaves_of(gradients))
    assert abs(found_product - expected_product) <= ours.tolerance * max(size, 1.0)


def leaves_of(tree):
    """Return the arrays of a tree."""
    found = []
    mapped(found.append, tree)
    return found
