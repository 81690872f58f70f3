# SPDX-License-Identifier: Apache-2.0
"""dispatch() runs entry points and plain functions over threads of the caller's choice."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import NDBuffer, Tensor

SOURCE = """
uniform float gain;

[numthreads(64, 1, 1)]
void sumBuffers(NDBuffer<float, 1> a, NDBuffer<float, 1> b, NDBuffer<float, 1> sum,
                int i : SV_DispatchThreadID)
{
    sum[i] = a[i] + b[i];
}

[shader("compute")]
[numthreads(8, 4)]
void paint(uint3 thread : SV_DispatchThreadID, uint3 group : SV_GroupID, RWTensor<uint, 2> image)
{
    if (thread.x < image.shape[1] && thread.y < image.shape[0])
        image[thread.y, thread.x] = thread.x + 100 * thread.y + 10000 * group.y;
}

void plain(uint3 thread : SV_DispatchThreadID, RWTensor<float, 1> values, float by)
{
    values[thread.x] = values[thread.x] + by * gain;
}

groupshared int shared_sum;
[numthreads(32, 1, 1)]
void countGroup(uint lane : SV_GroupIndex, RWTensor<int, 1> out_count)
{
    if (lane == 0)
        shared_sum = 0;
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(shared_sum, 1);
    GroupMemoryBarrierWithGroupSync();
    if (lane == 0)
        out_count[0] = shared_sum;
}
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "dispatching", SOURCE)


def test_an_entry_point_takes_buffers_by_position_and_an_integer_thread_count(device, module):
    a, b, total = (NDBuffer(device, shape=(1024,)) for _ in range(3))
    a.copy_from_numpy(np.arange(1024, dtype=np.float32))
    b.copy_from_numpy(np.full(1024, 0.5, np.float32))

    module.sumBuffers.dispatch(1024, a, b, total)

    assert np.array_equal(total.numpy(), np.arange(1024) + 0.5)


def test_an_entry_point_keeps_its_own_group_size(device, module):
    image = Tensor.zeros(device, (8, 16), weft.uint32)

    module.paint.dispatch((16, 8, 1), image=image)

    rows, columns = np.mgrid[:8, :16]
    assert np.array_equal(image.numpy(), columns + 100 * rows + 10000 * (rows // 4))


def test_group_memory_is_shared_by_the_threads_of_a_group(device, module):
    count = Tensor.zeros(device, (1,), weft.int32)

    module.countGroup.dispatch(32, count)

    assert count.numpy()[0] == 32


def test_a_plain_function_runs_exactly_the_threads_asked_for(device, module):
    values = Tensor.zeros(device, (40,))

    module.plain.dispatch([33, 1, 1], values, 2.0, vars={"gain": 3.0})

    assert np.array_equal(values.numpy(), [6.0] * 33 + [0.0] * 7)


def test_an_entry_point_is_listed_with_its_group_size(module):
    signature = module.paint.signature

    assert signature.is_entry_point
    assert tuple(signature.group_size) == (8, 4, 1)
    assert signature.attributes == []


def test_a_thread_count_below_one_is_refused(device, module):
    with pytest.raises(weft.ArgumentError, match="dispatch: thread_count"):
        module.plain.dispatch((0, 1, 1), Tensor.zeros(device, (1,)), 1.0)
