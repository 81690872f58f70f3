# SPDX-License-Identifier: Apache-2.0
"""How near to a copy's bandwidth calls come: types, strides, offsets and sizes of memory.

``python access.py [cuda|vulkan] [part of names]`` prints a line a case: GB/s, the fraction of the
bandwidth of a copy of as many bytes, torch's time where torch is; at the end the ten worst ratios.
Every result is compared with numpy; the exit status counts those that are wrong. PYTHONPATH decides
which Weft is measured: call it with an old stage and a new one for before and after.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.sweep.bounds import seconds_of

try:
    import torch
except ImportError:
    torch = None

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = {  # Slang's type: scalars of it
    "uint8_t": (np.uint8, 1),
    "int8_t": (np.int8, 1),
    "half": (np.float16, 1),
    "int": (np.int32, 1),
    "float": (np.float32, 1),
    "double": (np.float64, 1),
    "float2": (np.float32, 2),
    "float3": (np.float32, 3),
    "float4": (np.float32, 4),
    "Ray": (np.float32, 6),
}
SIZES = [1 << 26, (1 << 26) + 3, 1_000_003]
OFFSETS = [0, 1, 3]
MAX_BYTES = 1 << 30
"""Of one array: larger types take fewer elements."""
BUDGET = 0.03
"""Seconds to measure a call for."""
SAMPLE = 20_000
"""Elements at both ends and in the middle that are compared of a large result."""

SOURCE = (
    """
struct Ray { float3 origin; float3 direction; }
"""
    + "\n".join(
        f"""
    {kind} fill_{kind}(int i, int salt) {{ return {
            "{ float3(part(i, salt, 0), part(i, salt, 1), part(i, salt, 2)),"
            " float3(part(i, salt, 3), part(i, salt, 4), part(i, salt, 5)) }"
            if kind == "Ray"
            else f"{kind}({', '.join(f'part(i, salt, {c})' for c in range(count))})"
        }; }}
    {kind} add_{kind}({kind} a, {kind} b) {{ return {
            "{ a.origin + b.origin, a.direction + b.direction }"
            if kind == "Ray"
            else f"{kind}(a + b)"
        }; }}
    """
        for kind, (_, count) in KINDS.items()
    )
    + """
int part(int i, int salt, int c) { return (i * 7 + (i >> 9) * 5 + c * 3 + salt) & 15; }
float4 copy(float4 a) { return a; }
[Differentiable] float scale(float a, float b) { return a * b; }
[Differentiable] float3 scale3(float3 a, float3 b) { return a * b; }
[Differentiable] float sines(float x)
{
    [MaxIters(32)] for (int i = 0; i < 32; i++) x = sin(x);
    return x;
}
[Differentiable] float blur1(int i, IDiffTensor<float, 1> t)
{
    return .25f * t[i] + .5f * t[i + 1] + .25f * t[i + 2];
}
float blur3(int2 at, Tensor<float, 2> t)
{
    float sum = 0;
    [ForceUnroll] for (int y = 0; y < 3; y++)
        [ForceUnroll] for (int x = 0; x < 3; x++) sum += t[at.y + y, at.x + x];
    return sum / 9;
}
"""
)


def part(i: np.ndarray, salt: int, c: int) -> np.ndarray:
    """Return what the function of this name in Slang returns."""
    i = i.astype(np.int64)
    return (i * 7 + (i >> 9) * 5 + c * 3 + salt) & 15


@dataclass
class Layout:
    """Strides, in elements, and the extents of what an argument varies over."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]


