# SPDX-License-Identifier: Apache-2.0
"""Weft's side of the cases. Arguments: vulkan or cuda; `hand` for hand-written kernels, `plain` for
the calls that others are set against (gradient_problems.PLAIN)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from bench import gradient_problems
from bench.operations import PARTICLE_SCALARS, inputs, require_right
from bench.protocol import Unsupported, serve
from bench.timing import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent


class WeftCases:
    """Slang functions called over tensors."""

    def __init__(self, device: str) -> None:
        self._device = weft.create_device(type=device)
        self._module = weft.Module.load_from_file(self._device, HERE / "functions.slang")
        self._gradients = weft.Module.load_from_file(self._device, HERE / "gradients.slang")

    def describe(self) -> dict[str, Any]:
        info = self._device.info
        category = "software" if info.features.is_software else str(info.type.name)
        return {"name": f"{info.name}, {info.driver}", "category": category, "memory": info.memory}

    def prepare(self, operation: str, count: int) -> Subject:
        if operation == "scalar":
            return self._scalar()
        if operation == "adam":
            return self._adam(count)
        if gradient_problems.is_gradient_operation(operation):
            library = gradient_problems.Library(self._tensor, self._gradients, self._timed)
            return gradient_problems.prepare(library, operation, count)
        if operation == "structure":
            return self._structure(inputs(operation, count))
        arrays = inputs(operation, count)
        tensors = [weft.Tensor.from_numpy(self._device, array) for array in arrays]
        if operation == "transposed":
            tensors[0] = tensors[0].transpose()
        result = weft.Tensor.empty(self._device, np.broadcast_shapes(*(t.shape for t in tensors)))
        function = self._module.horner if operation == "flops" else self._module.add
        subject = self._subject(operation, function, tensors, result)
        subject.run()
        require_right(operation, arrays, result.to_numpy())
        return subject

    def _subject(self, operation: str, function: Any, tensors: list[Any], result: Any) -> Subject:
        wait, flush = self._device.wait, self._device.flush
        if operation == "flops":
            (x,) = tensors
            return Subject(lambda: function(x, _result=result), finish=wait)
        a, b = tensors
        if operation == "submit":
            return Subject(lambda: (function(a, b, _result=result), flush()), settle=wait)
        return Subject(lambda: function(a, b, _result=result), finish=wait)

    def _tensor(self, array: np.ndarray) -> weft.Tensor:
        return weft.Tensor.from_numpy(self._device, array)

    def _timed(self, operation: str, call: Callable[[], object]) -> Subject:
        """Leave the wait out where only the host is timed."""
        wait, flush = self._device.wait, self._device.flush
        if operation.endswith("_submit"):
            return Subject(lambda: (call(), flush()), settle=wait)
        return Subject(call, finish=wait)

    def _adam(self, count: int) -> Subject:
        parameter, gradient = (self._tensor(a) for a in gradient_problems.adam_arrays(count))
        optimiser = weft.optim.Adam([parameter], gradient_problems.ADAM_RATE)
        subject = self._timed("adam", lambda: optimiser.step([gradient]))
        subject.run()
        gradient_problems.require_step(parameter.to_numpy(), count)
        return subject

    def _structure(self, arrays: list[np.ndarray]) -> Subject:
        dtype, advance = self._module.Particle, self._module.advance
        particles = weft.Tensor.empty(self._device, (len(arrays[0]),), dtype)
        particles.copy_from_numpy(arrays[0].reshape(-1))
        moved = weft.Tensor.empty(self._device, particles.shape, dtype)
        subject = Subject(lambda: advance(particles, _result=moved), finish=self._device.wait)
        subject.run()
        values = moved.to_numpy().view(np.float32).reshape(-1, PARTICLE_SCALARS)
        require_right("structure", arrays, values)
        return subject

    def _scalar(self) -> Subject:
        add = self._module.add
        if add(1.5, 2.0) != 3.5:
            raise ArithmeticError("scalar: 1.5 + 2.0 is not 3.5")
        return Subject(lambda: add(1.5, 2.0))


class HandWrittenCases(WeftCases):
    """The same operations as kernels without generality, launched through dispatch()."""

    def __init__(self, device: str) -> None:
        super().__init__(device)
        self._module = weft.Module.load_from_file(self._device, HERE / "hand_written.slang")

    def prepare(self, operation: str, count: int) -> Subject:
        if operation == "bwds" or operation.startswith("gather"):
            return self._backward(operation, count)
        if operation not in ("add", "flops"):
            raise Unsupported
        arrays = inputs(operation, count)
        names = ("a", "b") if operation == "add" else ("x",)
        kernel = self._module.add_by_hand if operation == "add" else self._module.horner_by_hand
        tensors = [weft.Tensor.from_numpy(self._device, array) for array in arrays]
        result = weft.Tensor.empty(self._device, (count,))
        quarter = count // 4
        bound = dict(zip(names, tensors, strict=True)) | {"result": result, "count": quarter}
        subject = Subject(lambda: kernel.dispatch(quarter, **bound), finish=self._device.wait)
        subject.run()
        require_right(operation, arrays, result.to_numpy())
        return subject

    def _backward(self, operation: str, count: int) -> Subject:
        wanted = gradient_problems.problem(operation, count)
        ((position, expected),) = wanted.expected.items()
        result, gradient = self._tensor(np.zeros(count, np.float32)), np.zeros(expected.shape)
        bound = {
            "cotangent": self._tensor(wanted.cotangent),
            "gradient": self._tensor(gradient.astype(np.float32)),
            "result": result,
        }
        if operation == "bwds":
            a, b, c, x = wanted.arguments
            kernel, threads = self._module.polynomial_backward_by_hand, count // 4
            bound |= {"x": self._tensor(x), "count": threads, "a": a, "b": b, "c": c}
        else:
            entries, table = (self._tensor(array) for array in wanted.arguments)
            kernel, threads = self._module.look_up_backward_by_hand, count
            bound |= {"entries": entries, "table": table, "count": threads}
        subject = self._timed(operation, lambda: kernel.dispatch(threads, **bound))
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
