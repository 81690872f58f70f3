# SPDX-License-Identifier: Apache-2.0
"""Arrays to and from a GPU, and kernels that do nothing but read and write: sums and Adam.

``python transfers.py [--quick] [cuda] [vulkan]`` prints milliseconds and GB/s of uploads and
downloads of numpy, fresh, kept and pinned, beside torch's of pageable and pinned memory; then
reductions, a step of Adam and 100 recorded calls. Ratios of transfers are of torch's pinned copy,
of kernels of a copy on the device as large, all measured here; times are the best of some. Every
result is compared; the exit status counts those that are wrong. --quick takes small arrays: it
shows that everything works.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft import Tensor

try:
    import torch
except ImportError:
    torch = None

if TYPE_CHECKING:
    from collections.abc import Callable

MIB = 1 << 20
SHRINK = 256 if "--quick" in sys.argv else 1
SIZES = (1 * MIB, 16 * MIB, 256 * MIB // SHRINK)
REPEATS = 7

wrong: list[str] = []


def check(name: str, is_right: bool) -> None:
    """Remember a wrong result."""
    if not is_right:
        wrong.append(name)
        print(f"WRONG: {name}")


def best(run: Callable[[], object], wait: Callable[[], object], repeats: int = REPEATS) -> float:
    """Return the shortest of some seconds of a call with the wait for the device after it."""
    found = []
    for _ in range(repeats + 1):
        wait()
        start = time.perf_counter()
        result = run()
        wait()
        found.append(time.perf_counter() - start)
        del result
    return min(found[1:])


def rate(run: Callable[[], object], wait: Callable[[], object], count: int) -> float:
    """Return seconds of a call in a queue of `count`."""

    def several() -> None:
        for _ in range(count):
            run()

    return best(several, wait, 3) / count


def line(name: str, seconds: float, size: int, reference: float) -> None:
    """Print a row: the ratio is of the bytes a second of the reference."""
    speed = size / seconds / 1e9
    print(f"  {name:44} {1e3 * seconds:9.3f} ms {speed:8.1f} GB/s {speed / reference:6.2f}")


def numbers(size: int, seed: int) -> np.ndarray:
    """Return floats that are all different from those of another seed."""
    return np.random.default_rng(seed).random(size // 4, np.float32)


def torch_transfers(size: int) -> dict[str, float]:
    """Return bytes a second of torch's pinned copies up and down."""
    if torch is None or not torch.cuda.is_available():
        return {"up": 53e9, "down": 53e9}
    wait = torch.cuda.synchronize
    values = torch.from_numpy(numbers(size, 1))
    pinned = values.pin_memory()
    there = torch.empty_like(values, device="cuda")
    rates = {
        "up": size / best(lambda: there.copy_(pinned, non_blocking=True), wait),
        "down": size / best(lambda: pinned.copy_(there, non_blocking=True), wait),
    }
    check("torch, pinned", torch.equal(values, pinned))
    for name, run in (("up", lambda: there.copy_(values)), ("down", lambda: there.cpu())):
        line(f"torch, pinned, {name}", size / rates[name], size, rates[name] / 1e9)
        line(f"torch, pageable, {name}", best(run, wait), size, rates[name] / 1e9)
    return rates


def transfers(device: weft.Device, size: int) -> None:
    """Measure both directions of one size."""
    print(f" {size // MIB} MiB")
    rates = {name: value / 1e9 for name, value in torch_transfers(size).items()}
    values, others = numbers(size, 2), numbers(size, 3)
    tensor = Tensor.from_numpy(device, values)
    check("from_numpy", np.array_equal(tensor.to_numpy(), values))
    kept, pinned = np.zeros_like(values), weft.pinned_empty(device, values.shape)
    pinned[:] = others
    up = (("numpy, up", values), ("pinned_empty, up", pinned))
    for name, array in up:
        line(name, best(lambda a=array: tensor.copy_from_numpy(a), device.wait), size, rates["up"])
        check(name, np.array_equal(tensor.to_numpy(), array))
    shifted = np.empty(values.size + 1, np.float32)[1:]
    shifted[:] = values
    line(
        "numpy at an odd address, up",
        best(lambda: tensor.copy_from_numpy(shifted), device.wait),
        size,
        rates["up"],
    )
    check("shifted", np.array_equal(tensor.to_numpy(), values))
    downs: tuple[tuple[str, Callable[[], Any], Any], ...] = (
        ("numpy, fresh, down", tensor.to_numpy, None),
        ("numpy, out=, down", lambda: tensor.to_numpy(out=kept), kept),
        ("pinned_empty, out=, down", lambda: tensor.to_numpy(out=pinned), pinned),
    )
    for name, run, array in downs:
        line(name, best(run, device.wait), size, rates["down"])
        check(name, np.array_equal(run() if array is None else array, values))
    device.trim()


