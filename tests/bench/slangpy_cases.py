# SPDX-License-Identifier: Apache-2.0
"""SlangPy's side of the cases. Argument: vulkan or cuda."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import slangpy

from bench.functional_cases import FunctionalCases
from bench.operations import PARTICLE_SCALARS, require_right
from bench.protocol import serve
from bench.timing import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent


class SlangPyCases(FunctionalCases):
    """The same Slang functions, called through SlangPy's functional API. It has no optimisers."""

    def __init__(self, device: str) -> None:
        kind = getattr(slangpy.DeviceType, device)
        self._device = slangpy.create_device(type=kind, include_paths=[HERE])
        self.functions = slangpy.Module.load_from_file(self._device, "functions.slang")
        self.gradients = slangpy.Module.load_from_file(self._device, "gradients.slang")
        self.wait = self._device.wait_for_idle

    def describe(self) -> dict[str, Any]:
        info = self._device.info
        return {"name": f"{info.adapter_name}, SlangPy {slangpy.__version__}"}

    def tensor(self, array: np.ndarray) -> slangpy.Tensor:
        return slangpy.Tensor.from_numpy(self._device, array)

    def transposed(self, tensor: slangpy.Tensor) -> slangpy.Tensor:
        side = tensor.shape[0]
        return tensor.view((side, side), (1, side))

    def timed(self, operation: str, call: Callable[[], object]) -> Subject:
        if operation.endswith("submit"):  # each call of SlangPy submits
            return Subject(call, settle=self.wait)
        return super().timed(operation, call)

    def structure(self, arrays: list[np.ndarray]) -> Subject:
        dtype, advance = self.functions.Particle, self.functions.advance
        particles = slangpy.Tensor.empty(self._device, (len(arrays[0]),), dtype)
        particles.copy_from_numpy(arrays[0])
        moved = slangpy.Tensor.empty(self._device, (len(arrays[0]),), dtype)
        subject = self.timed("structure", lambda: advance(particles, _result=moved))
        subject.run()
        values = moved.storage.to_numpy().view(np.float32).reshape(-1, PARTICLE_SCALARS)
        require_right("structure", arrays, values)
        return subject


if __name__ == "__main__":
    serve(lambda: SlangPyCases(sys.argv[1]))
