# SPDX-License-Identifier: Apache-2.0
"""Multilayer perceptron 32-64-64-8 beside torch on a CUDA GPU: right, and how fast.

Forward and backward of the squared error over 2^18 samples, gradients of the weights; torch eager
in the same precision. Run it where torch and weft are: ``python mlp_h200.py``. Prints a table; the
exit status counts wrong results.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

import weft

SIZES = [32, 64, 64, 8]
COUNT = 1 << 18
REPEATS = 50
ROUNDS = 7

SOURCE = """
import mlp;

[Differentiable]
float squaredError(float[8] output, float target[8])
{
    float error = 0.f;
    [ForceUnroll]
    for (int i = 0; i < 8; i++)
        error += (output[i] - target[i]) * (output[i] - target[i]);
    return error;
}

[Differentiable]
float floatLoss(MLP<32, 8, 64, 64> network, float input[32], no_diff float target[8])
{
    return squaredError(network.run(input), target);
}

[Differentiable]
float halfLoss(Network<half, ReLU, Identity, 0, 32, 8, 64, 64> network, float input[32],
               no_diff float target[8])
{
    return squaredError(network.run(input), target);
}

float[8] floatRun(MLP<32, 8, 64, 64> network, float input[32]) { return network.run(input); }
float[8] halfRun(Network<half, ReLU, Identity, 0, 32, 8, 64, 64> network, float input[32])
{
    return network.run(input);
}
"""


def seconds(step, wait) -> float:
    """Return the best mean time of one step."""
    step()
    wait()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(REPEATS):
            step()
        wait()
        times.append((time.perf_counter() - start) / REPEATS)
    return min(times)


def make_arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return weights, inputs and targets."""
    rng = np.random.default_rng(1)
    layers = [
        rng.uniform(-1, 1, (a, b)).astype(np.float32) * np.sqrt(6 / a) for a, b in pairwise(SIZES)
    ]
    flat = np.concatenate([layer.ravel() for layer in layers])
    x = rng.standard_normal((COUNT, SIZES[0])).astype(np.float32)
    target = rng.standard_normal((COUNT, SIZES[-1])).astype(np.float32)
    return flat, x, target


def torch_network(flat: np.ndarray, dtype: torch.dtype) -> torch.nn.Sequential:
    """Return the network as torch has it."""
    modules: list[torch.nn.Module] = []
    for weight, _ in weft.mlp.layers(flat, SIZES[0], SIZES[-1], SIZES[1:-1]):
        linear = torch.nn.Linear(*weight.shape, bias=False)
        linear.weight.data = torch.from_numpy(np.ascontiguousarray(weight.T))
        modules += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*modules[:-1]).to("cuda", dtype)


def torch_gradients(network: torch.nn.Sequential) -> np.ndarray:
    """Return the gradients of the weights in Weft's layout."""
    parts = [parameter.grad.T.reshape(-1) for parameter in network.parameters()]
    return torch.cat(parts).double().cpu().numpy()


def torch_step(network, x, target):
    """Return a step: forward and backward."""

    def step() -> None:
        for parameter in network.parameters():
            parameter.grad = None
        ((network(x) - target) ** 2).sum().backward()

    return step


def as_array(values) -> np.ndarray:
    """Return a tensor of torch as numpy has it."""
    return values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else values


def report(name: str, got: np.ndarray, expected: np.ndarray, limit: float) -> bool:
    """Print an error relative to the largest value; return whether it is within the limit.

    One element in a thousand may be further off: where a sum is almost 0, its rounding decides on
    which side of the ReLU it is.
    """
    errors = np.abs(got - expected).ravel() / np.abs(expected).max()
    error, worst = float(np.quantile(errors, 0.999)), float(errors.max())
    verdict = "ok" if error <= limit else "WRONG"
    print(f"  {name:28} error {error:.2e}, largest {worst:.2e} (limit {limit:.0e}) {verdict}")
    return error <= limit


@dataclass
class Case:
    """One precision: arrays, and Weft's functions and tensors for them."""

    precision: str
    flat: np.ndarray
    x: np.ndarray
    target: np.ndarray
    given: np.ndarray
    backward: weft.Function
    forward: weft.Function
    weights: weft.Tensor
    inputs: weft.Tensor
    targets: weft.Tensor
    result: weft.Tensor

    @property
    def is_half(self) -> bool:
        """Whether weights and arrays are half."""
        return self.precision == "half"


