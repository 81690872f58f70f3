# SPDX-License-Identifier: Apache-2.0
"""Networks of many shapes beside torch on a CUDA GPU: right, and how fast.

Forward and backward of the squared error, gradients of the weights. Torch runs the same step
eagerly, as a CUDA graph, and compiled where torch.compile works; the best of these counts. Run it
where torch and weft are: ``python mlp_shapes.py [part of names]``. Prints one line a case; the exit
status counts wrong results.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import mlp_h200
import numpy as np
import torch
from mlp_h200 import seconds
from torch_cases import graph_of

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
    Shape(sizes, scalar)
    for sizes in [
        (32, 64, 64, 8),
        (64, 128, 128, 16),
        (3, 32, 32, 3),
        (16, 16, 16),
        (2, 64, 64, 64, 64, 3),
        (48, 96, 96, 5),
        (32, 256, 256, 8),
        (20, 40, 3),
    ]
    for scalar in ("float", "half")
] + [
    Shape((32, 64, 64, 8), "float", True),
    Shape((32, 64, 64, 8), "half", True),
    Shape((32, 64, 64, 8), "float", False, "Tanh"),
    Shape((32, 64, 64, 8), "float", True, "Sigmoid"),
    Shape((32, 64, 64, 8), "float", extra=17),
    Shape((32, 64, 64, 8), "half", extra=17),
    Shape((64, 128, 128, 16), "float", True, extra=99),
]


def gradients(network: torch.nn.Sequential) -> np.ndarray:
    """Return the gradients of weights and biases in Weft's layout."""
    parts = []
    for module in network:
        if isinstance(module, torch.nn.Linear):
            parts.append(module.weight.grad.T.reshape(-1))
            if module.bias is not None:
                parts.append(module.bias.grad)
    return torch.cat(parts).double().cpu().numpy()


def is_wrong(shape: Shape, case: SquaredErrorStep) -> bool:
    """Compare a step with torch in double precision; print errors that are too large."""
    exact = case.torch_network(torch, torch.float64)
    x, target = case.torch_arrays(torch, torch.float64)
    x.requires_grad_()
    loss = ((exact(x) - target) ** 2).sum(1)
    (loss.sum() * case.given).backward()
    inputs = case.inputs.with_grads()
    case.backward(case.weights, inputs, case.targets, _result=case.result)
    limit = 3e-2 if shape.scalar == "half" else 2e-5
    pairs = {
        "loss": (case.result, loss.detach().cpu().numpy()),
        "gradient of the weights": (case.weights.grad_out, gradients(exact)),
        "gradient of the input": (inputs.grad_out, x.grad.cpu().numpy()),
    }
    passed = []
    for name, (got, expected) in pairs.items():
        found = got.to_numpy().astype(np.float64)
        errors = np.abs(found - expected).ravel() / np.abs(expected).max()
        passed.append(bool(np.quantile(errors, 0.999) <= limit))
        if not passed[-1]:
            print(f"  WRONG {shape.name}: {name}, {np.quantile(errors, 0.999):.2e}")
    return not all(passed)


def torch_times(shape: Shape, case: SquaredErrorStep) -> dict[str, float]:
    """Return the times of torch's ways of the step that work here."""
    dtype = torch.float16 if shape.scalar == "half" else torch.float32
    x, target = case.torch_arrays(torch, dtype)
    times: dict[str, float] = {}
    for compiles in (False, True):
        network = case.torch_network(torch, dtype)
        called = torch.compile(network) if compiles else network

        def step(called=called, network=network) -> None:
            for parameter in network.parameters():
                parameter.grad = None
            ((called(x) - target) ** 2).sum().backward()

        name = "compiled" if compiles else "eager"
        try:
            times[name] = seconds(step, torch.cuda.synchronize)
            times[f"{name} graph"] = seconds(graph_of(step).replay, torch.cuda.synchronize)
        except Exception as error:  # no compiler here, or none for this
            print(f"  torch {name}: {type(error).__name__}")
    return times


def main() -> int:
    """Check and time all shapes."""
    count, wanted = 1 << 18, sys.argv[1] if len(sys.argv) > 1 else ""
    mlp_h200.REPEATS, mlp_h200.ROUNDS = 20, 4
    torch.backends.cuda.matmul.allow_tf32 = False
    torch._dynamo.config.recompile_limit = 1000
    device = weft.create_device(type=weft.DeviceType.cuda)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {count} samples")
    wrong = 0
    for shape in SHAPES:
        if wanted not in shape.name:
            continue
        case = SquaredErrorStep(
            device,
            shape.sizes,
            count + shape.extra,
            biases=shape.biases,
            scalar=shape.scalar,
            hidden=shape.hidden,
        )
        wrong += is_wrong(shape, case)
        ours = seconds(case.step, device.wait)
        times = torch_times(shape, case)
        best = min(times, key=times.__getitem__)
        print(
            f"{shape.name:34} weft {ours * 1e6:9.1f} us, torch {best} {times[best] * 1e6:9.1f} us: "
            f"{ours / times[best]:6.2f}",
            flush=True,
        )
    return wrong


if __name__ == "__main__":
    sys.exit(main())
