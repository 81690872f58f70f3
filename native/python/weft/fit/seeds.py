# SPDX-License-Identifier: Apache-2.0
"""Seeds for the draws of a fit."""

from __future__ import annotations


def mix_seeds(seed: int, draw: int, view: int) -> int:
    """Return a seed of 32 bits for one view of one draw."""
    return (seed * 0x9E3779B1 + draw * 0x85EBCA77 + view * 0xC2B2AE3D + 1) & 0xFFFFFFFF
