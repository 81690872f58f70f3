# SPDX-License-Identifier: Apache-2.0
"""What a kernel computes does not depend on types, strides, offsets and alignments of memory."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support import access_patterns
from weft import Tensor


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "access_patterns", access_patterns.SOURCE)


@pytest.mark.parametrize("kind", access_patterns.KINDS.values(), ids=access_patterns.KINDS)
def test_random_layouts_give_what_numpy_gives(device, kernels, module, kind):
    for seed in range(4):
        access_patterns.check_forward(device, module, kind, 100 * seed + len(kind.name))


@pytest.mark.parametrize("kind", ["float", "float3"])
def test_random_layouts_give_the_gradients_that_numpy_gives(device, kernels, module, kind):
    for seed in range(4):
        access_patterns.check_backward(device, module, access_patterns.KINDS[kind], seed)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", access_patterns.KINDS.values(), ids=access_patterns.KINDS)
def test_many_random_layouts(device, kernels, module, kind):
    for seed in range(1000, 1060):
        access_patterns.check_forward(device, module, kind, seed)
    if kind.name in ("float", "float3"):
        for seed in range(1000, 1060):
            access_patterns.check_backward(device, module, kind, seed)


@pytest.mark.parametrize("read", [0, 1, 2, 3])
@pytest.mark.parametrize("written", [0, 1, 3])
@pytest.mark.parametrize("name", ["uint8", "half", "float", "double"])
def test_every_offset_of_what_is_read_and_written(device, kernels, module, name, read, written):
    kind = access_patterns.KINDS[name]
    count = (1 << 19) + 2
    numbers = (np.arange(count + 8) % 61).astype(kind.result)
    target = Tensor.from_numpy(device, np.full(count + 8, 7, kind.result))
    tensor = Tensor.from_numpy(device, numbers)
    a, b = numbers[read : read + count], numbers[5 : 5 + count]

    getattr(module, "mix_" + name)(
        tensor[read : read + count],
        tensor[5 : 5 + count],
        _result=target[written : written + count],
    )

    expected = np.full(count + 8, 7, kind.result)
    expected[written : written + count] = kind.expected(a, b)
    assert np.array_equal(target.numpy(), expected)
