# SPDX-License-Identifier: Apache-2.0
"""Torch and Weft in a process of their own: interrupts, ends in any order, forks."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed")

# torch's own parts use what other parts call deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")

TESTS = Path(__file__).resolve().parents[1]
COMMON = '''
import os, signal, threading, time
import torch
import weft

SOURCE = """
[Differentiable] float twice(float x) { return 2 * x; }
float turned(float x, int count)
{
    float s = x;
    for (int i = 0; i < count; i++) s = sin(s) + x;
    return s;
}
[Differentiable] float slow(float x, no_diff int count) { return x * no_diff(turned(x, count)); }
"""
device = weft.create_device(type=weft.DeviceType["KIND"])
module = weft.Module.load_from_source(device, "processes", SOURCE)
'''


def output_of(device: Any, script: str) -> str:
    """Run a script after COMMON in a process of its own and return what it prints."""
    text = COMMON.replace("KIND", device.info.type.name) + script
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", text],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, f"status {done.returncode}: {done.stdout}{done.stderr}"
    assert done.stderr == ""
    return done.stdout


def test_an_interrupt_ends_a_backward_pass_and_nothing_else(device: Any) -> None:
    said = output_of(
        device,
        """
signal.signal(signal.SIGINT, signal.default_int_handler)  # children of a shell may ignore it
module.slow(torch.ones(1 << 13, requires_grad=True), 2).sum().backward()  # compiles
elements, seconds = 1 << 13, 0.0
while seconds < 1:
    elements *= 2
    x = torch.ones(elements, requires_grad=True)
    start = time.perf_counter()
    result = module.slow(x, 2000).sum()  # llvmpipe ends loops of 65,536 rounds
    seconds = time.perf_counter() - start
timer = threading.Timer(0.1 * seconds, os.kill, (os.getpid(), signal.SIGINT))
try:
    timer.start()
    result.backward()
except KeyboardInterrupt:
    print("interrupted", x.grad is None)
timer.cancel()
x.grad = None
module.twice(x).sum().backward()
print(x.grad.unique().tolist(), module.twice(torch.ones(2)).tolist())
""",
    )

    assert said.splitlines() == ["interrupted True", "[2.0] [2.0, 2.0]"]


@pytest.mark.parametrize("order", [*itertools.permutations(("device", "module", "graph"))])
def test_a_process_ends_whatever_is_dropped_first(device: Any, order: tuple[str, ...]) -> None:
    said = output_of(
        device,
        f"""
leaf = torch.ones(4, requires_grad=True)
graph = module.twice(leaf)
other = module.twice(leaf)
del {order[0]}
del {order[1]}
other.sum().backward()
print(leaf.grad.tolist())
del {order[2]}
""",
    )

    assert said == "[2.0, 2.0, 2.0, 2.0]\n"


def test_a_process_ends_with_everything_still_there(device: Any) -> None:
    said = output_of(
        device,
        """
leaf = torch.ones(4, requires_grad=True)
graph = module.twice(leaf)
graph.sum().backward(retain_graph=True)
print(leaf.grad.tolist())
""",
    )

    assert said == "[2.0, 2.0, 2.0, 2.0]\n"


def test_a_fork_refuses_and_its_parent_goes_on(device: Any) -> None:
    said = output_of(
        device,
        """
leaf = torch.ones(2, requires_grad=True)
result = module.twice(leaf).sum()
child = os.fork()
if child == 0:
    refused = 0
    for attempt in (
        result.backward, lambda: module.twice(leaf), lambda: module.twice(torch.ones(2))
    ):
        try:
            attempt()
        except weft.DeviceError as error:
            refused += "fork" in str(error)
    os._exit(refused)
_, status = os.waitpid(child, 0)
result.backward()
print(os.waitstatus_to_exitcode(status), leaf.grad.tolist())
""",
    )

    assert said == "3 [2.0, 2.0]\n"


def test_two_thousand_mixed_calls_leave_memory_flat(device: Any) -> None:
    said = output_of(
        device,
        f"""
import sys
sys.path.insert(0, {str(TESTS)!r})
from support.torch_workload import Workload, holdings
workload = Workload(device)
for index in range(2000):
    workload.run(index)
first = holdings(device)
for index in range(2000):
    workload.run(index)
last = holdings(device)
print("resident", max(last.resident - first.resident, 4 << 20) - (4 << 20))
print("torch", last.tensors - first.tensors, last.allocated - first.allocated)
print("weft", last.weft.used - first.weft.used, last.weft.buffers - first.weft.buffers)
""",
    )

    assert said.splitlines() == ["resident 0", "torch 0 0", "weft 0 0"]
