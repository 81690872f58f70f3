# SPDX-License-Identifier: Apache-2.0
"""Parts of a scene's tables that outlive an edit, and that light groups share.

A part is found again by its key: what it was made from. Large arrays count by identity, as the
objects of a scene do, everything else by value. A part that was made from the same is the same, so
that tables made with parts from before equal tables made from nothing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from weft._native import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

    from weft._native import Device

Part = TypeVar("Part")


class Identity:
    """An object as part of a key; equal to that of the same object only, which it keeps alive."""

    __slots__ = ("entry",)

    def __init__(self, entry: object) -> None:
        """Keep the object."""
        self.entry = entry

    def __eq__(self, other: object) -> bool:
        """Return whether the other stands for the same object."""
        return isinstance(other, Identity) and other.entry is self.entry

    def __hash__(self) -> int:
        """Return the same for the same object."""
        return id(self.entry)


def digest(array: NDArray[Any]) -> bytes:
    """Return 16 bytes that stand for an array's shape, type and numbers."""
    found = hashlib.blake2b(f"{array.dtype} {array.shape}".encode(), digest_size=16)
    found.update(np.ascontiguousarray(array).data)
    return found.digest()


class KeptParts:
    """Parts by name and key, those of the tables before, and those that replace them.

    Args:
        device: Where tensors go.
        before: Of the tables that are to be replaced, which stay as they are.
    """

    def __init__(self, device: Device, before: KeptParts | None = None) -> None:
        """Begin without parts of its own."""
        self.device = device
        self._before = {} if before is None else before._parts
        self._parts: dict[Hashable, Any] = {}

    def get(self, name: str, key: Hashable, make: Callable[[], Part]) -> Part:
        """Return the part of that name and key, which is made if it is not there."""
        known = (name, key)
        if known in self._parts:
            found: Part = self._parts[known]
        else:
            found = self._before[known] if known in self._before else make()
            self._parts[known] = found
        return found

    def upload(self, name: str, array: NDArray[Any], key: Hashable = None) -> Tensor:
        """Return a flat tensor of an array's numbers, which nobody writes to.

        Args:
            name: Of the part.
            array: Of any shape; without numbers it stands for one zero.
            key: What it was made from; ``None``: its numbers, which takes a millisecond a megabyte.
        """
        return self.get(
            f"{name} on the device",
            digest(array) if key is None else key,
            lambda: upload(self.device, array),
        )

    def digest_of(self, owner: object, array: NDArray[Any]) -> bytes:
        """Return digest() of an array, looked at once for an owner that nobody changes."""
        return self.get("digest", (Identity(owner), Identity(array)), lambda: digest(array))

    def assemble(
        self, name: str, chunks: Sequence[Chunk], dtype: type[np.generic] = np.float32
    ) -> Tensor:
        """Return a flat tensor of chunks, one after the other, which nobody writes to.

        Chunks that the tensor of this name had before are copied on the device.
        """
        before: Assembled | None = self._before.get(name)
        keys = tuple(chunk.key for chunk in chunks)
        found: Assembled | None = self._parts.get(name, before)
        if found is None or found.keys != keys:
            found = _assembled(self.device, chunks, dtype, found)
        self._parts[name] = found
        return found.tensor

    def end(self) -> None:
        """Let go of the parts of the tables before."""
        self._before = {}


def upload(device: Device, array: NDArray[Any]) -> Tensor:
    """Return a flat tensor of the array's numbers; one zero if there are none."""
    flat = np.ascontiguousarray(array).ravel()
    return Tensor.from_numpy(device, flat if flat.size else np.zeros(1, flat.dtype))


@dataclass(frozen=True)
class Chunk:
    """A piece of a tensor.

    Args:
        key: What it is made from.
        size: Number of elements.
        make: Returns them, in any shape.
    """

    key: Hashable
    size: int
    make: Callable[[], NDArray[Any]] = field(compare=False)


@dataclass
class Assembled:
    """A tensor and what it consists of.

    Args:
        tensor: Flat.
        keys: Of its chunks.
        starts: First element of each.
    """

    tensor: Tensor
    keys: tuple[Hashable, ...]
    starts: dict[Hashable, int]


def zeros_chunk(size: int) -> Chunk:
    """Return a chunk of zeros."""
    return Chunk(("zeros", size), size, lambda: np.zeros(size))


def _assembled(
    device: Device, chunks: Sequence[Chunk], dtype: type[np.generic], before: Assembled | None
) -> Assembled:
    """Return a new tensor; runs of chunks that `before` has are copied, others uploaded."""
    starts = [0, *accumulate(chunk.size for chunk in chunks)]
    old = {} if before is None else before.starts
    keys = tuple(chunk.key for chunk in chunks)
    own = {key: start for key, start in zip(keys, starts, strict=False)}
    if not any(key in old for key in keys):
        return Assembled(upload(device, _joined(chunks, dtype)), keys, own)
    assert before is not None
    tensor = Tensor.empty(device, (starts[-1],), dtype)
    first = 0
    while first < len(chunks):
        last = first + 1
        source = old.get(keys[first])
        while last < len(chunks) and _goes_on(old, keys[last], source, starts, (first, last)):
            last += 1
        begin, end = starts[first], starts[last]
        if end > begin:
            tensor[begin:end] = (
                _joined(chunks[first:last], dtype)
                if source is None
                else before.tensor[source : source + end - begin]
            )
        first = last
    return Assembled(tensor, keys, own)


def _goes_on(
    old: dict[Hashable, int],
    key: Hashable,
    source: int | None,
    starts: Sequence[int],
    run: tuple[int, int],
) -> bool:
    """Return whether a chunk continues a run: both are new, or the old ones lie side by side."""
    own = old.get(key)
    if source is None or own is None:
        return source is own
    return own == source + starts[run[1]] - starts[run[0]]


def _joined(chunks: Sequence[Chunk], dtype: type[np.generic]) -> NDArray[Any]:
    """Return the elements of chunks, one after the other."""
    parts = [np.asarray(chunk.make(), dtype).ravel() for chunk in chunks]
    return np.concatenate(parts) if parts else np.zeros(0, dtype)
