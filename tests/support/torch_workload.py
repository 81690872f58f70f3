# SPDX-License-Identifier: Apache-2.0
"""Calls with tensors of torch, all kinds in turn, and what they leave behind."""

from __future__ import annotations

import gc
import os
from dataclasses import dataclass
from pathlib import Path

import torch

import weft

SOURCE = """
struct Point : IDifferentiable { float2 at; float mass; }
[Differentiable] float poly(float a, float b, float x) { return a * x * x + b * x; }
[Differentiable] float3 scaled(float3 v, float by) { return v * by; }
[Differentiable] float moment(Point p) { return p.mass * dot(p.at, p.at); }
[Differentiable] void split(float x, out float low, out float high) { low = 2 * x; high = x * x; }
[Differentiable] void decay(inout float x, float rate) { x = x * rate; }
[Differentiable]
void put(int i, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y) { y[i] = x[i] * x[i]; }
float plain(float x) { return x + 1; }
[Differentiable] T squared<T : __BuiltinFloatingPointType>(T x) { return x * x; }
"""


class Workload:
    """Call number i, always the same one for the same i."""

    def __init__(self, device: weft.Device) -> None:
        self.module = weft.Module.load_from_source(device, "torch_soak", SOURCE)
        self.place = "cuda" if device.info.type is weft.DeviceType.cuda else "cpu"
        self.values = torch.arange(24.0, device=self.place)
        self.result = torch.zeros(24, device=self.place)
        self.leaf = torch.ones(24, device=self.place, requires_grad=True)
        self.gain = torch.tensor(2.0, device=self.place, requires_grad=True)
        self.steps = (
            self.without_gradients,
            self.into_a_result,
            self.forward_and_backward,
            self.a_shared_gradient,
            self.a_graph_that_is_dropped,
            self.vectors,
            self.a_structure,
            self.outputs,
            self.inout,
            self.a_chosen_element,
            self.a_generic,
            self.many_sizes,
            self.jvp,
            self.batch,
            self.numpy_out,
            self.a_wrong_call,
        )

    def run(self, index: int) -> None:
        """Make a call and look at what it gives."""
        self.steps[index % len(self.steps)](index)

    def without_gradients(self, index: int) -> None:
        with torch.no_grad():
            found = self.module.poly(1.0, 0.0, self.leaf)
        assert not found.requires_grad
        assert self.module.plain(self.values)[index % 24] == index % 24 + 1

    def into_a_result(self, index: int) -> None:
        self.module.poly(0.0, float(index % 5), self.values, _result=self.result)
        assert self.result[3] == 3 * (index % 5)

    def forward_and_backward(self, index: int) -> None:
        self.leaf.grad = None
        self.module.poly(1.0, float(index % 3), self.leaf).sum().backward()
        assert self.leaf.grad[5] == 2 + index % 3

    def a_shared_gradient(self, _index: int) -> None:
        self.gain.grad = None
        self.module.poly(self.gain, 0.0, self.values).sum().backward()
        assert self.gain.grad == 4324

    def a_graph_that_is_dropped(self, _index: int) -> None:
        assert self.module.poly(self.gain, self.gain, self.leaf).grad_fn is not None

    def vectors(self, _index: int) -> None:
        (gradient,) = torch.autograd.grad(
            self.module.scaled(self.leaf.view(8, 3), self.gain).sum(), self.gain
        )
        assert gradient == 24

    def a_structure(self, _index: int) -> None:
        point = {"at": self.leaf.view(12, 2), "mass": self.gain}
        (gradient,) = torch.autograd.grad(self.module.moment(point).sum(), self.gain)
        assert gradient == 24

    def outputs(self, _index: int) -> None:
        low, high = torch.empty_like(self.values), torch.empty_like(self.values)
        self.module.split(self.leaf, low, high)
        (gradient,) = torch.autograd.grad((low + high).sum(), self.leaf)
        assert gradient[0] == 4

    def inout(self, _index: int) -> None:
        to = self.leaf * 1
        self.module.decay(to, self.gain)
        (gradient,) = torch.autograd.grad(to.sum(), self.gain)
        assert gradient == 24

    def a_chosen_element(self, _index: int) -> None:
        to = torch.zeros_like(self.values)
        self.module.put(weft.grid((24,)), self.leaf, to)
        (gradient,) = torch.autograd.grad(to.sum(), self.leaf)
        assert gradient[23] == 2

    def a_generic(self, _index: int) -> None:
        assert self.module.squared(self.values)[4] == 16

    def many_sizes(self, index: int) -> None:
        count = 1 + index % 4000
        zeros = torch.zeros(count, device=self.place)
        assert self.module.plain(zeros).shape == (count,)

    def jvp(self, _index: int) -> None:
        _, tangent = torch.func.jvp(
            lambda t: self.module.poly(1.0, 0.0, t), (self.values,), (torch.ones_like(self.values),)
        )
        assert tangent[7] == 14

    def batch(self, _index: int) -> None:
        found = torch.func.vmap(self.module.plain)(self.values.view(2, 12))
        assert found.shape == (2, 12)

    def numpy_out(self, _index: int) -> None:
        assert self.module.plain(self.values, _result="numpy")[2] == 3

    def a_wrong_call(self, _index: int) -> None:
        try:
            self.module.poly(self.values, 1.0, torch.zeros(5, device=self.place))
        except weft.ArgumentError:
            return
        raise AssertionError("shapes that do not join were taken")


def resident_bytes() -> int:
    """Return the memory of this process that is in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class DeviceHoldings:
    """What a device holds: bytes in use and reserved, buffers, and allocations of the driver."""

    used: int
    reserved: int
    buffers: int
    allocations: int


@dataclass(frozen=True)
class Holdings:
    """What a process holds at a moment of rest."""

    resident: int
    weft: DeviceHoldings
    tensors: int
    """Live tensors of torch."""
    allocated: int
    """Bytes of torch on the GPU."""


def holdings(device: weft.Device) -> Holdings:
    """Return what this process holds, after everything has come to rest."""
    device.wait()
    gc.collect()
    memory = device.memory_info()
    return Holdings(
        resident_bytes(),
        DeviceHoldings(memory.used, memory.reserved, memory.live_buffers, memory.allocations),
        # By type(): asking an object for its class makes some of torch's warn.
        sum(issubclass(type(each), torch.Tensor) for each in gc.get_objects()),
        torch.cuda.memory_allocated() if torch.cuda.is_available() else 0,
    )
