# SPDX-License-Identifier: Apache-2.0
"""Reverse mode beside memory without gradients: derivatives are right, memory is changed once."""

import numpy as np
import pytest

import weft
from support.plain_memory_cases import CHANGED, KEPT, KINDS, cases_for, module_text, names_of
from weft import Tensor

MEMORY = np.array([5, 7], np.float32)
X = 2.0


def memory_of(device):
    return Tensor.from_numpy(device, MEMORY)


def slope_of(value):
    """Central difference; the functions are polynomials of degree four at most."""
    step = 2.0**-4
    near, far = (value(X + k * step) - value(X - k * step) for k in (1, 2))
    return (8 * near - far) / (12 * step)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_the_same_twice_keeps_its_gradient(device, kind):
    cases = cases_for(KEPT, kind)
    module = weft.Module.load_from_source(device, "kept", module_text(cases, kind, has_result=True))
    for case, name in names_of(cases).items():
        function = getattr(module, name)
        once, memory = memory_of(device), memory_of(device)
        value = function(once, X)
        x = Tensor.from_numpy(device, np.array([X], np.float32)).with_grads()
        result = Tensor.zeros(device, (1,)).with_grads(Tensor.ones(device, (1,)))

        function.bwds(memory, x, _result=result)

        slope = slope_of(lambda at, call=function: call(memory_of(device), at))
        assert result.numpy()[0] == value, case
        assert memory.numpy().tolist() == once.numpy().tolist(), case
        np.testing.assert_allclose(x.grad.numpy()[0], slope, rtol=1e-4, err_msg=case)


@pytest.mark.sweep(8)
@pytest.mark.parametrize("kind", KINDS)
def test_functions_without_a_result_change_memory_once(device, kind):
    cases = cases_for(CHANGED, kind)
    module = weft.Module.load_from_source(
        device, "once", module_text(cases, kind, has_result=False)
    )
    for case, name in names_of(cases).items():
        function = getattr(module, name)
        once, memory = memory_of(device), memory_of(device)
        function(once, X)
        x = Tensor.from_numpy(device, np.array([X], np.float32)).with_grads()
        result = Tensor.zeros(device, (1,)).with_grads(Tensor.ones(device, (1,)))

        function.bwds(memory, x, result)

        slope = slope_of(lambda at, call=function: call(memory_of(device), at))
        assert memory.numpy().tolist() == once.numpy().tolist(), case
        np.testing.assert_allclose(x.grad.numpy()[0], slope, rtol=1e-4, err_msg=case)
