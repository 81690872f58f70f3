# SPDX-License-Identifier: Apache-2.0
"""All parameters as one vector on the device, and the arithmetic of such vectors."""

from __future__ import annotations

from collections.abc import Sequence

import weft
from weft._native import Module, Tensor
from weft.optim.gradient_norm import SHADERS
from weft.optim.parameters import Parameter


class FlatSpace:
    """Vectors that hold the elements of all parameters one after the other.

    They are double if a parameter is, else float.
    """

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = parameters
        self.device = parameters[0].tensor.device
        is_double = any(parameter.number == "double" for parameter in parameters)
        self.number = "double" if is_double else "float"
        self._module = Module.load_from_file(
            self.device, SHADERS / "flat_vectors.slang", hot_reload=False
        )
        self._ends = [0]
        for parameter in parameters:
            self._ends.append(self._ends[-1] + parameter.scalars.size)

    @property
    def size(self) -> int:
        """Elements of a vector."""
        return self._ends[-1]

    def create(self) -> Tensor:
        """Return a vector of zeros."""
        return Tensor.zeros(self.device, (self.size,), self.number)

    def gather(self, vector: Tensor, tensors: Sequence[Tensor] | None = None) -> None:
        """Copy the parameters, or other tensors of their shapes, into a vector."""
        for index, parameter in enumerate(self._parameters):
            source = parameter.scalars if tensors is None else tensors[index]
            if source.size:
                self._module.convert(self._part(vector, index), source)

    def scatter(self, vector: Tensor) -> None:
        """Copy a vector into the parameters."""
        for index, parameter in enumerate(self._parameters):
            if parameter.scalars.size:
                self._module.convert(parameter.scalars, self._part(vector, index))

    def copy(self, to: Tensor, vector: Tensor) -> None:
        """Store ``to = vector``."""
        if self.size:
            self._module.convert(to, vector)

    def add_scaled(self, y: Tensor, x: Tensor, factor: float) -> None:
        """Store ``y += factor * x``."""
        if self.size:
            self._module.addScaled(y, x, factor)

    def scale(self, y: Tensor, factor: float) -> None:
        """Store ``y *= factor``."""
        if self.size:
            self._module.scaleBy(y, factor)

    def dot(self, a: Tensor, b: Tensor) -> float:
        """Return the inner product; waits for the device."""
        return float(weft.dot(a, b))

    def _part(self, vector: Tensor, index: int) -> Tensor:
        part = vector[self._ends[index] : self._ends[index + 1]]
        return part.reshape(self._parameters[index].scalars.shape)
