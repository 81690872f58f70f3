# SPDX-License-Identifier: Apache-2.0
"""What a call costs the CPU with tensors of torch, beside torch's own operators.

``python torch_launches.py [cuda] [vulkan]`` prints microseconds a call, the best of five rounds:
one-element calls, launches of weft.slangtorch, forward and backward, and the first load of a
module. On Vulkan the tensors are those of the CPU.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

import weft
from weft import slangtorch

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 5
KERNELS = """
[AutoPyBindCUDA][CUDAKernel][Differentiable]
void square(DiffTensorView<float> input, DiffTensorView<float> output)
{
    uint i = cudaThreadIdx().x + cudaBlockIdx().x * cudaBlockDim().x;
    if (i < input.size(0)) output[i] = input[i] * input[i];
}

[AutoPyBindCUDA][CUDAKernel]
void plain(TensorView<float> input, TensorView<float> output)
{
    uint i = cudaThreadIdx().x + cudaBlockIdx().x * cudaBlockDim().x;
    if (i < input.size(0)) output[i] = input[i] * input[i];
}
"""
FUNCTIONS = """
[Differentiable] float twice(float x) { return 2 * x; }
[Differentiable] float sum6(float a, float b, float c, float d, float e, float f)
{
    return a + b + c + d + e + f;
}
"""


class Bench:
    """Times calls on one kind of device."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.place = "cuda" if kind == "cuda" else "cpu"
        self.count = 3000 if kind == "cuda" else 100
        self.device = weft.create_device(type=weft.DeviceType[kind])

    def wait(self) -> None:
        if self.place == "cuda":
            torch.cuda.synchronize()

    def print(self, name: str, call: Callable[[], Any]) -> None:
        for _ in range(50):
            call()
        best = float("inf")
        for _ in range(ROUNDS):
            self.wait()
            start = time.perf_counter()
            for _ in range(self.count):
                call()
            best = min(best, (time.perf_counter() - start) / self.count)
        self.wait()
        print(f"{self.kind:8} {name:36} {best * 1e6:8.2f} us", flush=True)

    def ones(self, *shape: int, **settings: Any) -> torch.Tensor:
        return torch.ones(*shape, device=self.place, **settings)


def time_calls(bench: Bench) -> None:
    module = weft.Module.load_from_source(bench.device, "calls", FUNCTIONS)
    one, result = bench.ones(1), bench.ones(1)
    own, own_result = (weft.Tensor.zeros(bench.device, (1,)) for _ in range(2))
    bench.print("torch.add(out=)", lambda: torch.add(one, one, out=result))
    bench.print("torch.add", lambda: torch.add(one, one))
    bench.print("twice(torch, _result=torch)", lambda: module.twice(one, _result=result))
    bench.print("twice(torch)", lambda: module.twice(one))
    bench.print("twice(weft, _result=weft)", lambda: module.twice(own, _result=own_result))
    bench.print("sum6(torch, _result=torch)", lambda: module.sum6(*[one] * 6, _result=result))
    bench.print("sum6(weft, _result=weft)", lambda: module.sum6(*[own] * 6, _result=own_result))
    leaf, weight = bench.ones(1, requires_grad=True), bench.ones(1)
    bench.print("forward and backward, twice", lambda: module.twice(leaf).backward(weight))
    bench.print("forward and backward, torch", lambda: (leaf * 2).backward(weight))


def time_kernels(bench: Bench) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.slang"
        path.write_text(KERNELS)
        start = time.perf_counter()
        kernels = slangtorch.loadModule(str(path), device=bench.device)
        x, y = bench.ones(1024), bench.ones(1024)
        sizes = {"blockSize": (256, 1, 1), "gridSize": (4, 1, 1)}
        kernels.plain(input=x, output=y).launchRaw(**sizes)
        bench.wait()
        print(f"loadModule and first launch: {time.perf_counter() - start:.2f} s")
        pairs = {"input": (x, torch.zeros_like(x)), "output": (y, torch.ones_like(y))}
        bench.print("launchRaw", lambda: kernels.plain(input=x, output=y).launchRaw(**sizes))
        bench.print("bwd.launchRaw", lambda: kernels.square.bwd(**pairs).launchRaw(**sizes))


def main() -> None:
    for kind in sys.argv[1:] or ["cuda", "vulkan"]:
        bench = Bench(kind)
        time_calls(bench)
        time_kernels(bench)
        if kind == "cuda":
            with torch.cuda.stream(torch.cuda.Stream()):
                print("on another stream:")
                time_calls(bench)
        bench.device.close()


if __name__ == "__main__":
    main()
