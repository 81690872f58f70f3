# SPDX-License-Identifier: Apache-2.0
"""Kinds of ray, as Blender names them for the visibility of objects and worlds.

native/scene/ray_kinds.hpp has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft import _native
from weft._native import check_ray_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LAMP_KINDS", "RAY_KINDS", "SCATTERED", "SEEN_BY", "check_ray_kinds", "hidden_bits"]

RAY_KINDS, LAMP_KINDS, SEEN_BY = _native.ray_kind_names()
"""Kinds that objects and environments, and that lamps may be hidden from (``volume`` rays are
scattered in a medium), and kinds that may each see an environment of their own."""

SCATTERED = frozenset(RAY_KINDS[2:])
"""Kinds that a bounce sends. An environment or a mesh that one of them must not see is found by
bounces alone."""


def hidden_bits(kinds: Sequence[str]) -> int:
    """Return bits of RayKind."""
    return _native.ray_kind_bits("hidden_from", kinds)
