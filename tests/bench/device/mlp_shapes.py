# SPDX-License-Identifier: Apache-2.0
"""Networks of many shapes beside torch and jax on a GPU, by CUDA and by Vulkan: right, how fast.

Forward and backward of the squared error, gradients of the weights; gradients of the samples too
are checked, not timed. Torch runs the same step as a
CUDA graph, with --compiled also by torch.compile; jax, where it is installed, by jax.jit; the best
of these counts. ``python mlp_shapes.py [--compiled] [--no-jax] [--no-inputs] [--vulkan N]
[parts of names, separated by commas]``. A kernel of a wide network is compiled for a minute:
``--no-inputs`` leaves out the second one of each shape, for gradients of samples.
Kernels are compiled first, by processes side by side. Prints one line a case; the exit status
counts wrong results.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import astuple, dataclass
from pathlib import Path

from step_times import best_seconds

import weft

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from support.networks import SquaredErrorStep


@dataclass(frozen=True)
class Shape:
    """A network and the number of its samples."""

    sizes: tuple[int, ...]
    scalar: str = "float"
    biases: bool = False
    hidden: str = "ReLU"
    extra: int = 0  # samples beyond a multiple of 128

    @property
    def name(self) -> str:
        """What the table calls it."""
        words = ["-".join(map(str, self.sizes)), self.scalar]
        words += ["biases"] * self.biases + [self.hidden] * (self.hidden != "ReLU")
        words += [f"+{self.extra}"] * bool(self.extra)
        return " ".join(words)


SHAPES = [
    Shape(sizes, scalar, **options)
    for sizes, options in [
        ((32, 64, 64, 8), {}),
        ((64, 128, 128, 16), {}),
        ((3, 32, 32, 3), {}),
        ((16, 16, 16), {}),
        ((2, 64, 64, 64, 64, 3), {}),
        ((48, 96, 96, 5), {}),
        ((32, 256, 256, 8), {}),
        ((20, 40, 3), {}),
        ((32, 64, 64, 8), {"biases": True}),
        ((32, 64, 64, 8), {"hidden": "Tanh"}),
        ((64, 128, 128, 16), {"biases": True, "hidden": "Sigmoid", "extra": 99}),
        ((32, 64, 64, 8), {"extra": 17}),
    ]
    for scalar in ("float", "half")
]
COUNT = 1 << 18
FEW = 1 << 14  # where the samples have a gradient
PROCESSES = 16


def case_of(
    device: weft.Device, shape: Shape, count: int = COUNT, by_input: bool = False
) -> SquaredErrorStep:
    """Return tensors and the function of a shape."""
    return SquaredErrorStep(
        device,
        shape.sizes,
        count + shape.extra,
        biases=shape.biases,
        scalar=shape.scalar,
        hidden=shape.hidden,
        by_input=by_input,
    )


def compile_part(kind: str, shapes: list[Shape], ways: tuple[bool, ...]) -> None:
    """Compile the kernels of some shapes into the cache."""
    if not shapes:
        return
    device = weft.create_device(type=getattr(weft.DeviceType, kind))
    for shape in shapes:
        for by_input in ways:
            case_of(device, shape, 1024, by_input).step()
    device.wait()


def start_compiling(arguments: list[str]) -> list[subprocess.Popen[bytes]]:
    """Start processes that compile all kernels."""
    return [
        subprocess.Popen([sys.executable, __file__, *arguments, "--part", str(part)])
        for part in range(PROCESSES)
    ]


def start_jax(shapes: list[Shape]) -> subprocess.Popen[str]:
    """Start the process that measures jax."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("mlp_jax.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    rows = [[*astuple(shape)[:4], COUNT + shape.extra] for shape in shapes]
    process.stdin.write(json.dumps(rows) + "\n")
    process.stdin.flush()
    return process


def jax_times(process: subprocess.Popen[str], shapes: list[Shape]) -> dict[Shape, float]:
    """Return jax's seconds; none where it is not installed."""
    try:
        output, _ = process.communicate("go\n", timeout=60)
        return dict(zip(shapes, json.loads(output), strict=True))
    except Exception as error:
        process.kill()
        print(f"jax: {type(error).__name__}: {error}")
        return {}


def gradients(torch, network):
    """Return the gradients of weights and biases in Weft's layout."""
    parts = []
    for module in network:
        if isinstance(module, torch.nn.Linear):
            parts.append(module.weight.grad.T.reshape(-1))
            if module.bias is not None:
                parts.append(module.bias.grad)
    return torch.cat(parts).double()


