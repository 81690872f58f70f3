# SPDX-License-Identifier: Apache-2.0
"""Kinds of ray, as Blender names them for the visibility of objects and worlds.

native/scene/ray_kinds.hpp has them.
"""

from __future__ import annotations

from weft import _native
from weft._native import check_ray_kinds

__all__ = ["LAMP_KINDS", "RAY_KINDS", "SEEN_BY", "check_ray_kinds"]

RAY_KINDS, LAMP_KINDS, SEEN_BY = _native.ray_kind_names()
"""Kinds that objects and environments, and that lights may be hidden from (``volume`` rays are
scattered in a medium), and kinds that may each see an environment of their own."""
