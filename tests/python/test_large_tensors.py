# SPDX-License-Identifier: Apache-2.0
"""Tensors of more than 2^31 elements. Skips where no GPU has the memory (three times 2 GiB)."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

COUNT = 2**31 + 17
NEEDED = 8 << 30  # bytes of device memory
STRETCH = 4096

SOURCE = """
int8_t low(int64_t i) { return int8_t((i * 7 + 3) % 50); }
int8_t high(int64_t i) { return int8_t((i / 1000) % 70); }
int8_t add(int8_t a, int8_t b) { return int8_t(a + b); }
[shader("compute")] [numthreads(256, 1, 1)]
void fill(uint3 thread : SV_DispatchThreadID, int8_t* a, int8_t* b, int64_t count, uint columns)
{
    const int64_t i = int64_t(thread.y) * columns + thread.x;
    if (thread.x < columns && i < count)
    {
        a[i] = low(i);
        b[i] = high(i);
    }
}
"""


def expected(begin: int, end: int) -> np.ndarray:
    """Return the sums that the elements from `begin` to `end` must have."""
    index = np.arange(begin, end, dtype=np.int64)
    return ((index * 7 + 3) % 50 + (index // 1000) % 70).astype(np.int8)


@pytest.fixture
def large_device(device):
    info = device.info
    if info.features.is_software or info.memory <= NEEDED:
        pytest.skip("needs a GPU with more than 8 GiB of memory")
    if info.limits.max_buffer_size and info.limits.max_buffer_size < COUNT:
        pytest.skip("the driver allows no buffer of 2^31 + 17 bytes")
    return device


def check_sums(device, count):
    """Add two int8 tensors that are filled on the device, and read both ends and the middle."""
    module = weft.Module.load_from_source(device, "large", SOURCE)
    a, b, total = (Tensor.empty(device, (count,), np.int8) for _ in range(3))
    columns = 1 << 20
    module.fill.dispatch((columns, -(-count // columns), 1), a=a, b=b, count=count, columns=columns)

    module.add(a, b, _result=total)

    middle = count // 2
    for begin in (0, middle - STRETCH // 2, count - STRETCH):
        stretch = total[begin : begin + STRETCH].numpy()
        assert np.array_equal(stretch, expected(begin, begin + STRETCH)), f"from {begin}"
    if count > 2**31:
        border = total[2**31 - 8 : 2**31 + 8].numpy()
        assert np.array_equal(border, expected(2**31 - 8, 2**31 + 8))


def test_a_small_tensor_is_added_by_the_same_code(device):
    check_sums(device, (1 << 20) + 17)


@pytest.mark.slow
def test_more_than_2_to_the_31_elements_are_added(large_device):
    check_sums(large_device, COUNT)
