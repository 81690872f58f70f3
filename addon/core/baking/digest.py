# SPDX-License-Identifier: GPL-3.0-or-later
"""Hashes of values, the same for values that compute the same."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import numpy as np

from weft.scene import Attribute, Constant, SlangCall, Texture

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.scene.values import Value


def digest_of(value: Value) -> bytes:
    """Return a hash of a value and of all that it is made of."""
    return _Digests().of(value)


_KNOWN_PIXELS: WeakValueDictionary[int, NDArray[np.float32]] = WeakValueDictionary()
_PIXELS: dict[int, bytes] = {}


def _digest_of_pixels(pixels: NDArray[np.float32]) -> bytes:
    """Return a hash of pixels, computed once: who reads an image again makes another array."""
    if _KNOWN_PIXELS.get(id(pixels)) is not pixels:
        for gone in set(_PIXELS) - set(_KNOWN_PIXELS):
            del _PIXELS[gone]
        data = np.ascontiguousarray(pixels)
        _PIXELS[id(pixels)] = hashlib.blake2b(data.data, digest_size=16).digest()
        _KNOWN_PIXELS[id(pixels)] = pixels
    return _PIXELS[id(pixels)]


class _Digests:
    def __init__(self) -> None:
        self._known: dict[int, tuple[Value, bytes]] = {}

    def of(self, value: Value) -> bytes:
        if id(value) not in self._known:
            digest = hashlib.blake2b(digest_size=16)
            for part in self._parts(value):
                digest.update(part)
            self._known[id(value)] = (value, digest.digest())
        return self._known[id(value)][1]

    def _parts(self, value: Value) -> list[bytes]:
        if isinstance(value, SlangCall):
            head = f"{value.function}|{value.module}|{value.size}|{value.source}".encode()
            own = [name.encode() + self.of(part) for name, part in value.arguments.items()]
            return [head, *own]
        if isinstance(value, Texture):
            place = b"" if value.uv is None else self.of(value.uv)
            shape = repr((value.pixels.shape, value.wrap, value.filter)).encode()
            return [shape, place, _digest_of_pixels(value.pixels)]
        if isinstance(value, Constant):
            return [repr(value.numbers).encode()]
        if isinstance(value, Attribute):
            return [value.name.encode()]
        return [repr(value).encode()]
