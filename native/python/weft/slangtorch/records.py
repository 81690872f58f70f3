# SPDX-License-Identifier: Apache-2.0
"""What host functions have written down, kept for calls with the same sizes and numbers."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

ELEMENTS = (
    "float32",
    "float16",
    "float64",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "int16",
    "uint16",
    "int8",
    "uint8",
)
"""Scalar types by their numbers in a record."""
MAX_RECORDS = 64
MAX_WORDS = 1 << 16
"""Of one record that is kept; with MAX_RECORDS, 16 MiB a host function at most."""


class Records:
    """Results and records of one host function; the oldest is dropped where there are too many."""

    def __init__(self) -> None:
        self._generation = -1
        self._found: dict[Hashable, tuple[Any, NDArray[np.uint32]]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return how many are kept."""
        return len(self._found)

    def get(self, generation: int, key: Hashable) -> tuple[Any, NDArray[np.uint32]] | None:
        """Return result and record of a call.

        Args:
            generation: Of the source; what an older one has recorded is dropped.
            key: From key_of().
        """
        with self._lock:
            if generation != self._generation:
                self._found.clear()
                self._generation = generation
            return self._found.get(key)

    def put(self, generation: int, key: Hashable, result: Any, words: NDArray[np.uint32]) -> None:
        """Keep result and record of a call that began with a generation of the source."""
        with self._lock:
            if generation != self._generation or len(words) > MAX_WORDS:
                return
            while len(self._found) >= MAX_RECORDS:
                del self._found[next(iter(self._found))]
            self._found[key] = result, words.copy()


def key_of(value: Any) -> Hashable:
    """Return what tells the values of arguments apart; None: they may change or are not known."""
    kind = type(value)
    if isinstance(value, float):
        return kind, value.hex()  # tells zeros by their signs
    if kind in (int, bool, str):
        return kind, value
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, Mapping):
        found = tuple(key_of(each) for each in value.values())
        return None if None in found else (*value, *found)
    if isinstance(value, Sequence):
        found = tuple(map(key_of, value))
        return None if None in found else found
    return None
