# SPDX-License-Identifier: Apache-2.0
"""Kinds of ray, as Blender names them for the visibility of objects and worlds.

native/scene/ray_kinds.hpp has them.
"""

from __future__ import annotations

import warnings

from weft import _native
from weft._native import check_ray_kinds

__all__ = ["LIGHT_RAY_KINDS", "RAY_KINDS", "SEEN_BY", "check_ray_kinds"]

RAY_KINDS, LIGHT_RAY_KINDS, SEEN_BY = _native.ray_kind_names()
"""Kinds that objects and environments, and that lights may be hidden from (``volume`` rays are
scattered in a medium), and kinds that may each see an environment of their own."""


def __getattr__(name: str) -> object:
    """Return what was called otherwise before, and warn."""
    if name == "LAMP_KINDS":
        warnings.warn(
            "weft.scene.ray_kinds: 'LAMP_KINDS' is called 'LIGHT_RAY_KINDS' now; use that name, "
            "the old one goes in a later release",
            DeprecationWarning,
            stacklevel=2,
        )
        return LIGHT_RAY_KINDS
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
