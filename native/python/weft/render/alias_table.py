# SPDX-License-Identifier: Apache-2.0
"""Drawing from a discrete distribution in constant time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

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
        is kept with
        probability ``threshold[i]`` and replaced by ``other[i]`` otherwise.
    """
    count = len(weights)
    total = weights.sum()
    scaled = np.ones(count) if total <= 0 else weights * (count / total)
    other = np.arange(count, dtype=np.uint32)
    small = list(np.flatnonzero(scaled < 1.0))
    large = list(np.flatnonzero(scaled >= 1.0))
    rest = scaled.tolist()
    while small and large:
        below = small.pop()
        above = large[-1]
        other[below] = above
        rest[above] -= 1.0 - rest[below]
        if rest[above] < 1.0:
            small.append(large.pop())
    threshold = np.asarray(rest, np.float64)
    threshold[small] = 1.0
    threshold[large] = 1.0
    return threshold.clip(0.0, 1.0).astype(np.float32), other
