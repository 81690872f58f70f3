# SPDX-License-Identifier: Apache-2.0
"""What ./dev bench torch times: calls with tensors of torch, beside the same work by torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

import weft
from bench.targets import Measure, Target
from bench.timing import Subject
from weft import slangtorch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TIME, BEYOND, SECONDS = Measure.TIME, Measure.BEYOND, Measure.SECONDS
SUBMITTED = 4 << 20
"""Elements of the large backward passes on a GPU; a quarter of them on software devices."""
CALL_COUNT = 1 << 20

FUNCTIONS = """
[Differentiable] float twice(float x) { return 2 * x; }
[Differentiable] float polynomial(float a, float b, float c, float x)
{
    return a * x * x + b * x + c;
}
[Differentiable] float sum6(float a, float b, float c, float d, float e, float f)
{
    return a + b + c + d + e + f;
}
[Differentiable] float horner(float x)
{
    float s = x;
    [ForceUnroll] for (int i = 0; i < 100; i++) s = s * x + 0.5f;
    return s;
}
"""
KERNELS = """
[AutoPyBindCUDA][CUDAKernel]
void plain(TensorView<float> input, TensorView<float> output)
{
    uint i = cudaThreadIdx().x + cudaBlockIdx().x * cudaBlockDim().x;
    if (i < input.size(0)) output[i] = input[i] * input[i];
}

[AutoPyBindCUDA][CUDAKernel][Differentiable]
void scaled(DiffTensorView<float> gain, DiffTensorView<float> input, DiffTensorView<float> output)
{
    uint i = cudaThreadIdx().x + cudaBlockIdx().x * cudaBlockDim().x;
    if (i < input.size(0)) output[i] = gain[0] * input[i];
}

[CudaKernel]
void square(TensorView<float> input, TensorView<float> output)
{
    uint i = cudaThreadIdx().x + cudaBlockIdx().x * cudaBlockDim().x;
    if (i < input.size(0)) output[i] = input[i] * input[i];
}

[TorchEntryPoint]
TorchTensor<float> squared(TorchTensor<float> input)
{
    var result = TorchTensor<float>.zerosLike(input);
    let groups = uint3((input.size(0) + 255) / 256, 1, 1);
    __dispatch_kernel(square, groups, uint3(256, 1, 1))(input, result);
    return result;
}
"""


@dataclass(frozen=True)
class Row:
    """A case: what is timed, by system, "weft" first, and what is promised."""

    name: str
    title: str
    targets: tuple[Target, ...]
    batch: int
    subjects: Callable[[Beside], dict[str, Callable[[], object]]]


class Beside:
    """The modules and tensors of one device."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.device = weft.create_device(type=weft.DeviceType[kind])
        self.is_software = self.device.info.features.is_software
        self.category = "software" if self.is_software else kind
        self.place = "cuda" if kind == "cuda" else "cpu"
        self.functions = weft.Module.load_from_source(self.device, "beside_torch", FUNCTIONS)
        path = folder / "beside_torch.slang"
        path.write_text(KERNELS)
        self.kernels = slangtorch.loadModule(str(path), device=self.device)

    def wait(self) -> None:
        """Wait for everything that was queued."""
        self.device.wait()
        if self.place == "cuda":
            torch.cuda.synchronize()

    def ones(self, *shape: int, **settings: Any) -> torch.Tensor:
        """Return a tensor of torch on the device's side."""
        return torch.ones(*shape, device=self.place, **settings)

    def own(self, *shape: int) -> weft.Tensor:
        """Return a tensor of Weft."""
        return weft.Tensor.from_numpy(self.device, torch.ones(*shape).numpy())

    def subject(self, call: Callable[[], object]) -> Subject:
        """Return a call to be timed."""
        return Subject(call, finish=self.wait)


def _given(b: Beside) -> dict[str, Callable[[], object]]:
    one, result, own, own_result = b.ones(1), b.ones(1), b.own(1), b.own(1)
    twice = b.functions.twice
    return {
        "weft": lambda: twice(one, _result=result),
        "torch": lambda: torch.add(one, one, out=result),
        "own": lambda: twice(own, _result=own_result),
    }


def _allocated(b: Beside) -> dict[str, Callable[[], object]]:
    one, own, twice = b.ones(1), b.own(1), b.functions.twice
    return {
        "weft": lambda: twice(one),
        "torch": lambda: torch.add(one, one),
        "own": lambda: twice(own),
    }


def _six(b: Beside) -> dict[str, Callable[[], object]]:
    ones, owns, sum6 = [b.ones(1)] * 6, [b.own(1)] * 6, b.functions.sum6
    result, own_result = b.ones(1), b.own(1)
    return {
        "weft": lambda: sum6(*ones, _result=result),
        "own": lambda: sum6(*owns, _result=own_result),
    }


def _large(b: Beside) -> dict[str, Callable[[], object]]:
    x, own, twice = b.ones(CALL_COUNT), b.own(CALL_COUNT), b.functions.twice
    result, own_result = b.ones(CALL_COUNT), b.own(CALL_COUNT)
    return {
        "weft": lambda: twice(x, _result=result),
        "torch": lambda: torch.mul(x, 2, out=result),
        "own": lambda: twice(own, _result=own_result),
    }