def plain(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of rows one after the other."""
    return tuple(int(np.prod(shape[i + 1 :])) for i in range(len(shape)))


def sizes_of(count: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return shapes of two and three dimensions with about as many elements, odd if it is."""
    side = 1 << round(np.log2(count) / 2)
    odd = count & 1
    two = (side - odd, count // side + odd)
    return two, (64 - odd, side // 8 + odd, count // (64 * (side // 8)))


def patterns(count: int) -> dict[str, tuple[tuple[int, ...], Layout, Layout]]:
    """Return the shape of a call and the layouts of its two arguments, by name."""
    two, three = sizes_of(count)
    turned = Layout(two, (1, two[0]))
    permuted = Layout(three, (1, three[0], three[0] * three[1]))
    same2 = Layout(two, plain(two))
    return {
        "plain": ((count,), Layout((count,), (1,)), Layout((count,), (1,))),
        "transposed": (two, turned, same2),
        "row": (two, Layout((1, two[1]), (0, 1)), same2),
        "column": (two, Layout((two[0], 1), (1, 0)), same2),
        "permuted": (three, permuted, Layout(three, plain(three))),
        "both turned": (two, turned, turned),
    }


class Bench:
    """A device, its arrays, and what was found."""

    def __init__(self, device: weft.Device) -> None:
        """Compile the functions."""
        self.device = device
        self.module = weft.Module.load_from_source(device, "access", SOURCE)
        self.rows: list[tuple[float, str]] = []
        self.wrong = 0
        self.arrays: dict[Any, Tensor] = {}

    def array(self, kind: str, count: int, salt: int) -> Tensor:
        """Return elements of fill_kind."""
        key = (kind, count, salt)
        if key not in self.arrays:
            made = Tensor.empty(self.device, (count,), getattr(self.module, kind, kind))
            fill = getattr(self.module, f"fill_{kind}")
            fill(weft.grid((count,)), salt, _result=made)
            self.arrays[key] = made
        return self.arrays[key]

    def seconds(self, run: Callable[[], object]) -> float:
        """Return the seconds of a call among others."""
        return seconds_of(run, self.device.wait, BUDGET)

    @cache  # noqa: B019 (there is one bench)
    def copy_seconds(self, size: int) -> float:
        """Return the time of the best copy that reads and writes `size` bytes together."""
        count = max(1, size // 32)
        a, b = (Tensor.zeros(self.device, (count,), "float4") for _ in range(2))
        best = self.seconds(lambda: self.module.copy(a, _result=b))
        if torch is not None and torch.cuda.is_available():
            x = torch.zeros(count * 4, device="cuda")
            y = torch.empty_like(x)
            best = min(best, torch_seconds(lambda: y.copy_(x)))
        return best

    def report(
        self, name: str, size: int, run: Callable[[], object], is_right: bool, other: Any = None
    ) -> None:
        """Time a case and print its line."""
        taken = self.seconds(run)
        ratio = self.copy_seconds(size) / taken
        beside = torch_seconds(other) if other is not None else None
        self.wrong += not is_right
        self.rows.append((ratio, name))
        print(
            f"{name:44} {taken * 1e6:9.1f} us {size / taken * 1e-9:7.0f} GB/s"
            f"  {ratio:5.2f} of a copy"
            + (f"  torch {beside * 1e6:9.1f} us" if beside is not None else "")
            + ("" if is_right else "  WRONG"),
            flush=True,
        )


def torch_seconds(run: Callable[[], object]) -> float:
    """Return the seconds of a call of torch among others."""
    return seconds_of(run, torch.cuda.synchronize, BUDGET)


def scalars(tensor: Tensor, dtype: type, components: int) -> np.ndarray:
    """Return the numbers of a contiguous tensor, (elements, components)."""
    return np.ascontiguousarray(tensor.numpy()).view(dtype).reshape(-1, components)


def places(count: int) -> list[tuple[int, int]]:
    """Return the ranges of a result that are compared."""
    if count <= 3 * SAMPLE:
        return [(0, count)]
    middle = count // 2
    return [(0, SAMPLE), (middle, middle + SAMPLE), (count - SAMPLE, count)]


def torch_view(kind: str, layout: Layout, shape: tuple[int, ...], offset: int, count: int) -> Any:
    """Return an array of torch with this layout, of the type or of a whole vector an element."""
    dtype, components = KINDS[kind]
    flat = torch.zeros(
        count * components, device="cuda", dtype=getattr(torch, np.dtype(dtype).name)
    )
    strides = [
        0 if extent != full else stride * components
        for extent, full, stride in zip(layout.shape, shape, layout.strides, strict=True)
    ]
    tail, inner = ((components,), (1,)) if components > 1 else ((), ())
    return flat.as_strided((*shape, *tail), (*strides, *inner), offset * components)


def run_case(bench: Bench, kind: str, pattern: str, size: int, offset: int, moved: int) -> None:
    """Add: the first argument begins at element `offset`, the result at element `moved`."""
    dtype, components = KINDS[kind]
    width = np.dtype(dtype).itemsize * components
    size = min(size, MAX_BYTES // width + (size & 1) * 3) if size > 1 << 20 else size
    shape, first, second = patterns(size)[pattern]
    count = int(np.prod(shape))
    spans = [
        sum((n - 1) * s for n, s in zip(layout.shape, layout.strides, strict=True)) + 1
        for layout in (first, second)
    ]
    flat = [
        bench.array(kind, size * 2 if n > size else size + 8, salt)
        for n, salt in zip(spans, (1, 2), strict=True)
    ]
    a = flat[0].view(first.shape, first.strides, offset)
    b = flat[1].view(second.shape, second.strides, 0)
    out = bench.array(kind, max(count, size) + 8, 3)
    result = out.view(shape, plain(shape), moved)
    function = getattr(bench.module, f"add_{kind}")
    function(a, b, _result=result)
    is_right = True
    for begin, end in places(count):
        index = np.unravel_index(np.arange(begin, end), shape)
        expected = np.zeros((end - begin, components))
        for layout, start, salt in ((first, offset, 1), (second, 0, 2)):
            at = start + sum(
                (i if n > 1 else 0) * s
                for i, n, s in zip(index, layout.shape, layout.strides, strict=True)
            )
            expected += np.stack([part(at, salt, c) for c in range(components)], axis=1)
        found = scalars(out[moved + begin : moved + end], dtype, components)
        is_right &= bool(np.array_equal(found, expected))
    other = None
    if torch is not None and torch.cuda.is_available():
        x = torch_view(kind, first, shape, offset, spans[0] + 8)
        y = torch_view(kind, second, shape, 0, spans[1] + 8)
        z = torch_view(kind, Layout(shape, plain(shape)), shape, moved, count + 8)
        other = lambda: torch.add(x, y, out=z)  # noqa: E731
    reads = sum(min(n, count) for n in (int(np.prod(first.shape)), int(np.prod(second.shape))))
    name = f"{kind} {pattern} {'x'.join(map(str, shape))} at {offset}, to {moved}"
    bench.report(
        name, (reads + count) * width, lambda: function(a, b, _result=result), is_right, other
    )


def run_gradients(bench: Bench) -> None:
    """Gradients that calls share: of one float3, of a row, of a column; and a chain of sines."""
    device, module = bench.device, bench.module
    rng = np.random.default_rng(1)

    def numbers(*shape: int) -> np.ndarray:
        return rng.integers(-4, 5, shape).astype(np.float32)

    def case(name: str, function: Any, a: np.ndarray, b: np.ndarray, tail: int) -> None:
        shape = np.broadcast_shapes(a.shape, b.shape)
        weight = numbers(*shape)
        tensors = [
            Tensor.from_numpy(device, x).with_grads(grad_out=Tensor.zeros(device, x.shape))
            for x in (a, b)
        ]
        result = Tensor.zeros(device, shape).with_grads(grad_in=Tensor.from_numpy(device, weight))
        function.bwds(*tensors, _result=result)
        is_right = True
        for tensor, slope in zip(tensors, (weight * b, weight * a), strict=True):
            axes = tuple(i for i, n in enumerate(tensor.shape) if n == 1 and shape[i] != 1)
            expected = slope.sum(axis=axes, keepdims=True, dtype=np.float64)
            is_right &= bool(np.allclose(tensor.grad_out.numpy(), expected, rtol=1e-4, atol=1))
        size = 4 * (5 * a.size + 3 * b.size)
        bench.report(name, size, lambda: function.bwds(*tensors, _result=result), is_right)

    case("gradients of float3, one shared", module.scale3, numbers(1 << 22, 3), numbers(1, 3), 1)
    case(
        "gradients of float3, none shared",
        module.scale3,
        numbers(1 << 22, 3),
        numbers(1 << 22, 3),
        1,
    )
    case("gradients, a row shared", module.scale, numbers(512, 8192), numbers(1, 8192), 0)
    case("gradients, a column shared", module.scale, numbers(8192, 512), numbers(8192, 1), 0)

    x = rng.random(1 << 22, dtype=np.float32)
    slope, value = np.ones(x.size), x.astype(np.float64)
    for _ in range(32):
        slope *= np.cos(value)
        value = np.sin(value)
    tensor = Tensor.from_numpy(device, x).with_grads(grad_out=Tensor.zeros(device, x.shape))
    ones = Tensor.from_numpy(device, np.ones(x.size, np.float32))
    result = Tensor.zeros(device, x.shape).with_grads(grad_in=ones)
    module.sines.bwds(tensor, _result=result)
    is_right = bool(np.allclose(tensor.grad_out.numpy(), slope, rtol=1e-3, atol=1e-6))
    bench.report(
        "gradient of 32 sines",
        20 * x.size,
        lambda: module.sines.bwds(tensor, _result=result),
        is_right,
    )


def run_stencils(bench: Bench) -> None:
    """A blur of 3 x 3 points, and the gradient of one of three."""
    device, module = bench.device, bench.module
    rng = np.random.default_rng(2)
    edge = 8192
    picture = rng.integers(0, 16, (edge + 2, edge + 2)).astype(np.float32)
    tensor = Tensor.from_numpy(device, picture)
    result = Tensor.zeros(device, (edge, edge))
    run = lambda: module.blur3(weft.grid((edge, edge)), tensor, _result=result)  # noqa: E731
    run()
    rows = slice(edge - 100, edge)
    expected = sum(
        picture[edge - 100 + y : edge + y, x : edge + x] for y in range(3) for x in range(3)
    )
    is_right = bool(np.allclose(result[rows].numpy(), expected / 9, rtol=1e-5))
    bench.report("blur, 3 x 3", 8 * edge * edge, run, is_right)

    count = 1 << 22
    line = Tensor.zeros(device, (count + 2,))
    line = line.with_grads(grad_out=Tensor.zeros(device, (count + 2,)))
    weight = rng.integers(-4, 5, count).astype(np.float32)
    given = Tensor.zeros(device, (count,)).with_grads(grad_in=Tensor.from_numpy(device, weight))
    run = lambda: module.blur1.bwds(weft.grid((count,)), line, _result=given)  # noqa: E731
    run()
    slope = np.zeros(count + 2, np.float32)
    for place, factor in enumerate((0.25, 0.5, 0.25)):
        slope[place : place + count] += np.float32(factor) * weight
    is_right = bool(np.allclose(line.grad_out.numpy(), slope, rtol=1e-5, atol=1e-5))
    bench.report("gradient of a blur of 3", 16 * count, run, is_right)


def main(arguments: list[str]) -> int:
    """Run all cases, or those whose names hold the second argument."""
    kind = arguments[0] if arguments else "cuda"
    wanted = arguments[1] if len(arguments) > 1 else ""
    bench = Bench(weft.create_device(type=weft.DeviceType[kind]))
    version = getattr(torch, "__version__", "none")
    print(f"weft {weft.__file__}, {bench.device.info.name}, torch {version}")
    for group in (run_gradients, run_stencils):
        if not wanted or wanted in group.__name__:
            group(bench)
    for name in KINDS:
        for size in SIZES:
            for pattern in patterns(size):
                for offset in OFFSETS:
                    title = f"{name} {pattern}"
                    if wanted and wanted not in title:
                        continue
                    run_case(bench, name, pattern, size, offset, 0)
                    if pattern == "plain" and offset:
                        run_case(bench, name, pattern, size, offset, offset)
            bench.arrays.clear()
    print("the ten worst:")
    for ratio, title in sorted(bench.rows)[:10]:
        print(f"  {ratio:5.2f}  {title}")
    print(f"{len(bench.rows)} cases, {bench.wrong} wrong")
    return bench.wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
