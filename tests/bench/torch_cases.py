# SPDX-License-Identifier: Apache-2.0
"""The side of torch's own, eager CUDA operations."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from bench.operations import inputs, require_right
from bench.protocol import Unsupported, serve
from bench.timing import Subject


class TorchCases:
    """torch.add with out= on the first CUDA device."""

    def __init__(self) -> None:
        if not torch.cuda.is_available():
            raise RuntimeError("this torch finds no CUDA device")

    def describe(self) -> dict[str, Any]:
        return {"name": f"{torch.cuda.get_device_name()}, torch {torch.__version__}"}

    def prepare(self, operation: str, count: int) -> Subject:
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


if __name__ == "__main__":
    serve(TorchCases)
