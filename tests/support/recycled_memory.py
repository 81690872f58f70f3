# SPDX-License-Identifier: Apache-2.0
"""Memory of a device as a long session leaves it: full of what others have written."""

from __future__ import annotations

import numpy as np

import weft

SIZES = range(6, 22)  # powers of two: numbers of a tensor


def fill_recycled_memory(device: weft.Device, value: float) -> None:
    """Leave idle memory of all sizes that holds a value everywhere.

    A kernel that reads what nothing has written, or beside what it was given, gets the value.
    """
    kept = []
    for power in SIZES:
        for factor in (1.0, 1.3, 1.6):
            count = int((1 << power) * factor)
            filled = np.full(count, value, np.float32)
            kept += [weft.Tensor.from_numpy(device, filled) for _ in range(6 if power < 18 else 2)]
    del kept
