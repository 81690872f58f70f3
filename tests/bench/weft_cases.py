# SPDX-License-Identifier: Apache-2.0
"""Weft's side of the cases. Arguments: vulkan or cuda; `hand` for hand-written kernels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import weft
from bench.operations import PARTICLE_SCALARS, inputs, require_right
from bench.protocol import Unsupported, serve
from bench.timing import Subject

HERE = Path(__file__).resolve().parent


class WeftCases:
    """Slang functions called over tensors."""

    def __init__(self, device: str) -> None:
        self._device = weft.create_device(type=device)
        self._module = weft.Module.load_from_file(self._device, HERE / "functions.slang")

    def describe(self) -> dict[str, Any]:
        info = self._device.info
        category = "software" if info.features.is_software else str(info.type.name)
        return {"name": f"{info.name}, {info.driver}", "category": category, "memory": info.memory}

    def prepare(self, operation: str, count: int) -> Subject:
        if operation == "scalar":
            return self._scalar()
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


if __name__ == "__main__":
    kind = HandWrittenCases if "hand" in sys.argv[2:] else WeftCases
    serve(lambda: kind(sys.argv[1]))
