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


def test_the_peak_stays_after_memory_is_given_back(fresh_device):
    tensors = [Tensor.empty(fresh_device, (1 << 16,)) for _ in range(4)]
    held = fresh_device.memory_info()
    del tensors
    fresh_device.wait()
    Tensor.empty(fresh_device, (16,))

    after = fresh_device.memory_info()

    assert held.peak_used == held.used >= 4 << 18
    assert after.peak_used == held.peak_used
    assert after.used < held.used


SIZES = [60, 4000, 65_000, 1 << 20, (1 << 22) + 12, 9_000_000]
"""Floats: parts of blocks, and blocks of their own."""


@pytest.mark.parametrize("seed", range(4))
def test_arrays_that_come_and_go_never_share_memory(fresh_device, seed):
    rng = np.random.default_rng(seed)
    held = {}
    for number in range(60):
        if held and rng.random() < 0.45:
            del held[int(rng.choice(list(held)))]
        size = int(rng.choice(SIZES) * rng.uniform(0.5, 1))
        held[number] = Tensor.empty(fresh_device, (size,))
        held[number].fill(float(number))
        if number % 20 == 19:
            fresh_device.wait()
            held = {key: value for key, value in held.items() if rng.random() < 0.5}

    for number, tensor in held.items():
        values = tensor.numpy()
        assert values[0] == values[-1] == number
        assert (values == number).all()


def test_memory_that_nobody_holds_goes_back_and_what_is_held_stays(fresh_device):
    kept = Tensor.empty(fresh_device, (1 << 20,))
    kept.fill(3.0)
    for _ in range(3):
        large = [Tensor.empty(fresh_device, (1 << 24,)) for _ in range(3)]
        for tensor in large:
            tensor.fill(5.0)
        del large, tensor
        fresh_device.wait()
        small = [Tensor.empty(fresh_device, (1 << 14,)) for _ in range(50)]
        del small

    assert (kept.numpy() == 3).all()


def test_unused_memory_goes_back_and_what_is_held_stays(fresh_device):
    kept = Tensor.empty(fresh_device, (1 << 23,))
    kept.fill(3.0)
    fresh_device.wait()
    large = [Tensor.empty(fresh_device, (1 << 26,)) for _ in range(5)]
    during = fresh_device.memory_info().reserved
    del large

    assert fresh_device.memory_info().reserved <= during - (1 << 28)
    assert (kept.numpy() == 3).all()
