# SPDX-License-Identifier: Apache-2.0
"""Parts of a scene's tables that outlive an edit, and that light groups share.

A part is found again by its key: what it was made from. Large arrays count by identity, as the
objects of a scene do, everything else by value. A part that was made from the same is the same, so
that tables made with parts from before equal tables made from nothing.
native/render/kept_parts.hpp keeps them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from weft._native import Identity, KeptParts, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from numpy.typing import NDArray

__all__ = ["Chunk", "Identity", "KeptParts", "digest", "zeros_chunk"]


class Chunk(NamedTuple):
    """A piece of a tensor.

    Args:
        key: What it is made from, as KeptParts.get() takes it.
        size: Number of elements.
        make: Returns them, in any shape.
    """

    key: Hashable
    size: int
    make: Callable[[], NDArray[Any]]


def zeros_chunk(size: int) -> Chunk:
    """Return a chunk of zeros."""
    return Chunk(("zeros", size), size, lambda: np.zeros(size))
