# SPDX-License-Identifier: Apache-2.0
"""Clipping by the norm of all gradients together, without waiting for the device."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import weft
from weft._native import CommandEncoder, Function, Module, Tensor
from weft.optim.parameters import Parameter

SHADERS = Path(weft.__file__).parent / "shaders" / "weft"

GROUP = 256
"""Threads of a group of the kernels in gradient_norm.slang."""

SEGMENT = 4096
"""Elements that are worth a group of their own."""

MAX_SEGMENTS = 1024
"""Groups that fill a large device."""


def run(commands: CommandEncoder | None, function: Function, *arguments: object) -> None:
    """Call a function, or record the call."""
    if commands is None:
        function(*arguments)
    else:
        function.append_to(commands, *arguments)


class GradientNorm:
    """Measures the norm of a list of gradients and makes the factor that brings it to a limit.

    Args:
        parameters: What the gradients are of.
        limit: The largest norm; greater than 0.
        scales: Tensors of shape () that take the factor, of float or double.
    """

    def __init__(
        self, parameters: Sequence[Parameter], limit: float, scales: Sequence[Tensor]
    ) -> None:
        device = parameters[0].tensor.device
        is_double = any(parameter.number == "double" for parameter in parameters)
        self._number = "double" if is_double else "float"
        self._module = Module.load_from_file(
            device, SHADERS / "gradient_norm.slang", hot_reload=False
        )
        self._limit = limit
        self._scales = scales
        self._ends = [0]
        for parameter in parameters:
            segments = min(-(-parameter.scalars.size // SEGMENT), MAX_SEGMENTS)
            self._ends.append(self._ends[-1] + segments)
        self._partial = Tensor.empty(device, (max(self._ends[-1], 1),), self._number)
        self._total = Tensor.zeros(device, (), self._number)
        self._copies: dict[int, Tensor] = {}

    def launch(self, gradients: Sequence[Tensor], commands: CommandEncoder | None) -> None:
        """Set the scales for these gradients, now or when `commands` runs."""
        for index, gradient in enumerate(gradients):
            self._sum(index, gradient, commands)
        if self._ends[-1] > 0:
            function = self._module[f"totalSquares<{self._number}>"]
            arguments = (self._partial, self._total, self._ends[-1])
            function.dispatch(GROUP, *arguments, command_encoder=commands)
        for scale in self._scales:
            run(commands, self._module.clipScale, self._total, self._limit, scale)

    def _sum(self, index: int, gradient: Tensor, commands: CommandEncoder | None) -> None:
        begin, end = self._ends[index], self._ends[index + 1]
        if begin == end:
            return
        if not gradient.is_contiguous():
            gradient = self._copy(index, gradient, commands)
        function = self._module[f"sumSquares<{gradient.dtype.name},{self._number}>"]
        arguments = (gradient, self._partial[begin:end], gradient.size, end - begin)
        function.dispatch((end - begin) * GROUP, *arguments, command_encoder=commands)

    def _copy(self, index: int, gradient: Tensor, commands: CommandEncoder | None) -> Tensor:
        """Return a contiguous copy in memory that a recording may come back to."""
        copy = self._copies.get(index)
        if copy is None or copy.dtype != gradient.dtype:
            copy = Tensor.empty(gradient.device, gradient.shape, gradient.dtype)
            self._copies[index] = copy
        vectors = Module.load_from_file(
            gradient.device, SHADERS / "flat_vectors.slang", hot_reload=False
        )
        run(commands, vectors.convert, copy, gradient)
        return copy
