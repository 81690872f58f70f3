# SPDX-License-Identifier: Apache-2.0
"""100,000 calls of all kinds leave memory as they found it."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import numpy as np
import pytest

import weft
from conftest import KINDS
from weft import Tensor

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]

CALLS = 100_000
WARM_UP = 10_000
WINDOWS = 15
# malloc and the driver take a megabyte or two once, at any time: in one window, or in two. What is
# leaked a call grows in every window, and one object of 100 bytes would be 9 MB in all.
TOLERATED_LEAK = 1 << 20

SOURCE = """
struct Ball { float3 center; float radius; };
float add(float a, float b) { return a + b; }
float3 scaled(float3 v, float by) { return v * by; }
float volume(Ball ball) { return ball.radius * ball.radius * ball.radius; }
void split(float value, out float whole, out float rest)
{
    whole = floor(value);
    rest = value - whole;
}
int cell(int2 at) { return at.x * 100 + at.y; }
float total(ITensor<float, 1> values)
{
    float sum = 0;
    for (uint i = 0; i < values.shape[0]; ++i)
        sum += values[i];
    return sum;
}
T twice<T : IArithmetic>(T x) { return x + x; }
"""


@pytest.fixture(params=KINDS)
def device(request):
    """Without the validation layer, whose own memory is not ours to watch."""
    with weft.create_device(type=weft.DeviceType[request.param]) as made:
        yield made


def make_resident(workload) -> None:
    """Write once to all memory that the pool's first blocks hold.

    Memory of a software device is this process's own and becomes resident at its first use; the
    pool goes through a whole block of 16 MiB, 256 bytes a small buffer, before it reuses a part.
    """
    for step in (workload.numbers, workload.a_reduction, workload.a_new_result):
        for index in range((16 << 20) // 256):
            step(index)


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class Workload:
    """Call number i, always the same one for the same i."""

    def __init__(self, device):
        self.device = device
        self.module = weft.Module.load_from_source(device, "soak", SOURCE)
        self.values = np.arange(24, dtype=np.float32)
        self.kept = Tensor.from_numpy(device, self.values)
        self.result = Tensor.zeros(device, (24,), weft.float32)
        self.steps = [
            self.tensors_into_a_result,
            self.numbers,
            self.a_new_result,
            self.numpy_in_and_out,
            self.a_broadcast_view,
            self.vectors,
            self.a_structure,
            self.outputs,
            self.a_grid,
            self.a_whole_tensor,
            self.a_generic,
            self.a_reduction,
            self.a_batch,
            self.a_wrong_call,
            self.many_sizes,
            self.dlpack,
        ]

    def run(self, index: int) -> None:
        self.steps[index % len(self.steps)](index)

    def tensors_into_a_result(self, _index):
        self.module.add(self.kept, 1.0, _result=self.result)

    def numbers(self, index):
        assert self.module.add(float(index % 1000), 1.0) == index % 1000 + 1

    def a_new_result(self, index):
        assert self.module.add(self.kept, float(index % 7)).shape == (24,)

    def numpy_in_and_out(self, index):
        out = self.module.add(self.values, float(index % 5), _result="numpy")
        assert out[3] == 3 + index % 5

    def a_broadcast_view(self, _index):
        table = self.kept.reshape(4, 6)
        assert self.module.add(table, table[0]).shape == (4, 6)

    def vectors(self, _index):
        assert self.module.scaled(self.kept.reshape(8, 3), 2.0).shape == (8,)

    def a_structure(self, index):
        ball = {"_type": "Ball", "center": (0, 0, 0), "radius": float(index % 9)}
        assert self.module.volume(ball) == (index % 9) ** 3

    def outputs(self, _index):
        assert self.module.split(2.5) == (2.0, 0.5)

    def a_grid(self, _index):
        assert self.module.cell(weft.grid((3, 4))).shape == (3, 4)

    def a_whole_tensor(self, _index):
        assert self.module.total(self.kept) == 276

    def a_generic(self, index):
        assert self.module.twice(index % 50) == 2 * (index % 50)

    def a_reduction(self, _index):
        assert weft.sum(self.kept) == 276

    def a_batch(self, _index):
        commands = self.device.create_command_encoder()
        for _ in range(3):
            self.module.add.append_to(commands, self.kept, 1.0, _result=self.result)
        self.device.submit_command_buffer(commands.finish())

    def a_wrong_call(self, _index):
        with pytest.raises(weft.ArgumentError):
            self.module.add(self.kept, np.zeros((2, 5), np.float32))

    def many_sizes(self, index):
        zeros = Tensor.zeros(self.device, (1 + index % 4000,), weft.float32)
        assert self.module.add(zeros, 2.0).shape == zeros.shape

    def dlpack(self, _index):
        # numpy takes host memory only, so a CUDA tensor comes back to Weft.
        on_cuda = self.device.info.type is weft.DeviceType.cuda
        taken = (
            Tensor.from_dlpack(self.device, self.result) if on_cuda else np.from_dlpack(self.result)
        )
        assert tuple(taken.shape) == (24,)


def test_a_hundred_thousand_mixed_calls_leave_memory_flat(device, record_property):
    workload = Workload(device)
    make_resident(workload)

    def look() -> tuple[int, weft.MemoryInfo]:
        device.wait()
        gc.collect()
        return resident_bytes(), device.memory_info()

    for index in range(WARM_UP):
        workload.run(index)
    resident, first = look()
    grown = []
    for window in np.array_split(np.arange(WARM_UP, CALLS), WINDOWS):
        for index in window.tolist():
            workload.run(index)
        before, (resident, last) = resident, look()
        grown.append(resident - before)

    leaked = int(np.median(grown)) * WINDOWS
    record_property("calls", CALLS)
    record_property("resident bytes", resident)
    record_property("their growth in each window", grown)
    record_property("device bytes held", last.reserved)
    record_property("their growth", last.reserved - first.reserved)
    assert leaked <= TOLERATED_LEAK, grown
    assert (last.used, last.live_buffers) == (first.used, first.live_buffers)
    assert last.reserved == first.reserved
    assert last.allocations == first.allocations
