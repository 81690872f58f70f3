# SPDX-License-Identifier: Apache-2.0
"""The scalar at the bottom of a type."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft._native import Type


def scalar_of(kind: Type) -> Type:
    """Return what vectors, matrices and arrays, also of each other, hold; another type itself."""
    while kind.element is not None:
        kind = kind.element
    return kind
