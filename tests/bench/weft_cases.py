# SPDX-License-Identifier: Apache-2.0
"""Weft's side of the cases. Arguments: vulkan or cuda; `hand` for hand-written kernels, `plain` for
the calls that others are set against (gradient_problems.PLAIN)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import weft
from bench import gradient_problems
from bench.functional_cases import FunctionalCases
from bench.operations import PARTICLE_SCALARS, inputs, require_right
from bench.protocol import Unsupported, serve
from bench.timing import Subject

HERE = Path(__file__).resolve().parent


class WeftCases(FunctionalCases):
    """Slang functions called over tensors."""

    is_deterministic = True

    def __init__(self, device: str) -> None:
        self._device = weft.create_device(type=device)
        self.functions = weft.Module.load_from_file(self._device, HERE / "functions.slang")
        self.gradients = weft.Module.load_from_file(self._device, HERE / "gradients.slang")
        self.wait, self.flush = self._device.wait, self._device.flush

    def describe(self) -> dict[str, Any]:
        info = self._device.info
        category = "software" if info.features.is_software else str(info.type.name)
        return {"name": f"{info.name}, {info.driver}", "category": category, "memory": info.memory}

    def tensor(self, array: np.ndarray) -> weft.Tensor:
        return weft.Tensor.from_numpy(self._device, array)

    def transposed(self, tensor: weft.Tensor) -> weft.Tensor:
        return tensor.transpose()

    def adam(self, count: int) -> Subject:
        parameter, gradient = (self.tensor(a) for a in gradient_problems.adam_arrays(count))
        optimiser = weft.optim.Adam([parameter], gradient_problems.ADAM_RATE)
        subject = self.timed("adam", lambda: optimiser.step([gradient]))
        subject.run()
        gradient_problems.require_step(parameter.to_numpy(), count)
        return subject

    def structure(self, arrays: list[np.ndarray]) -> Subject:
        dtype, advance = self.functions.Particle, self.functions.advance
        particles = weft.Tensor.empty(self._device, (len(arrays[0]),), dtype)
        particles.copy_from_numpy(arrays[0].reshape(-1))
        moved = weft.Tensor.empty(self._device, particles.shape, dtype)
        subject = self.timed("structure", lambda: advance(particles, _result=moved))
        subject.run()
        values = moved.to_numpy().view(np.float32).reshape(-1, PARTICLE_SCALARS)
        require_right("structure", arrays, values)
        return subject


class HandWrittenCases(WeftCases):
    """The same operations as kernels without generality, launched through dispatch()."""

    def __init__(self, device: str) -> None:
        super().__init__(device)
        self._kernels = weft.Module.load_from_file(self._device, HERE / "hand_written.slang")

    def prepare(self, operation: str, count: int) -> Subject:
        if operation in ("bwds", "gather_random", "gather_one"):
            return self._backward(operation, count)
        if operation not in ("add", "flops"):
            raise Unsupported
        arrays = inputs(operation, count)
        names = ("a", "b") if operation == "add" else ("x",)
        kernel = self._kernels.add_by_hand if operation == "add" else self._kernels.horner_by_hand
        result = self.tensor(np.zeros(count, np.float32))
        quarter = count // 4
        bound = dict(zip(names, map(self.tensor, arrays), strict=True))
        bound |= {"result": result, "count": quarter}
        subject = self.timed(operation, lambda: kernel.dispatch(quarter, **bound))
        subject.run()
        require_right(operation, arrays, result.to_numpy())
        return subject

    def _backward(self, operation: str, count: int) -> Subject:
        wanted = gradient_problems.problem(operation, count)
        ((position, expected),) = wanted.expected.items()
        result, gradient = self.tensor(np.zeros(count, np.float32)), np.zeros(expected.shape)
        bound = {
            "cotangent": self.tensor(wanted.cotangent),
            "gradient": self.tensor(gradient.astype(np.float32)),
            "result": result,
        }
        if operation == "bwds":
            a, b, c, x = wanted.arguments
            kernel, threads = self._kernels.polynomial_backward_by_hand, count // 4
            bound |= {"x": self.tensor(x), "count": threads, "a": a, "b": b, "c": c}
        else:
            entries, table = (self.tensor(array) for array in wanted.arguments)
            kernel, threads = self._kernels.look_up_backward_by_hand, count
            bound |= {"entries": entries, "table": table, "count": threads}
        subject = self.timed(operation, lambda: kernel.dispatch(threads, **bound))
        subject.run()
        gradient_problems.require_gradients(
            operation, wanted, {position: bound["gradient"].to_numpy()}
        )
        return subject


class PlainCases(WeftCases):
    """For each operation the call that it is set against, in a process that takes turns with it."""

    def prepare(self, operation: str, count: int) -> Subject:
        if operation not in gradient_problems.PLAIN:
            raise Unsupported
        return super().prepare(gradient_problems.PLAIN[operation], count)


if __name__ == "__main__":
    kinds = {"hand": HandWrittenCases, "plain": PlainCases}
    kind = kinds[sys.argv[2]] if len(sys.argv) > 2 else WeftCases
    serve(lambda: kind(sys.argv[1]))
