# SPDX-License-Identifier: Apache-2.0
"""The cases of systems that call Slang functions over tensors: Weft and SlangPy, spelled alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bench import gradient_problems
from bench.operations import inputs, require_right
from bench.protocol import Unsupported
from bench.timing import Subject

if TYPE_CHECKING:
    from collections.abc import Callable


class FunctionalCases:
    """Base of both. A system adds what it spells in its own way.

    Attributes:
        functions: The module of functions.slang.
        gradients: The module of gradients.slang.
        is_deterministic: Whether backward calls take deterministic=True.
    """

    functions: Any
    gradients: Any
    is_deterministic = False

    def tensor(self, array: np.ndarray) -> Any:
        """Copy an array of numbers to the device."""
        raise NotImplementedError

    def transposed(self, tensor: Any) -> Any:
        """Return a transposed view of a square."""
        raise NotImplementedError

    def wait(self) -> None:
        """Wait for the device."""
        raise NotImplementedError

    def flush(self) -> None:
        """Submit what was called, where calls do not do so themselves."""

    def structure(self, arrays: list[np.ndarray]) -> Subject:
        """Prepare the time step of particles."""
        raise NotImplementedError

    def adam(self, count: int) -> Subject:
        """Prepare a step of Adam."""
        raise Unsupported

    def prepare(self, operation: str, count: int) -> Subject:
        """Make the tensors of an operation, run once and check."""
        if operation == "scalar":
            return self._scalar()
        if operation == "adam":
            return self.adam(count)
        if gradient_problems.is_gradient_operation(operation):
            library = gradient_problems.Library(
                self.tensor, self.gradients, self.timed, self.is_deterministic
            )
            return gradient_problems.prepare(library, operation, count)
        arrays = inputs(operation, count)
        if operation == "structure":
            return self.structure(arrays)
        tensors = [self.tensor(array) for array in arrays]
        if operation == "transposed":
            tensors[0] = self.transposed(tensors[0])
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
        result = self.tensor(np.zeros(shape, np.float32))
        function = self.functions.horner if operation == "flops" else self.functions.add
        subject = self.timed(operation, lambda: function(*tensors, _result=result))
        subject.run()
        require_right(operation, arrays, result.to_numpy())
        return subject

    def timed(self, operation: str, call: Callable[[], object]) -> Subject:
        """Leave the wait out where only the host is timed."""
        if not operation.endswith("submit"):
            return Subject(call, finish=self.wait)
        flush = self.flush
        return Subject(lambda: (call(), flush()), settle=self.wait)

    def _scalar(self) -> Subject:
        add = self.functions.add
        if add(1.5, 2.0) != 3.5:
            raise ArithmeticError("scalar: 1.5 + 2.0 is not 3.5")
        return Subject(lambda: add(1.5, 2.0))