def is_wrong(torch, shape: Shape, case: SquaredErrorStep) -> bool:
    """Compare a step with torch in double precision; print errors that are too large."""
    exact = case.torch_network(torch, torch.float64)
    x, target = case.torch_arrays(torch, torch.float64)
    x.requires_grad_()
    loss = ((exact(x) - target) ** 2).sum(1)
    (loss.sum() * case.given).backward()
    case.step()
    limit = 3e-2 if shape.scalar == "half" else 2e-5
    pairs = {
        "loss": (case.result, loss.detach()),
        "gradient of the weights": (case.weights.grad_out, gradients(torch, exact)),
    }
    if case.inputs.grad_out is not None:
        pairs["gradient of the samples"] = (case.inputs.grad_out, x.grad)
    passed = []
    for name, (got, expected) in pairs.items():
        found = torch.from_numpy(got.to_numpy()).cuda().double()
        errors = (found - expected).abs().ravel() / expected.abs().max()
        error = float(errors.kthvalue(max(1, int(errors.numel() * 0.999))).values)
        passed.append(error <= limit)
        if not passed[-1]:
            print(f"  WRONG {shape.name}: {name}, {error:.2e}")
    return not all(passed)


def torch_times(torch, shape: Shape, case: SquaredErrorStep, compiles: bool) -> dict[str, float]:
    """Return the times of torch's ways of the step that work here."""
    from torch_cases import graph_of

    dtype = torch.float16 if shape.scalar == "half" else torch.float32
    x, target = case.torch_arrays(torch, dtype)
    times: dict[str, float] = {}
    for name in ["graph"] + ["compiled graph"] * compiles:
        network = case.torch_network(torch, dtype)
        called = torch.compile(network) if name.startswith("compiled") else network

        def step(called=called, network=network) -> None:
            for parameter in network.parameters():
                parameter.grad = None
            ((called(x) - target) ** 2).sum().backward()

        try:
            times[name] = best_seconds(graph_of(step).replay, torch.cuda.synchronize)
        except Exception as error:  # no compiler here, or none for this
            print(f"  torch {name}: {type(error).__name__}")
    return times


def parse_arguments() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("wanted", nargs="?", default="", help="parts of the names of shapes")
    parser.add_argument("--compiled", action="store_true", help="torch.compile too: minutes")
    parser.add_argument("--no-jax", action="store_true")
    parser.add_argument("--no-inputs", action="store_true", help="no gradients of samples")
    parser.add_argument("--vulkan", type=int, default=1, help="how many of the first, 0: none")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def measure(options: argparse.Namespace, shapes: list[Shape], by_jax: dict[Shape, float]) -> int:
    """Print a line a shape; return how many results were wrong."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    device = weft.create_device(type=weft.DeviceType.cuda)
    vulkan = weft.create_device(type=weft.DeviceType.vulkan) if options.vulkan else None
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {COUNT} samples")
    print(f"microseconds; Vulkan: {vulkan.info.name if vulkan else '-'}")
    wrong = 0
    for i, shape in enumerate(shapes):
        case = case_of(device, shape)
        wrong += is_wrong(torch, shape, case)
        if not options.no_inputs:
            wrong += is_wrong(torch, shape, case_of(device, shape, FEW, by_input=True))
        ours = best_seconds(case.step, device.wait)
        times = torch_times(torch, shape, case, options.compiled)
        if shape in by_jax:
            times["jax"] = by_jax[shape]
        best = min(times.values())
        line = f"{shape.name:38} weft {ours * 1e6:8.1f}  of the best {ours / best:5.2f}"
        line += "".join(f"  {name} {each * 1e6:8.1f}" for name, each in times.items())
        if vulkan is not None and i < options.vulkan:
            other = case_of(vulkan, shape)
            wrong += is_wrong(torch, shape, other)
            if not options.no_inputs:
                wrong += is_wrong(torch, shape, case_of(vulkan, shape, FEW, by_input=True))
            theirs = best_seconds(other.step, vulkan.wait)
            line += f"  Vulkan {theirs * 1e6:9.1f} ({theirs / ours:5.2f} of CUDA)"
        print(line, flush=True)
    return wrong


def main() -> int:
    """Check and time all shapes."""
    options = parse_arguments()
    parts = options.wanted.split(",")
    shapes = [shape for shape in SHAPES if any(part in shape.name for part in parts)]
    if options.part is not None:
        ways = (False,) if options.no_inputs else (False, True)
        compile_part("cuda", shapes[options.part :: PROCESSES], ways)
        compile_part("vulkan", shapes[: options.vulkan][options.part :: PROCESSES], ways)
        return 0
    start = time.perf_counter()
    os.environ.setdefault("WEFT_CACHE_DIR", tempfile.mkdtemp(prefix="weft-shapes-"))
    by_jax: dict[Shape, float] = {}
    process = None if options.no_jax else start_jax(shapes)
    for each in start_compiling(sys.argv[1:]):
        each.wait()
    print(f"compiled after {time.perf_counter() - start:.0f} s", flush=True)
    if process is not None:
        by_jax = jax_times(process, shapes)
    wrong = measure(options, shapes, by_jax)
    print(f"{wrong} wrong, {time.perf_counter() - start:.0f} s")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