def make_case(device: weft.Device, module: weft.Module, precision: str) -> Case:
    """Build the arrays and tensors of one precision."""
    dtype = np.float16 if precision == "half" else np.float32
    flat, x, target = (each.astype(dtype) for each in make_arrays())
    # The scale of the loss: sums of 2^18 gradients have to fit into half.
    given = np.full(COUNT, 2.0**-12 if precision == "half" else 1.0, np.float32)
    result = weft.Tensor.zeros(device, (COUNT,))
    return Case(
        precision,
        flat,
        x,
        target,
        given,
        getattr(module, f"{precision}Loss").bwds,
        getattr(module, f"{precision}Run"),
        weft.Tensor.from_numpy(device, flat).with_grads(
            grad_out=weft.Tensor.zeros(device, flat.shape, weft.float32)
        ),
        weft.Tensor.from_numpy(device, x),
        weft.Tensor.from_numpy(device, target),
        result.with_grads(grad_in=weft.Tensor.from_numpy(device, given)),
    )


def check(case: Case) -> int:
    """Compare with torch in double precision; return how many results are wrong."""
    exact = torch_network(case.flat.astype(np.float32), torch.float64)
    x, target = (torch.from_numpy(each.astype(np.float64)).cuda() for each in (case.x, case.target))
    x.requires_grad_()
    output = exact(x)
    loss = ((output - target) ** 2).sum(1)
    (loss.sum() * float(case.given[0])).backward()

    inputs = case.inputs.with_grads()
    case.backward(case.weights, inputs, case.targets, _result=case.result)
    limit = 2e-2 if case.is_half else 1e-5
    pairs = {
        "loss": (case.result, loss),
        "gradient of the weights": (case.weights.grad_out, torch_gradients(exact)),
        "gradient of the input": (inputs.grad_out, x.grad),
        "output": (case.forward(case.weights, case.inputs), output),
    }
    passed = [
        report(name, got.to_numpy().astype(np.float64), as_array(expected), limit)
        for name, (got, expected) in pairs.items()
    ]
    return passed.count(False)


def measure(device: weft.Device, case: Case) -> None:
    """Print times."""
    network = torch_network(case.flat, torch.float16 if case.is_half else torch.float32)
    x, target = (torch.from_numpy(each).cuda() for each in (case.x, case.target))
    with_grads = case.inputs.with_grads()
    constant = weft.Tensor.from_numpy(device, case.flat)
    outputs = case.forward(case.weights, case.inputs)

    def backward(inputs: weft.Tensor) -> None:
        case.backward(case.weights, inputs, case.targets, _result=case.result)

    def backward_input() -> None:
        case.backward(constant, with_grads, case.targets, _result=case.result)

    def forward() -> None:
        case.forward(case.weights, case.inputs, _result=outputs)

    wait = torch.cuda.synchronize
    times = {
        "torch forward + backward": seconds(torch_step(network, x, target), wait),
        "weft forward + backward": seconds(lambda: backward(case.inputs), device.wait),
        "weft, gradient of the input too": seconds(lambda: backward(with_grads), device.wait),
        "weft, gradient of the input only": seconds(backward_input, device.wait),
        "weft forward": seconds(forward, device.wait),
    }
    with torch.no_grad():
        times["torch forward"] = seconds(lambda: network(x), wait)
    for name, each in times.items():
        print(f"  {name:34} {each * 1e6:8.1f} us")
    ratio = times["weft forward + backward"] / times["torch forward + backward"]
    print(f"  {'weft / torch':34} {ratio:8.2f}    (target 0.50)")


def main() -> int:
    """Check and time both precisions."""
    torch.backends.cuda.matmul.allow_tf32 = False
    device = weft.create_device(type=weft.DeviceType.cuda)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {COUNT} samples, {SIZES}")
    module = weft.Module.load_from_source(device, "mlp_h200", SOURCE)
    wrong = 0
    for precision in ("float", "half"):
        print(precision)
        case = make_case(device, module, precision)
        wrong += check(case)
        measure(device, case)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
