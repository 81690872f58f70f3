# SPDX-License-Identifier: Apache-2.0
"""numpy on one core, to set software Vulkan against."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.operations import inputs, require_right
from bench.protocol import Unsupported, serve
from bench.timing import Subject


class NumpyCases:
    """numpy.add with out=."""

    def describe(self) -> dict[str, Any]:
        return {"name": f"numpy {np.__version__}"}

    def prepare(self, operation: str, count: int) -> Subject:
        if operation not in ("add", "call", "broadcast", "transposed"):
            raise Unsupported
        arrays = inputs(operation, count)
        a, b = arrays
        if operation == "transposed":
            a = a.T
        result = np.empty(np.broadcast_shapes(a.shape, b.shape), np.float32)
        subject = Subject(lambda: np.add(a, b, out=result))
        subject.run()
        require_right(operation, arrays, result)
        return subject


if __name__ == "__main__":
    serve(NumpyCases)
