# SPDX-License-Identifier: Apache-2.0
"""What calls of a Vulkan device cost with CUDA tensors of torch, beside a CUDA device.

``python vulkan_beside_cuda.py [cuda] [vulkan]`` prints, for sums of two arrays, the host's time a
call, the time between calls of a long queue (by CUDA events), and the bandwidth that follows; what
the copy of torch's own tensors adds; and a call with its backward pass.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import torch

import weft

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = """
[Differentiable] float add(float a, float b) { return a + b; }
"""
ROUNDS = 7


def host_time(call: Callable[[], Any], count: int) -> float:
    """Return seconds of the host for a call, the best round."""
    best = float("inf")
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
    torch.cuda.synchronize()
    return best


def queue_time(call: Callable[[], Any], count: int) -> float:
    """Return seconds between the calls of a full queue, the best round."""
    best = float("inf")
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(count):
            call()
        end.record()
        torch.cuda.synchronize()
        best = min(best, start.elapsed_time(end) / 1000 / count)
    return best


def report(kind: str, name: str, call: Callable[[], Any], moved: int = 0) -> None:
    """Print both times of a call that moves so many bytes."""
    for _ in range(20):
        call()
    host, queue = host_time(call, 12), queue_time(call, 100)
    rate = f"{moved / queue / 1e9:8.0f} GB/s" if moved else ""
    print(f"{kind:8} {name:44} host {host * 1e6:8.2f} us  queue {queue * 1e6:8.2f} us {rate}")


def report_plain(kind: str, module: Any, device: weft.Device) -> None:
    """Print the time of calls with tensors of Weft, which cross to nobody."""
    for name, count in (("1", 1), ("4M", 1 << 22)):
        a, b, to = (weft.Tensor.zeros(device, (count,), "float32") for _ in range(3))
        best = float("inf")
        for _ in range(ROUNDS):
            device.wait()
            start = time.perf_counter()
            for _ in range(500):
                module.add(a, b, _result=to)
            device.wait()
            best = min(best, (time.perf_counter() - start) / 500)
        print(f"{kind:8} add, {name}, tensors of Weft: {best * 1e6:.2f} us a call")


def time_size(kind: str, name: str, add: Any, tensors: list[torch.Tensor]) -> None:
    """Print the times of one size."""
    a, b, to, own = tensors
    moved = 12 * a.numel() if a.numel() > 1 else 0
    report(kind, f"add, {name}, _result=", lambda: add(a, b, _result=to), moved)
    report(kind, f"add, {name}, result allocated", lambda: add(a, b), moved)
    report(kind, f"add, {name}, one tensor of torch's own", lambda: add(own, b), moved)
    report(kind, f"add, {name}, _result of torch's own", lambda: add(a, b, _result=own), moved)


def time_sizes(kind: str, module: Any, shared: Callable[[int], torch.Tensor]) -> None:
    """Print the times of sums of arrays of several sizes."""
    for name, count in (("1", 1), ("4M", 1 << 22), ("64M", 1 << 26)):
        tensors = [shared(count) for _ in range(3)]
        time_size(kind, name, module.add, [*tensors, torch.rand(count, device="cuda")])


def time_device(kind: str) -> None:
    """Print the figures of one kind of device."""
    device = weft.create_torch_device(kind)
    module = weft.Module.load_from_source(device, "beside", SOURCE)
    print(f"{kind}: {device.info.name}, {device.info.driver}")
    report_plain(kind, module, device)

    def shared(count: int) -> torch.Tensor:
        return module.add(torch.rand(count, device="cuda"), 0.0)

    time_sizes(kind, module, shared)
    report_plain(kind, module, device)  # now that memory is shared
    a, b = shared(1 << 22), shared(1 << 22)
    results = [shared(1 << 22) for _ in range(8)]
    report(
        kind,
        "8 adds of 4M between two of torch's",
        lambda: [module.add(a, b, _result=each) for each in results],
        8 * 12 << 22,
    )
    a.requires_grad_()
    ones = torch.ones_like(a)
    report(kind, "add, 4M, forward and backward", lambda: module.add(a, b).backward(ones), 1)
    small = shared(1).requires_grad_()
    one = shared(1)
    report(kind, "add, 1, forward and backward", lambda: module.add(small, 1.0).backward(one))
    device.close()


def main() -> None:
    """Print the figures of the kinds of devices that were named, of both if none was."""
    torch.cuda.init()
    a, b = torch.rand(1 << 22, device="cuda"), torch.rand(1 << 22, device="cuda")
    report("torch", "add, 4M", lambda: torch.add(a, b), 12 << 22)
    for kind in sys.argv[1:] or ("cuda", "vulkan", "cuda", "vulkan"):
        time_device(kind)


if __name__ == "__main__":
    main()
