# SPDX-License-Identifier: Apache-2.0
"""What a step of training costs with tensors of torch on a GPU, by itself and in a CUDA graph.

``python torch_cases.py`` prints microseconds a step, the best of five rounds: forward and backward
of a polynomial under torch's autograd, of one and of 2^22 elements, beside torch's own and beside
Weft's ``bwds`` and call without torch; then launches captured into CUDA graphs.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch

import weft

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 5
FUNCTIONS = """
[Differentiable]
float polynomial(float a, float b, float c, float x) { return a * x * x + b * x + c; }
"""


def show(name: str, call: Callable[[], Any], count: int = 1000) -> None:
    """Print what a call takes, waiting once a round."""
    for _ in range(30):
        call()
    best = float("inf")
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - start) / count)
    print(f"{name:52} {best * 1e6:8.2f} us", flush=True)


def graph_of(step: Callable[[], Any]) -> torch.cuda.CUDAGraph:
    """Return a graph of a step."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph


def time_polynomial(device: weft.Device, count: int) -> None:
    """Time forward and backward of one size."""
    module = weft.Module.load_from_source(device, "cases", FUNCTIONS)
    x = torch.linspace(0, 1, count, device="cuda", requires_grad=True)
    a = torch.tensor(2.0, device="cuda", requires_grad=True)
    weight = torch.ones(count, device="cuda")

    def clear() -> None:
        x.grad = a.grad = None

    def ours() -> None:
        clear()
        module.polynomial(2.0, 8.0, -1.0, x).backward(weight)

    def shared() -> None:
        clear()
        module.polynomial(a, 8.0, -1.0, x).backward(weight)

    def torchs() -> None:
        clear()
        (2.0 * x * x + 8.0 * x - 1.0).backward(weight)

    def torchs_shared() -> None:
        clear()
        (a * x * x + 8.0 * x - 1.0).backward(weight)

    label = f"{count} elements, forward + backward"
    for name, step in (("", ours), (", shared number", shared)):
        show(f"{label}{name}", step)
        show(f"{label}{name}, in a graph", graph_of(step).replay)
    for name, step in (("", torchs), (", shared number", torchs_shared)):
        show(f"{label}{name}, torch", step)
        show(f"{label}{name}, torch, in a graph", graph_of(step).replay)

    own = weft.Tensor.zeros(device, (count,)).with_grads()
    own_a = weft.Tensor.from_numpy(device, a.detach().cpu().numpy()).with_grads()
    output = weft.Tensor.zeros(device, (count,)).with_grads()

    def own_step() -> None:
        module.polynomial(2.0, 8.0, -1.0, own, _result=output)
        module.polynomial.bwds(2.0, 8.0, -1.0, own, _result=output)

    def own_shared() -> None:
        module.polynomial(own_a, 8.0, -1.0, own, _result=output)
        module.polynomial.bwds(own_a, 8.0, -1.0, own, _result=output)

    show(f"{label}, call and bwds of Weft's tensors", own_step)
    show(f"{label}, shared number, call and bwds", own_shared)


def time_call(device: weft.Device) -> None:
    """Time one-element calls, one by one and twenty in a graph."""
    module = weft.Module.load_from_source(device, "cases", FUNCTIONS)
    x, y = torch.ones(1, device="cuda"), torch.ones(1, device="cuda")

    def twenty() -> None:
        for _ in range(20):
            module.polynomial(2.0, 8.0, -1.0, x, _result=y)

    show("20 calls of one element", twenty, 200)
    show("20 calls of one element, in a graph", graph_of(twenty).replay)


def main() -> None:
    device = weft.create_torch_device("cuda")
    time_call(device)
    for count in (1, 1 << 22):
        time_polynomial(device, count)
    device.close()


if __name__ == "__main__":
    main()
