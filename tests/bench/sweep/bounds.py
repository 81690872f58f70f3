# SPDX-License-Identifier: Apache-2.0
"""What the device does at best, measured beside the sweep, and how long work takes at least."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import weft

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.sweep.case import Work

PEAKS = """
float copy(float x) { return x; }
float multiply_adds(float x)
{
    float4 v = float4(x, x + 1.f, x + 2.f, x + 3.f);
    [ForceUnroll]
    for (int i = 0; i < 64; ++i)
        v = v * 0.875f + 0.25f;
    return v.x + v.y + v.z + v.w;
}
float sines(float x)
{
    [ForceUnroll]
    for (int i = 0; i < 32; ++i)
        x = sin(x) + 0.5f * x;
    return x;
}
float add_one(float x) { return x + 1.f; }
"""
MIN_BATCH_SECONDS = 2e-3


def seconds_of(
    run: Callable[[], object], wait: Callable[[], None], budget: float, most: int = 4096
) -> float:
    """Return the shortest mean seconds of a call in batches of about 2 ms.

    Args:
        run: Enqueues a call.
        wait: For the device.
        budget: Seconds to measure for.
        most: Calls in a batch.
    """

    def batch(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            run()
        wait()
        return time.perf_counter() - start

    batch(1)
    count = 1
    while (elapsed := batch(count)) < MIN_BATCH_SECONDS and count < most:
        count = min(most, 2 * count)
    best, end = elapsed, time.perf_counter() + budget
    while time.perf_counter() < end:
        best = min(best, batch(count))
    return best / count


@dataclass(frozen=True)
class Peaks:
    """Of a device: bytes, operations of float and sines a second, seconds of an empty call."""

    bytes: float
    operations: float
    sines: float
    call: float

    def seconds(self, work: Work) -> float:
        """Return how long work takes at least: the longest of its parts, or a call."""
        arithmetic = max(work.operations / self.operations, work.sines / self.sines)
        return max(work.bytes / self.bytes, arithmetic, self.call)


def measure_peaks(device: weft.Device, count: int, budget: float) -> Peaks:
    """Measure what a device does at best, by programs that do nothing else.

    Args:
        device: Which.
        count: Elements of the copy: more than its caches hold.
        budget: Seconds for each of four programs.
    """
    module = weft.Module.load_from_source(device, "sweep_peaks", PEAKS)
    source = weft.Tensor.from_numpy(device, np.linspace(0, 1, count, dtype=np.float32))
    result = weft.Tensor.zeros(device, source.shape)
    part = count // 8
    few, few_results = source[:part], weft.Tensor.zeros(device, (part,))
    one, one_result = (weft.Tensor.zeros(device, (1,)) for _ in range(2))
    wait = device.wait
    copy = seconds_of(lambda: module.copy(source, _result=result), wait, budget)
    rounds = seconds_of(lambda: module.multiply_adds(few, _result=few_results), wait, budget)
    sines = seconds_of(lambda: module.sines(few, _result=few_results), wait, budget)
    call = seconds_of(lambda: module.add_one(one, _result=one_result), wait, budget)
    return Peaks(8 * count / copy, 64 * 4 * 2 * part / rounds, 32 * part / sines, call)
