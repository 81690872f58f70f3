# SPDX-License-Identifier: Apache-2.0
"""Programs that are bound by arithmetic: loops, networks; and what else moves many bytes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from bench.sweep.arrays import SCALARS
from bench.sweep.case import Ready, Work, WrongResultError, require_close
from support.networks import Reference, SquaredErrorStep

if TYPE_CHECKING:
    import random

WIDTHS = (1, 2, 3, 5, 8, 13, 16, 20, 32, 40, 48, 64, 96, 128)


@dataclass(frozen=True)
class Loop:
    """Rounds of a multiply-add or of a sine on each element, or their gradient.

    Attributes:
        rounds: Of each element.
        count: Elements.
        is_sine: Whether a round is a sine.
        is_backward: Whether the gradient is taken as well.
    """

    rounds: int
    count: int
    is_sine: bool
    is_backward: bool
    family = "loops"

    @property
    def name(self) -> str:
        """Direction, rounds and elements."""
        way = "gradient" if self.is_backward else "value"
        kind = "sines" if self.is_sine else "multiply-adds"
        return f"{way} of {self.rounds} {kind} over {self.count}"

    @property
    def work(self) -> Work:
        """One operation a round; its gradient is one more, of a sine a cosine."""
        rounds = float(self.rounds * self.count)
        ways = 2 if self.is_backward else 1
        size = 4.0 * self.count * 2 * ways
        return Work(size, 0 if self.is_sine else 2 * rounds * ways, rounds * ways * self.is_sine)

    def prepare(self, device: weft.Device, torch: Any) -> Ready:
        """Load the loop and draw its elements."""
        del torch  # takes a kernel a round
        step = "sin(x) + 0.5f * x" if self.is_sine else "0.875f * x + 0.25f"
        text = f"""
            [Differentiable]
            float f(float x)
            {{
                [MaxIters({self.rounds})]
                for (int i = 0; i < {self.rounds}; ++i)
                    x = {step};
                return x;
            }}
        """
        module = weft.Module.load_from_source(device, "sweep_loops", text)
        rng = np.random.default_rng(7)
        values, given = (rng.uniform(0.5, 1.5, self.count).astype(np.float32) for _ in range(2))
        x, slope = values.astype(np.float64), np.ones(self.count)
        for _ in range(self.rounds):
            slope *= np.cos(x) + 0.5 if self.is_sine else 0.875
            x = np.sin(x) + 0.5 * x if self.is_sine else 0.875 * x + 0.25
        inputs = weft.Tensor.from_numpy(device, values)
        result = weft.Tensor.zeros(device, values.shape)
        if not self.is_backward:
            check = lambda: require_close(result.to_numpy(), x, "float", self.rounds)  # noqa: E731
            return Ready(lambda: module.f(inputs, _result=result), check)
        inputs = inputs.with_grads()
        result = result.with_grads(grad_in=weft.Tensor.from_numpy(device, given))

        def run() -> None:
            module.f.bwds(inputs, _result=result)

        def check_gradient() -> None:
            inputs.grad.copy_from_numpy(np.zeros_like(values))
            run()
            require_close(inputs.grad.to_numpy(), slope * given, "float", self.rounds**2)

        return Ready(run, check_gradient)


@dataclass(frozen=True)
class Network:
    """Forward and backward of a small network, gradients of its weights.

    Attributes:
        sizes: Of the layers, input and output included.
        samples: Number of them.
        scalar: ``float`` or ``half``.
        biases: Whether layers have them.
        hidden: Activation of the layers but the last.
    """

    sizes: tuple[int, ...]
    samples: int
    scalar: str
    biases: bool
    hidden: str
    family = "networks"

    @property
    def name(self) -> str:
        """Sizes, type, activation and samples."""
        biases = " biases" if self.biases else ""
        sizes = "-".join(map(str, self.sizes))
        return f"{sizes} {self.scalar} {self.hidden}{biases} {self.samples}"

    @property
    def work(self) -> Work:
        """Three products of each weight with each sample, and the samples."""
        weights = sum(a * b for a, b in pairwise(self.sizes))
        size = np.dtype(SCALARS[self.scalar]).itemsize
        moved = self.samples * size * (self.sizes[0] + self.sizes[-1])
        # The first layer's input has no gradient.
        products = 3 * weights - self.sizes[0] * self.sizes[1]
        return Work(float(moved), 2.0 * products * self.samples)

    def prepare(self, device: weft.Device, torch: Any) -> Ready:
        """Draw weights and samples."""
        case = SquaredErrorStep(
            device,
            self.sizes,
            self.samples,
            biases=self.biases,
            scalar=self.scalar,
            hidden=self.hidden,
            seed=8,
        )

        def check() -> None:
            case.weights.grad_out.copy_from_numpy(np.zeros(case.flat.shape, np.float32))
            case.step()
            reference = Reference(case.flat, self.sizes, self.biases, self.hidden)
            error = 2 * (reference.run(case.x) - case.target)
            expected, _ = reference.gradients(case.x, error * case.given)
            found = case.weights.grad_out.to_numpy().astype(np.float64)
            apart = np.linalg.norm(found - expected) / max(np.linalg.norm(expected), 1e-30)
            if not apart <= (2e-2 if self.scalar == "half" else 1e-4):
                raise WrongResultError(f"gradients are off by {apart:.2g} of their length")

        beside = self._beside(torch, case) if torch is not None else None
        return Ready(case.step, check, beside)

    def _beside(self, torch: Any, case: SquaredErrorStep) -> Any:
        """Return the step as a CUDA graph of torch."""
        from bench.device.torch_cases import graph_of

        kind = torch.float16 if self.scalar == "half" else torch.float32
        model = case.torch_network(torch, kind)
        inputs, targets = case.torch_arrays(torch, kind)

        def step() -> None:
            model.zero_grad(set_to_none=False)
            (model(inputs) - targets).square().sum().backward()

        return graph_of(step).replay


@dataclass(frozen=True)
class Reduction:
    """A sum or the largest of all elements."""

    scalar: str
    count: int
    kind: str
    family = "reductions"

    @property
    def name(self) -> str:
        """Kind, type and elements."""
        return f"{self.kind} of {self.count} {self.scalar}"

    @property
    def work(self) -> Work:
        """Each element once."""
        return Work(bytes=float(np.dtype(SCALARS[self.scalar]).itemsize * self.count))

    def prepare(self, device: weft.Device, torch: Any) -> Ready:
        """Draw the elements."""
        rng = np.random.default_rng(9)
        dtype = SCALARS[self.scalar]
        values = rng.integers(0, 3, self.count).astype(dtype)
        tensor = weft.Tensor.from_numpy(device, values)
        reduce = getattr(weft, self.kind)
        last: list[weft.Tensor] = []

        def run() -> None:
            last[:] = [reduce(tensor)]

        def check() -> None:
            expected = getattr(np, self.kind)(values.astype(np.float64))
            if self.scalar == "half" and expected > np.finfo(np.float16).max:
                return  # leaves the range of its type
            require_close(np.asarray(float(last[0])), np.asarray(expected), self.scalar)

        beside = None
        if torch is not None:
            source = torch.from_numpy(values).cuda()
            beside = lambda: getattr(source, self.kind)()  # noqa: E731
        return Ready(run, check, beside)


@dataclass(frozen=True)
class Adam:
    """A step of Adam."""

    count: int
    family = "optimizers"

    @property
    def name(self) -> str:
        """Parameters."""
        return f"Adam of {self.count}"

    @property
    def work(self) -> Work:
        """Parameter and two moments read and written, the gradient read."""
        return Work(bytes=28.0 * self.count)

    def prepare(self, device: weft.Device, torch: Any) -> Ready:
        """Draw parameters and gradients."""
        rng = np.random.default_rng(10)
        start, gradient = (rng.uniform(0.5, 1.5, self.count).astype(np.float32) for _ in range(2))
        parameter, given = (weft.Tensor.from_numpy(device, a) for a in (start, gradient))
        optimizer = weft.optim.Adam([parameter], 0.01)

        def check() -> None:
            # The first step is the rate against the gradient's sign; all here are positive.
            parameter.copy_from_numpy(start)
            fresh = weft.optim.Adam([parameter], 0.01)
            fresh.step([given])
            require_close(parameter.to_numpy(), start.astype(np.float64) - 0.01, "float", 4)

        beside = None
        if torch is not None:
            theirs = torch.nn.Parameter(torch.from_numpy(start).cuda())
            theirs.grad = torch.from_numpy(gradient).cuda()
            beside = torch.optim.Adam([theirs], 0.01, fused=True).step
        return Ready(lambda: optimizer.step([given]), check, beside)


def draw_loop(rng: random.Random, count: int) -> Loop:
    """Return a random loop."""
    return Loop(rng.choice((8, 32, 100)), count // 8, rng.random() < 0.5, rng.random() < 0.6)


def draw_network(rng: random.Random, count: int) -> Network:
    """Return a random network of at most 30 thousand weights; in software of a thousand.

    Compiling a large one takes a processor minutes.
    """
    most = 30_000 if count > 1 << 22 else 1_000
    while True:
        sizes = tuple(rng.choice(WIDTHS) for _ in range(rng.choice((3, 3, 4, 5))))
        if sum(a * b for a, b in pairwise(sizes)) <= most:
            break
    hidden = rng.choice(("ReLU", "ReLU", "Tanh", "Sigmoid"))
    samples = max(count >> 8, 256) + rng.choice((0, 0, 17))
    return Network(sizes, samples, rng.choice(("float", "half")), rng.random() < 0.4, hidden)


def draw_reduction(rng: random.Random, count: int) -> Reduction:
    """Return a random reduction."""
    scalar = rng.choice(("half", "float", "double", "int"))
    return Reduction(scalar, count + rng.choice((0, 1, 17)), rng.choice(("sum", "max")))


def draw_adam(rng: random.Random, count: int) -> Adam:
    """Return a step of random size."""
    return Adam((count >> rng.choice((0, 2, 6))) + rng.choice((0, 1)))
