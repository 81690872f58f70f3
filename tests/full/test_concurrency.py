# SPDX-License-Identifier: Apache-2.0
"""Threads on one device, several devices, and devices that close while others work."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import weft
from conftest import KINDS, create
from weft import Tensor

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]

THREADS = 8
ROUNDS = 300
SOURCE = """
float poly(float x, float y) { return x * x + 3 * y; }
float3 tint(float3 color, float by) { return color * by; }
int count(int a) { return a + 1; }
float @(float x) { return x * #; }
"""


def source_of(thread: int) -> str:
    """A module that is compiled by this thread only."""
    return SOURCE.replace("@", f"own_{thread}").replace("#", str(thread + 2))


def in_threads(work, count=THREADS):
    """Run work(0) ... work(count - 1) at once; re-raise the first failure."""
    start = threading.Barrier(count)
    failures = []

    def body(thread):
        try:
            start.wait()
            work(thread)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def exercise(device, module, thread, rounds=ROUNDS):
    """Calls whose results depend on the thread and the round; each is checked."""
    own = module[f"own_{thread}"]
    for turn in range(rounds):
        size = 1 + (thread * 37 + turn * 11) % 257
        x = np.full(size, thread + 1, np.float32)
        y = np.arange(size, dtype=np.float32) + turn
        left, right = Tensor.from_numpy(device, x), Tensor.from_numpy(device, y)

        assert np.array_equal(module.poly(left, right).numpy(), x * x + 3 * y)
        assert np.array_equal(own(right, _result="numpy"), y * (thread + 2))
        assert module.count(turn) == turn + 1
        if turn % 16 == 0:
            tinted = module.tint(np.ones((size, 3), np.float32), float(thread), _result="numpy")
            assert np.array_equal(tinted, np.full((size, 3), thread))
            assert weft.sum(right) == pytest.approx(y.sum(), rel=1e-5)


def test_threads_compile_and_call_on_one_device(fresh_device):
    def work(thread):
        module = weft.Module.load_from_source(fresh_device, f"own{thread}", source_of(thread))
        exercise(fresh_device, module, thread)

    in_threads(work)

    fresh_device.wait()
    assert fresh_device.validation_messages == []


def test_threads_share_one_module(fresh_device):
    module = weft.Module.load_from_source(fresh_device, "shared", source_of(0))

    in_threads(lambda _thread: exercise(fresh_device, module, 0))

    fresh_device.wait()
    assert fresh_device.validation_messages == []


@pytest.mark.parametrize("kinds", [(kind, other) for kind in KINDS for other in KINDS])
def test_two_devices_work_side_by_side(kinds):
    with create(kinds[0]) as first, create(kinds[1]) as second:
        devices = (first, second)
        modules = [weft.Module.load_from_source(device, "both", source_of(0)) for device in devices]

        in_threads(lambda thread: exercise(devices[thread % 2], modules[thread % 2], 0))

        for device in devices:
            device.wait()
            assert device.validation_messages == []


def test_a_device_closes_while_threads_call_on_it(fresh_device):
    module = weft.Module.load_from_source(fresh_device, "closing", source_of(0))
    module.poly(1.0, 2.0)
    answers = []

    def call_until_closed():
        for turn in range(100_000):
            answers.append(module.poly(2.0, float(turn)) == 4 + 3 * turn)

    def work(thread):
        if thread == 0:
            fresh_device.close()
        else:
            with pytest.raises(weft.DeviceError, match="closed"):
                call_until_closed()

    in_threads(work)

    assert all(answers)


def test_devices_come_and_go_in_several_threads():
    def work(thread):
        for turn in range(5):
            with create(KINDS[thread % len(KINDS)]) as device:
                module = weft.Module.load_from_source(device, "brief", source_of(0))
                assert module.poly(float(turn), 1.0) == turn * turn + 3

    in_threads(work, 4)
