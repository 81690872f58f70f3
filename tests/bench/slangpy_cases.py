# SPDX-License-Identifier: Apache-2.0
"""SlangPy's side of the cases. Argument: vulkan or cuda."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import slangpy

from bench import gradient_problems
from bench.operations import PARTICLE_SCALARS, inputs, require_right
from bench.protocol import Unsupported, serve
from bench.timing import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent


class SlangPyCases:
    """The same Slang functions, called through SlangPy's functional API."""

    def __init__(self, device: str) -> None:
        kind = getattr(slangpy.DeviceType, device)
        self._device = slangpy.create_device(type=kind, include_paths=[HERE])
        self._module = slangpy.Module.load_from_file(self._device, "functions.slang")
        self._gradients = slangpy.Module.load_from_file(self._device, "gradients.slang")

    def describe(self) -> dict[str, Any]:
        info = self._device.info
        return {"name": f"{info.adapter_name}, SlangPy {slangpy.__version__}"}

    def prepare(self, operation: str, count: int) -> Subject:
        if operation == "scalar":
            return self._scalar()
        if operation == "adam":  # SlangPy has no optimisers
            raise Unsupported
        if gradient_problems.is_gradient_operation(operation):
            library = gradient_problems.Library(self._tensor, self._gradients, self._timed)
            return gradient_problems.prepare(library, operation, count)
        if operation == "structure":
            return self._structure(inputs(operation, count))
        arrays = inputs(operation, count)
        tensors = [slangpy.Tensor.from_numpy(self._device, array) for array in arrays]
        if operation == "transposed":
            side = arrays[0].shape[0]
            tensors[0] = tensors[0].view((side, side), (1, side))
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        result = slangpy.Tensor.empty(self._device, shape, dtype=float)
        subject = self._subject(operation, tensors, result)
        subject.run()
        require_right(operation, arrays, result.to_numpy())
        return subject

    def _subject(self, operation: str, tensors: list[Any], result: Any) -> Subject:
        wait = self._device.wait_for_idle
        if operation == "flops":
            (x,) = tensors
            horner = self._module.horner
            return Subject(lambda: horner(x, _result=result), finish=wait)
        a, b = tensors
        add = self._module.add
        if operation == "submit":  # each call of SlangPy submits
            return Subject(lambda: add(a, b, _result=result), settle=wait)
        return Subject(lambda: add(a, b, _result=result), finish=wait)

    def _tensor(self, array: np.ndarray) -> slangpy.Tensor:
        return slangpy.Tensor.from_numpy(self._device, array)

    def _timed(self, operation: str, call: Callable[[], object]) -> Subject:
        wait = self._device.wait_for_idle
        if operation.endswith("_submit"):  # each call of SlangPy submits
            return Subject(call, settle=wait)
        return Subject(call, finish=wait)

    def _structure(self, arrays: list[np.ndarray]) -> Subject:
        dtype, advance = self._module.Particle, self._module.advance
        particles = slangpy.Tensor.empty(self._device, (len(arrays[0]),), dtype)
        particles.copy_from_numpy(arrays[0])
        moved = slangpy.Tensor.empty(self._device, (len(arrays[0]),), dtype)
        subject = Subject(
            lambda: advance(particles, _result=moved), finish=self._device.wait_for_idle
        )
        subject.run()
        values = moved.storage.to_numpy().view(np.float32).reshape(-1, PARTICLE_SCALARS)
        require_right("structure", arrays, values)
        return subject

    def _scalar(self) -> Subject:
        add = self._module.add
        if add(1.5, 2.0) != 3.5:
            raise ArithmeticError("scalar: 1.5 + 2.0 is not 3.5")
        return Subject(lambda: add(1.5, 2.0))


if __name__ == "__main__":
    serve(lambda: SlangPyCases(sys.argv[1]))
