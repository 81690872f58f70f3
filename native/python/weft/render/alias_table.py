# SPDX-License-Identifier: Apache-2.0
"""Drawing from a discrete distribution in constant time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft import _native

if TYPE_CHECKING:
    from numpy.typing import NDArray


def build_alias_table(
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Return the table of the alias method (Walker 1977), built as Vose (1991) does.

    Args:
        weights: Shape ``(n,)``, not negative, n at least 1; all zero counts as all equal.

    Returns:
        ``threshold`` in [0, 1] and ``other``, both of shape ``(n,)``: entry ``i`` drawn uniformly
        is kept with probability ``threshold[i]`` and replaced by ``other[i]`` otherwise.

    Raises:
        ArgumentError: A weight is negative or not finite.
    """
    count = len(weights)
    total = weights.sum()
    return _native.build_alias_table(
        np.ones(count) if total <= 0 else weights * (count / total),
    )
