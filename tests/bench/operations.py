# SPDX-License-Identifier: Apache-2.0
"""What is computed in each case: the inputs, and the right answer at chosen places."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLES = 1000
PARTICLE_SCALARS = 6


def pattern(count: int, period: int) -> np.ndarray:
    """Return `count` float32 in [0, 1) that repeat after a prime number of elements."""
    return np.resize(np.arange(period, dtype=np.float32) / np.float32(period), count)


def inputs(operation: str, count: int) -> list[np.ndarray]:
    """Return the input arrays of an operation with `count` output elements.

    `broadcast` and `transposed` are over a square, so that `count` must be a square number there.
    """
    side = math.isqrt(count)
    match operation:
        case "add" | "call" | "submit":
            return [pattern(count, 1009), pattern(count, 997)]
        case "flops":
            return [pattern(count, 1009)]
        case "broadcast":
            return [pattern(side, 1009).reshape(1, side), pattern(side, 997).reshape(side, 1)]
        case "structure":
            return [pattern(count * PARTICLE_SCALARS, 1009).reshape(count, PARTICLE_SCALARS)]
        case "transposed":
            return [
                pattern(count, 1009).reshape(side, side),
                pattern(count, 997).reshape(side, side),
            ]
    raise ValueError(f"inputs: there is no operation '{operation}'")


def moved_bytes(operation: str, count: int) -> int:
    """Return the bytes that the device must read and write; 0 where bandwidth is not the point."""
    match operation:
        case "add" | "transposed":
            return 12 * count
        case "flops":
            return 8 * count
        case "broadcast":
            return 4 * count + 8 * math.isqrt(count)
        case "structure":
            return 8 * PARTICLE_SCALARS * count
    return 0


def horner(x: np.ndarray) -> np.ndarray:
    total = np.ones_like(x, dtype=np.float64)
    for _ in range(100):
        total = total * x + 0.5
    return total


def expected_at(operation: str, arrays: Sequence[np.ndarray], place: np.ndarray) -> np.ndarray:
    """Return the right answers at places of the flattened result."""
    first = arrays[0]
    match operation:
        case "add" | "call" | "submit":
            return first[place] + arrays[1][place]
        case "flops":
            return horner(first[place])
        case "broadcast":
            side = first.size
            return first[0, place % side] + arrays[1][place // side, 0]
        case "structure":
            element, scalar = np.divmod(place, PARTICLE_SCALARS)
            velocity = first[element, scalar % 3 + 3]
            return np.where(
                scalar < 3, first[element, scalar] + np.float32(0.5) * velocity, velocity
            )
        case "transposed":
            row, column = np.divmod(place, first.shape[0])
            return first[column, row] + arrays[1][row, column]
    raise ValueError(f"expected_at: there is no operation '{operation}'")


def require_right(operation: str, arrays: Sequence[np.ndarray], result: np.ndarray) -> None:
    """Raise ArithmeticError unless the result is right at places spread over all of it."""
    flat = result.reshape(-1)
    place = np.linspace(0, flat.size - 1, min(SAMPLES, flat.size)).astype(np.int64)
    # horner(x) grows to about 50 terms near 1; its float32 sum is good to 1e-5 of the value.
    if not np.allclose(flat[place], expected_at(operation, arrays, place), rtol=1e-5, atol=1e-6):
        raise ArithmeticError(f"{operation}: the result is wrong, so its time means nothing")
