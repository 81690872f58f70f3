# SPDX-License-Identifier: Apache-2.0
"""Means over squares of images on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def box_blur(image: NDArray[np.float32], radius: int = 2) -> NDArray[np.float32]:
    """Return the mean over squares of side 2 `radius` + 1, smaller at the edges."""
    out = np.asarray(image, np.float32)
    for axis in (0, 1):
        size = out.shape[axis]
        place = np.arange(size)
        counts = np.minimum(place + radius + 1, size) - np.maximum(place - radius, 0)
        shape = [1] * out.ndim
        shape[axis] = size
        out = _window_sums(out, radius, axis) / counts.astype(np.float32).reshape(shape)
    return out


def _window_sums(image: NDArray[np.float32], radius: int, axis: int) -> NDArray[np.float32]:
    """Return sums over 2 `radius` + 1 neighbours, from sums over 1, 2, 4, ... of them."""
    size, width = image.shape[axis], 2 * radius + 1
    padding = [(0, 0)] * image.ndim
    padding[axis] = (radius, radius)
    sums = np.pad(image, padding)  # over `length` from each place on
    total = np.zeros_like(image)
    length, covered = 1, 0

    def cut(first: int, count: int) -> tuple[slice, ...]:
        own = [slice(None)] * image.ndim
        own[axis] = slice(first, first + count)
        return tuple(own)

    while True:
        if width & length:
            total += sums[cut(covered, size)]
            covered += length
        if covered == width:
            return total
        left = sums.shape[axis] - length
        sums = sums[cut(0, left)] + sums[cut(length, left)]
        length *= 2
