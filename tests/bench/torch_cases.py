# SPDX-License-Identifier: Apache-2.0
"""The side of torch's own, eager CUDA operations and its autograd."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from bench import gradient_problems
from bench.operations import inputs, require_right
from bench.protocol import Unsupported, serve
from bench.timing import Subject


class TorchCases:
    """torch.add with out=, autograd and the fused Adam on the first CUDA device."""

    def __init__(self) -> None:
        if not torch.cuda.is_available():
            raise RuntimeError("this torch finds no CUDA device")

    def describe(self) -> dict[str, Any]:
        return {"name": f"{torch.cuda.get_device_name()}, torch {torch.__version__}"}

    def prepare(self, operation: str, count: int) -> Subject:
        if operation == "adam":
            return self._adam(count)
        is_gradient = gradient_problems.is_gradient_operation(operation)
        if is_gradient and not operation.endswith("_deterministic"):
            return self._backward(operation, count)
        if operation not in ("add", "call", "broadcast", "transposed"):
            raise Unsupported
        arrays = inputs(operation, count)
        a, b = (torch.from_numpy(array).cuda() for array in arrays)
        if operation == "transposed":
            a = a.t()
        shape = np.broadcast_shapes(a.shape, b.shape)
        result = torch.empty(shape, device="cuda")
        subject = Subject(lambda: torch.add(a, b, out=result), finish=torch.cuda.synchronize)
        subject.run()
        require_right(operation, arrays, result.cpu().numpy())
        return subject

    def _backward(self, operation: str, count: int) -> Subject:
        """Time value and gradients, which Weft's backward call computes together as well."""
        wanted = gradient_problems.problem(operation, count)
        values = [
            torch.from_numpy(value).cuda() if isinstance(value, np.ndarray) else value
            for value in wanted.arguments
        ]
        for position in wanted.expected:
            values[position].requires_grad_()
        cotangent = torch.from_numpy(wanted.cotangent).cuda()

        def run() -> None:
            if wanted.function == "look_up":
                entries, table = values
                torch.nn.functional.embedding(entries, table[:, None])[:, 0].backward(cotangent)
            else:
                a, b, c, x = values
                (a * x * x + b * x + c).backward(cotangent)

        subject = Subject(run, finish=torch.cuda.synchronize)
        subject.run()
        found = {position: values[position].grad.cpu().numpy() for position in wanted.expected}
        gradient_problems.require_gradients(operation, wanted, found)
        return subject

    def _adam(self, count: int) -> Subject:
        parameter, gradient = (
            torch.from_numpy(array).cuda() for array in gradient_problems.adam_arrays(count)
        )
        parameter.grad = gradient
        optimiser = torch.optim.Adam([parameter], gradient_problems.ADAM_RATE, fused=True)
        subject = Subject(optimiser.step, finish=torch.cuda.synchronize)
        subject.run()
        gradient_problems.require_step(parameter.cpu().numpy(), count)
        return subject


if __name__ == "__main__":
    serve(TorchCases)
