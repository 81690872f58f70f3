# SPDX-License-Identifier: Apache-2.0
"""100,000 calls with tensors of torch leave memory as they found it."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from conftest import KINDS

pytest.importorskip("torch", reason="torch is not installed")

from support.torch_workload import Workload, holdings

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(7200),
    # torch's own parts use what other parts call deprecated.
    pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning"),
]

CALLS = 100_000
WARM_UP = 10_000
WINDOWS = 15
# malloc, torch and the driver take a megabyte once, at any time: in one window, or in two. What is
# leaked a call grows in every window, and one object of 100 bytes would be 9 MB in all.
TOLERATED_LEAK = 1 << 20


@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_thousand_mixed_calls_leave_memory_flat(kind, record_property):
    with weft.create_device(type=weft.DeviceType[kind]) as device:
        workload = Workload(device)
        for index in range(WARM_UP):
            workload.run(index)
        first = last = holdings(device)
        grown = []
        for window in np.array_split(np.arange(WARM_UP, CALLS), WINDOWS):
            for index in window.tolist():
                workload.run(index)
            before, last = last, holdings(device)
            grown.append(last.resident - before.resident)

    leaked = int(np.median(grown)) * WINDOWS
    record_property("calls", CALLS)
    record_property("resident bytes", last.resident)
    record_property("their growth in each window", grown)
    assert leaked <= TOLERATED_LEAK, grown
    assert last.weft == first.weft
    assert last.tensors <= first.tensors  # fewer: those of other tests are gone
    assert last.allocated <= first.allocated