def copy_rate(device: weft.Device) -> float:
    """Return GB/s of a copy on the device, reading and writing counted, by the faster of two."""
    size = (1 << 30) // SHRINK
    source, target = (Tensor.zeros(device, (size // 4,), np.float32) for _ in range(2))
    module = weft.Module.load_from_source(device, "copies", "float4 copy(float4 a) { return a; }")
    views = [tensor.reshape((size // 16, 4)) for tensor in (source, target)]
    seconds = rate(lambda: module.copy(views[0], _result=views[1]), device.wait, 10)
    print(f"  copy by Weft {2 * size / seconds / 1e9:.0f} GB/s")
    if torch is not None and torch.cuda.is_available():
        first, second = (torch.zeros(size // 4, device="cuda") for _ in range(2))
        theirs = rate(lambda: second.copy_(first), torch.cuda.synchronize, 10)
        print(f"  copy by torch {2 * size / theirs / 1e9:.0f} GB/s")
        seconds = min(seconds, theirs)
    return 2 * size / seconds / 1e9


def sums(device: weft.Device, bandwidth: float) -> None:
    """Measure reductions to one number, the host's wait for it included, beside torch."""
    cases = (
        ("sum", np.float32, 1 << 28, 0),
        ("sum", np.float32, 1 << 26, 0),
        ("sum", np.float32, (1 << 26) - 3, 1),
        ("max", np.float32, 1 << 28, 0),
        ("max", np.float16, 1 << 27, 0),
        ("sum", np.float16, 1 << 27, 1),
        ("sum", np.float64, 1 << 26, 0),
        ("sum", np.int32, 1 << 26, 0),
        ("sum", np.uint8, 1 << 28, 3),
        ("norm", np.float32, 1 << 26, 0),
    )
    for name, kind, elements, offset in cases:
        count = elements // SHRINK
        random = np.random.default_rng(5).integers(0, 9, 1 << 16)
        values = np.resize(random, count + offset).astype(kind)
        tensor = Tensor.from_numpy(device, values)[offset:]
        size = count * values.itemsize
        text = f"{name} of {count} {np.dtype(kind).name} at {offset}"
        run = getattr(weft, name)
        line(text, best(lambda r=run, t=tensor: r(t), device.wait, 20), size, bandwidth)
        wide = values[offset:].astype(np.float64)
        expected = {"sum": wide.sum, "max": wide.max, "norm": lambda w=wide: np.linalg.norm(w)}
        want = float(expected[name]())
        check(text, abs(float(run(tensor)) - want) <= 1e-6 * want)
        if torch is not None and torch.cuda.is_available():
            theirs = torch.from_numpy(values).cuda()[offset:]
            reduce = {"sum": torch.sum, "max": torch.max, "norm": torch.linalg.vector_norm}[name]
            seconds = best(lambda r=reduce, t=theirs: r(t).item(), torch.cuda.synchronize, 20)
            line("  torch", seconds, size, bandwidth)


def rows(device: weft.Device, bandwidth: float) -> None:
    """Measure sums along an axis."""
    values = np.resize(np.random.default_rng(5).integers(0, 9, 1 << 16), (8192, 8192))
    values = values.astype(np.float32)
    tensor = Tensor.from_numpy(device, values)
    for axis in (1, 0):
        text = f"sum along axis {axis} of 8192 x 8192"
        seconds = rate(lambda a=axis: weft.sum(tensor, a), device.wait, 20)
        line(text, seconds, values.nbytes, bandwidth)
        check(text, np.allclose(weft.sum(tensor, axis).to_numpy(), values.sum(axis), 1e-5))


def adam(device: weft.Device, bandwidth: float) -> None:
    """Measure a step of Adam, 28 bytes a parameter."""
    for count in (1 << 22, 1 << 24, (1 << 26) // SHRINK):
        start, slope = numbers(4 * count, 7), numbers(4 * count, 8)
        parameter = Tensor.from_numpy(device, start)
        gradient = Tensor.from_numpy(device, slope)
        optimizer = weft.optim.Adam([parameter], 1e-3)
        optimizer.step([gradient])
        expected = start - 1e-3 * slope / (np.abs(slope) + 1e-8)
        check(f"Adam, {count}", np.allclose(parameter.to_numpy(), expected, 1e-4, 1e-6))
        seconds = rate(lambda o=optimizer, g=gradient: o.step([g]), device.wait, 50)
        line(f"Adam, {count}", seconds, 28 * count, bandwidth)
        if torch is not None and torch.cuda.is_available():
            theirs = torch.from_numpy(start).cuda().requires_grad_()
            theirs.grad = torch.from_numpy(slope).cuda()
            fused = torch.optim.Adam([theirs], 1e-3, fused=True)
            line(
                "  torch, fused",
                rate(fused.step, torch.cuda.synchronize, 50),
                28 * count,
                bandwidth,
            )


def recorded(device: weft.Device) -> None:
    """Measure 100 recorded additions beside a CUDA graph of as many."""
    module = weft.Module.load_from_source(
        device, "adding", "float add(float a, float b) { return a + b; }"
    )
    for count in (1, 1 << 20):
        a, b, r = (Tensor.ones(device, (count,), np.float32) for _ in range(3))
        commands = device.create_command_encoder()
        for _ in range(100):
            module.add.append_to(commands, a, b, _result=r)
        ours = rate(commands.submit, device.wait, 20)
        check("recorded", np.array_equal(r.to_numpy(), np.full(count, 2, np.float32)))
        print(f"  100 recorded calls of {count}: {1e6 * ours:.1f} us")
        if torch is not None and torch.cuda.is_available():
            x, y, z = (torch.ones(count, device="cuda") for _ in range(3))
            torch.add(x, y, out=z)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(100):
                    torch.add(x, y, out=z)
            theirs = rate(graph.replay, torch.cuda.synchronize, 20)
            print(f"    in a CUDA graph of torch: {1e6 * theirs:.1f} us, ratio {ours / theirs:.2f}")


def main() -> int:
    """Measure the devices named, or all GPUs."""
    for kind in [name for name in sys.argv[1:] if name != "--quick"] or ("cuda", "vulkan"):
        device = weft.create_device(type=kind)
        print(f"{kind}: {device.info.name}, {weft.__file__}")
        for size in SIZES:
            transfers(device, size)
        bandwidth = copy_rate(device)
        sums(device, bandwidth)
        rows(device, bandwidth)
        adam(device, bandwidth)
        recorded(device)
        device.close()
    return len(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
