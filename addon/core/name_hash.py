# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that Cycles makes of names and of other numbers, for the outputs called Random."""

from __future__ import annotations

MASK = 0xFFFFFFFF


def hash_name(name: str) -> int:
    """Return 32 bits: a polynomial of the bytes, mixed by the final step of Jenkins' lookup3."""
    key = 0
    for byte in name.encode():
        key = (key * 37 + byte) & MASK
    return mix(key, 0)


def mix(first: int, second: int) -> int:
    """Return the hash of two numbers of 32 bits (Jenkins 2006, lookup3.c, final())."""
    start = 0xDEADBEEF + (2 << 2) + 13
    return _final((start + first) & MASK, (start + second) & MASK, start & MASK)


def mix_one(number: int) -> int:
    """Return the hash of one number of 32 bits."""
    start = 0xDEADBEEF + (1 << 2) + 13
    return _final((start + number) & MASK, start & MASK, start & MASK)


def _final(a: int, b: int, c: int) -> int:
    for turn in ((14, 11, 25), (16, 4, 14)):
        c = ((c ^ b) - _turned(b, turn[0])) & MASK
        a = ((a ^ c) - _turned(c, turn[1])) & MASK
        b = ((b ^ a) - _turned(a, turn[2])) & MASK
    return ((c ^ b) - _turned(b, 24)) & MASK


def _turned(value: int, places: int) -> int:
    return ((value << places) | (value >> (32 - places))) & MASK
