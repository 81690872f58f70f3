# SPDX-License-Identifier: Apache-2.0
"""Gradients of tensors that a function picks elements from: tables of all sizes, stencils, sines.

``python gathers.py [cuda|vulkan] [part of names]`` prints a line a case: microseconds of the
backward call, the fraction of a copy of as many bytes, the time with ``deterministic=True``, and
``index_add_`` of torch where torch is. Every result is compared with numpy; the exit status counts
those that are wrong. PYTHONPATH decides which Weft is measured.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import weft
from weft import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.sweep.bounds import seconds_of

try:
    import torch
except ImportError:
    torch = None

COUNT = 1 << 22
"""Threads of each case."""
BUDGET = 0.02
"""Seconds to measure a call for."""

SOURCE = """
[Differentiable] float look_up(int i, IDiffTensor<float, 1> table) { return table[i]; }
[Differentiable] float4 look_up4(int i, IDiffTensor<float4, 1> table) { return table[i]; }
[Differentiable] float blur1(int i, IDiffTensor<float, 1> t)
{
    return .25f * t[i] + .5f * t[i + 1] + .25f * t[i + 2];
}
[Differentiable] float blur2(int2 at, IDiffTensor<float, 2> t)
{
    float sum = 0;
    [ForceUnroll] for (int y = 0; y < 3; y++)
        [ForceUnroll] for (int x = 0; x < 3; x++) sum += t[at.y + y, at.x + x];
    return sum / 9;
}
[Differentiable] float bilinear(float x, float y, IDiffTensor<float, 2> t)
{
    const int i = int(x), j = int(y);
    const float u = x - i, v = y - j;
    return (1 - v) * ((1 - u) * t[j, i] + u * t[j, i + 1])
        + v * ((1 - u) * t[j + 1, i] + u * t[j + 1, i + 1]);
}
[Differentiable] float sines(float x)
{
    [MaxIters(32)] for (int i = 0; i < 32; i++) x = sin(x);
    return x;
}
float4 copy(float4 a) { return a; }
"""


class Bench:
    """A device, its functions, and what was found."""

    def __init__(self, kind: str, wanted: str) -> None:
        """Compile the functions."""
        self.device = weft.create_device(type=weft.DeviceType[kind])
        self.module = weft.Module.load_from_source(self.device, "gathers", SOURCE)
        self.rng = np.random.default_rng(1)
        self.wanted = wanted
        self.wrong = 0
        a, b = (Tensor.zeros(self.device, (COUNT,), "float4") for _ in range(2))
        copied = self.seconds(lambda: self.module.copy(a, _result=b))
        self.bandwidth = 32 * COUNT / copied

    def seconds(self, run: Any) -> float:
        """Return the seconds of a call among others."""
        return seconds_of(run, self.device.wait, BUDGET)

    def report(
        self, name: str, size: int, run: Any, gradient: Tensor, expected: np.ndarray, beside: Any
    ) -> None:
        """Check and time a case, with and without determinism, and print its line.

        Args:
            name: Of the case.
            size: Bytes that it moves at least.
            run: Takes ``deterministic=``.
            gradient: What it adds to.
            expected: What one call adds.
            beside: The same in torch; ``None``: there is none.
        """
        times = []
        is_right = True
        for deterministic in (False, True):
            gradient.copy_from_numpy(np.zeros(expected.shape, np.float32))
            run(deterministic=deterministic)
            bound = 2e-5 * np.maximum(np.abs(expected).max(), 1)
            is_right &= bool(np.abs(gradient.to_numpy() - expected).max() <= bound)
            times.append(self.seconds(lambda d=deterministic: run(deterministic=d)))
        self.wrong += not is_right
        other = seconds_of(beside, torch.cuda.synchronize, BUDGET) if beside is not None else None
        print(
            f"{name:34} {times[0] * 1e6:8.1f} us  {size / times[0] / self.bandwidth:5.2f}"
            f"  deterministic {times[1] * 1e6:8.1f} us"
            + (f"  torch {other * 1e6:8.1f} us" if other is not None else "")
            + ("" if is_right else "  WRONG"),
            flush=True,
        )


def run_tables(bench: Bench) -> None:
    """Tables of all sizes, read at random places, in order, all at one."""
    cases = [(1 << k, "random") for k in (8, 12, 13, 16, 20, 24)]
    cases += [(1 << 16, "one"), (1 << 24, "one"), (1 << 16, "sorted"), (1 << 20, "sorted")]
    given = bench.rng.integers(-4, 5, COUNT).astype(np.float32)
    for entries, places in cases:
        name = f"{entries} entries, {places}"
        if bench.wanted not in name:
            continue
        index = bench.rng.integers(0, entries, COUNT).astype(np.int32)
        if places == "one":
            index[:] = entries // 2
        if places == "sorted":
            index.sort()
        table = Tensor.zeros(bench.device, (entries,)).with_grads()
        where = Tensor.from_numpy(bench.device, index)
        result = Tensor.zeros(bench.device, (COUNT,)).with_grads(
            grad_in=Tensor.from_numpy(bench.device, given)
        )
        beside = None
        if torch is not None and torch.cuda.is_available():
            out = torch.zeros(entries, device="cuda")
            add, at = torch.from_numpy(given).cuda(), torch.from_numpy(index).cuda()
            beside = lambda o=out, w=at, a=add: o.index_add_(0, w, a)  # noqa: E731

        def run(t: Tensor = table, w: Tensor = where, r: Tensor = result, **options: bool) -> None:
            bench.module.look_up.bwds(w, t, _result=r, **options)

        expected = np.bincount(index, given.astype(np.float64), entries)
        size = 12 * COUNT + 8 * min(entries, COUNT)
        bench.report(name, size, run, table.grad, expected, beside)


def run_vectors(bench: Bench) -> None:
    """A table of four floats an entry."""
    entries, count = 1 << 16, COUNT // 4
    if bench.wanted not in "entries of float4, random":
        return
    given = bench.rng.integers(-4, 5, (count, 4)).astype(np.float32)
    index = bench.rng.integers(0, entries, count).astype(np.int32)
    table = Tensor.zeros(bench.device, (entries,), "float4").with_grads()
    where = Tensor.from_numpy(bench.device, index)
    result = Tensor.zeros(bench.device, (count,), "float4").with_grads(
        grad_in=Tensor.from_numpy(bench.device, given, "float4")
    )
    expected = np.stack(
        [np.bincount(index, given[:, c].astype(np.float64), entries) for c in range(4)], axis=1
    )

    def run(**options: bool) -> None:
        bench.module.look_up4.bwds(where, table, _result=result, **options)

    bench.report(
        f"{entries} entries of float4, random", 36 * count, run, table.grad, expected, None
    )


def run_stencils(bench: Bench) -> None:
    """Weighted neighbours of each place, and of places in between."""
    edge = round(COUNT**0.5)
    given = bench.rng.integers(-4, 5, (edge, edge)).astype(np.float32)
    result = Tensor.zeros(bench.device, (edge, edge)).with_grads(
        grad_in=Tensor.from_numpy(bench.device, given)
    )
    if bench.wanted in "1-d convolution":
        line = Tensor.zeros(bench.device, (COUNT + 2,)).with_grads()
        flat = Tensor.zeros(bench.device, (COUNT,)).with_grads(
            grad_in=Tensor.from_numpy(bench.device, given.ravel())
        )
        expected = np.zeros(COUNT + 2)
        for place, factor in enumerate((0.25, 0.5, 0.25)):
            expected[place : place + COUNT] += factor * given.ravel()

        def run_line(**options: bool) -> None:
            bench.module.blur1.bwds(weft.grid((COUNT,)), line, _result=flat, **options)

        bench.report("1-d convolution of 3", 20 * COUNT, run_line, line.grad, expected, None)
    picture = Tensor.zeros(bench.device, (edge + 2, edge + 2)).with_grads()
    if bench.wanted in "3x3 blur":
        spread = np.zeros((edge + 2, edge + 2))
        for y in range(3):
            for x in range(3):
                spread[y : y + edge, x : x + edge] += given.astype(np.float64) / 9

        def run_blur(**options: bool) -> None:
            bench.module.blur2.bwds(weft.grid((edge, edge)), picture, _result=result, **options)

        bench.report("3x3 blur", 20 * COUNT, run_blur, picture.grad, spread, None)
    if bench.wanted in "bilinear":
        places = (np.arange(edge, dtype=np.float32) * 0.5 + 0.25).astype(np.float32)
        x = Tensor.from_numpy(bench.device, places[None, :])
        y = Tensor.from_numpy(bench.device, places[:, None])
        spread = np.zeros((edge + 2, edge + 2))
        i, u = places.astype(int), (places - places.astype(int)).astype(np.float64)
        for dy, wy in ((0, 1 - u), (1, u)):
            for dx, wx in ((0, 1 - u), (1, u)):
                np.add.at(spread, np.ix_(i + dy, i + dx), given * np.outer(wy, wx))

        def run_bilinear(**options: bool) -> None:
            bench.module.bilinear.bwds(x, y, picture, _result=result, **options)

        bench.report("bilinear, coherent", 12 * COUNT, run_bilinear, picture.grad, spread, None)


def run_sines(bench: Bench) -> None:
    """A chain of 32 sines."""
    if bench.wanted not in "32 sines":
        return
    x = bench.rng.random(COUNT, dtype=np.float32)
    slope, value = np.ones(x.size), x.astype(np.float64)
    for _ in range(32):
        slope *= np.cos(value)
        value = np.sin(value)
    tensor = Tensor.from_numpy(bench.device, x).with_grads()
    result = Tensor.zeros(bench.device, x.shape).with_grads(
        grad_in=Tensor.from_numpy(bench.device, np.ones(x.size, np.float32))
    )

    def run(**options: bool) -> None:
        bench.module.sines.bwds(tensor, _result=result, **options)

    bench.report("32 sines", 20 * COUNT, run, tensor.grad, slope, None)


def main(arguments: list[str]) -> int:
    """Run all cases, or those whose names hold the second argument."""
    kind = arguments[0] if arguments else "cuda"
    bench = Bench(kind, arguments[1] if len(arguments) > 1 else "")
    print(f"weft {weft.__file__}, {bench.device.info.name}, copy {bench.bandwidth * 1e-9:.0f} GB/s")
    for group in (run_tables, run_vectors, run_stencils, run_sines):
        group(bench)
    print(f"{bench.wrong} wrong")
    return bench.wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
