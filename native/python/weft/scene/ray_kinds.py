# SPDX-License-Identifier: Apache-2.0
"""Kinds of ray, as Blender names them for the visibility of objects and worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._native import ArgumentError
from weft.layouts import RayKind

if TYPE_CHECKING:
    from collections.abc import Sequence

RAY_KINDS = ("camera", "shadow", "diffuse", "glossy", "transmission")

SCATTERED = frozenset(RAY_KINDS[2:])
"""Kinds that a bounce sends. An environment or a mesh that one of them must not see is found by
bounces alone."""

LAMP_KINDS = (*RAY_KINDS[2:], "volume")
"""Kinds that lamps may be hidden from; ``volume`` rays are scattered in a medium."""

RAY_BITS = {kind: getattr(RayKind, kind) for kind in (*RAY_KINDS, "volume")}
"""Bits of RayKind of shaders/weft/render/ray_kind.slang."""

SEEN_BY = (
    "camera",
    "diffuse reflection",
    "diffuse transmission",
    "glossy reflection",
    "glossy transmission",
    "singular reflection",
    "singular transmission",
)
"""Kinds of ray that may each see an environment of their own, in the order of environmentLayer() of
shaders/weft/render/ray_kind.slang."""


def check_ray_kinds(owner: str, kinds: Sequence[str], known: Sequence[str] = RAY_KINDS) -> None:
    """Refuse what is no kind of ray.

    Raises:
        ArgumentError: One of the kinds is unknown.
    """
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if isinstance(kinds, str) or kind not in known:
            raise ArgumentError(
                f"{owner}: kinds of ray are a sequence of {', '.join(known)}, got {kind!r}"
            )


def hidden_bits(kinds: Sequence[str]) -> int:
    """Return bits of RayKind."""
    return sum(bit for kind, bit in RAY_BITS.items() if kind in kinds)


def is_hidden_from(layer: str, kinds: Sequence[str]) -> bool:
    """Return whether rays of one of `SEEN_BY` see nothing of what is hidden from `kinds`.

    As in Cycles what is transmitted is of no other kind.
    """
    if layer == "camera":
        return "camera" in kinds
    lobe, way = layer.split()
    if way == "transmission":
        return "transmission" in kinds
    return ("diffuse" if lobe == "diffuse" else "glossy") in kinds
