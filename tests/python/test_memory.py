# SPDX-License-Identifier: Apache-2.0
"""Device memory goes back with the last reference to it."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor


@pytest.fixture
def module(device):
    return weft.Module.load_from_source(
        device, "memory", "float add(float a, float b) { return a + b; }"
    )


def used(device):
    device.wait()
    info = device.memory_info()
    return info.used, info.live_buffers


def test_a_result_is_freed_with_its_last_reference(device, module):
    before = used(device)

    result = module.add(Tensor.zeros(device, (1000,), weft.float32), 1.0)
    during = used(device)
    del result

    assert during == (before[0] + 4000, before[1] + 1)
    assert used(device) == before


@pytest.mark.parametrize("result", ["tensor", "numpy"])
def test_uploaded_arguments_are_freed_after_the_call(device, module, result):
    before = used(device)

    module.add(np.ones(5000, np.float32), 1.0, _result=result)

    assert used(device) == before


def test_the_buffer_of_a_returned_number_is_freed(device, module):
    before = used(device)

    assert module.add(1.0, 2.0) == 3.0

    assert used(device) == before
