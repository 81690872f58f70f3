# SPDX-License-Identifier: GPL-3.0-or-later
"""Structures as bundles: what their items are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .naming import title_of, unique_labels

if TYPE_CHECKING:
    from collections.abc import Iterable

BUNDLE = "NodeSocketBundle"


def item_labels(names: Iterable[str]) -> list[str]:
    """Return what the items of a bundle are called, by which Blender finds them.

    Args:
        names: Of all fields of the structure: ``size``, ``layers[0]``.

    >>> item_labels(["size", "layers[0]", "innerColor"])
    ['Size', 'Layers 0', 'Inner Color']
    """
    return unique_labels(title_of(name) for name in names)