def _polynomial(a: Any, x: torch.Tensor) -> torch.Tensor:
    return a * x * x + 8.0 * x - 1.0


def _backward(b: Beside, count: int) -> dict[str, Callable[[], object]]:
    x = b.ones(count, requires_grad=True)
    a = b.ones(1, requires_grad=True)
    weight, polynomial = b.ones(count), b.functions.polynomial
    own_x, own_a = b.own(count).with_grads(), b.own(1).with_grads()
    result = b.own(count).with_grads()

    def own() -> None:
        polynomial(own_a, 8.0, -1.0, own_x, _result=result)
        polynomial.bwds(own_a, 8.0, -1.0, own_x, _result=result)

    return {
        "weft": lambda: polynomial(a, 8.0, -1.0, x).backward(weight),
        "torch": lambda: _polynomial(a, x).backward(weight),
        "own": own,
    }


def _flops(b: Beside) -> dict[str, Callable[[], object]]:
    x, weight = b.ones(CALL_COUNT, requires_grad=True), b.ones(CALL_COUNT)
    horner = b.functions.horner

    def eager() -> None:
        s = x
        for _ in range(100):
            s = s * x + 0.5
        s.backward(weight)

    return {"weft": lambda: horner(x).backward(weight), "torch": eager}


def _launch(b: Beside) -> dict[str, Callable[[], object]]:
    x, y, plain = b.ones(1024), b.ones(1024), b.kernels.plain
    sizes = {"blockSize": (256, 1, 1), "gridSize": (4, 1, 1)}
    return {"weft": lambda: plain(input=x, output=y).launchRaw(**sizes)}


def _launch_backward(b: Beside) -> dict[str, Callable[[], object]]:
    count = CALL_COUNT
    x, y, gain = (b.ones(count), torch.zeros(count, device=b.place)), b.ones(count), b.ones(1)
    pairs = {"gain": (gain, b.ones(1)), "input": x, "output": (y, b.ones(count))}
    sizes = {"blockSize": (256, 1, 1), "gridSize": (count // 256, 1, 1)}
    return {"weft": lambda: b.kernels.scaled.bwd(**pairs).launchRaw(**sizes)}


def _entry_point(b: Beside) -> dict[str, Callable[[], object]]:
    x, squared = b.ones(1024), b.kernels.squared
    return {"weft": lambda: squared(x)}


def _compiled(b: Beside) -> dict[str, Callable[[], object]]:
    torch._dynamo.reset()
    a, x, polynomial = b.ones(1), b.ones(1), b.functions.polynomial

    def call(a: torch.Tensor, x: torch.Tensor) -> Any:
        return polynomial(a, a, a, x)

    def product(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return a * x

    compiled = torch.compile(call, fullgraph=True)
    torchs = torch.compile(product, fullgraph=True)
    return {
        "weft": lambda: compiled(a, x),
        "eager": lambda: call(a, x),
        "torch": lambda: torchs(a, x),
    }


def _target(category: str, measure: Measure, bound: float, reference: str = "") -> Target:
    return Target(category, measure, bound, reference)


ROWS = (
    Row("call_given", "one element, _result given", (
        _target("cuda", TIME, 1.2, "torch"), _target("software", BEYOND, 5e-6, "own")), 300,
        _given),
    Row("call_allocated", "one element, result allocated", (
        _target("cuda", TIME, 1.2, "torch"), _target("software", BEYOND, 5e-6, "own")), 300,
        _allocated),
    Row("six_arguments", "six arguments of one element and _result", (
        _target("cuda", BEYOND, 7 * 0.3e-6, "own"),), 300, _six),
    Row("call_2^20", "2^20 floats, _result given", (
        _target("software", TIME, 1.05, "own"),), 1, _large),
    Row("gradient_1", "forward and backward, one element", (
        _target("cuda", TIME, 0.6, "torch"),), 50, lambda b: _backward(b, 1)),
    Row("gradient_large", "forward and backward, elementwise and one number", (
        _target("cuda", SECONDS, 60e-6), _target("cuda", TIME, 1.25, "own")), 10,
        lambda b: _backward(b, SUBMITTED // (4 if b.is_software else 1))),
    Row("gradient_flops", "forward and backward, 200 flops, 2^20", (
        _target("software", TIME, 1.0, "torch"),), 1, _flops),
    Row("launch", "launchRaw, two tensors of 2^10", (
        _target("cuda", SECONDS, 7e-6),), 100, _launch),
    Row("launch_bwd", ".bwd.launchRaw, gradient of one number, 2^20", (
        _target("cuda", TIME, 0.2, "slangtorch"),), 5, _launch_backward),
    Row("entry_point", "[TorchEntryPoint], repeated", (
        _target("cuda", TIME, 1.0, "slangtorch"),), 100, _entry_point),
    Row("compiled", "inside torch.compile(fullgraph=True)", (
        _target("cuda", BEYOND, 3e-6, "eager"), _target("software", BEYOND, 3e-6, "eager")), 100,
        _compiled),
)  # fmt: skip
