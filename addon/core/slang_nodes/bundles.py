# SPDX-License-Identifier: GPL-3.0-or-later
"""Structures as bundles: what their items are called, and what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .naming import title_of, unique_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .interface import SocketSpec

BUNDLE = "NodeSocketBundle"

ITEM_TYPES = MappingProxyType(
    {
        "NodeSocketFloat": "FLOAT",
        "NodeSocketInt": "INT",
        "NodeSocketBool": "BOOLEAN",
        "NodeSocketVector": "VECTOR",
        "NodeSocketColor": "RGBA",
        "NodeSocketMatrix": "MATRIX",
        BUNDLE: "BUNDLE",
    }
)
"""What an item is of each type of socket."""


def item_labels(names: Iterable[str]) -> list[str]:
    """Return what the items of a bundle are called, by which Blender finds them.

    Args:
        names: Of all fields of the structure: ``size``, ``layers[0]``.

    >>> item_labels(["size", "layers[0]", "innerColor"])
    ['Size', 'Layers 0', 'Inner Color']
    """
    return unique_labels(title_of(name) for name in names)


def plain_items(items: Sequence[SocketSpec], prefix: str = "") -> Iterator[tuple[str, SocketSpec]]:
    """Return what a bundle and those in it hold, each called with the path to it: ``inner.at``."""
    for item in items:
        if item.items:
            yield from plain_items(item.items, f"{prefix}{item.name}.")
        else:
            yield prefix + item.name, item


def fields_of(name: str, names: Iterable[str]) -> list[str]:
    """Return what a structure holds whose fields are sockets of their own.

    >>> fields_of("wall", ["x", "wall.size", "wall.inner.at"])
    ['size', 'inner.at']
    """
    return [own[len(name) + 1 :] for own in names if own.startswith(f"{name}.")]


def spread(inputs: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return inputs with each structure whose fields are sockets of their own as their values.

    Args:
        inputs: Of a node, by name; a structure is a mapping.
        names: Of the node's sockets.

    >>> spread({"wall": {"size": 2, "inner": {"at": 3}}}, ["wall.size", "wall.inner.at"])
    {'wall.size': 2, 'wall.inner.at': 3}
    """
    found: dict[str, Any] = {}
    for name, value in inputs.items():
        is_structure = isinstance(value, Mapping) and name not in names
        if is_structure and fields_of(name, names):
            found.update(spread({f"{name}.{key}": own for key, own in value.items()}, names))
        else:
            found[name] = value
    return found
