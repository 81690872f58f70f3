# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's world as an environment of `weft.scene`."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

import weft
from weft.scene import Environment

from ..core.graph.compile import AttributeTable, compile_material
from ..core.problems import Problem
from ..core.sky import draw_sky, find_plain_sky, sky_width
from .graphs import read_graph
from .versions import node_tree_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import bpy

    from ..core.graph.model import Graph, Images

Found = tuple[Environment | None, list[Problem]]


class WorldStore:
    """The world's light, made anew when its nodes or images change.

    Args:
        device: Returns the device that skies are drawn on; ``None``: one is created for it.
    """

    def __init__(self, device: Callable[[], weft.Device] | None) -> None:
        self._device = device or weft.create_device
        self._key = b""
        self._found: Found = (None, [])

    def export(self, world: bpy.types.World | None, images: Images) -> Found:
        """Return light from everywhere, ``None`` if it is dark, and what of it is left out."""
        if world is None:
            return None, []
        tree = node_tree_of(world)
        if tree is None:
            color = np.array(world.color, np.float32)
            return (Environment(color) if color.max() > 0 else None), []
        graph = read_graph(tree)
        key = _key(graph, images)
        if key != self._key:
            self._found = self._make(graph, images, world.name)
            self._key = key
        return self._found

    def _make(self, graph: Graph, images: Images, name: str) -> Found:
        plain = find_plain_sky(graph, images, f"World '{name}'")
        if plain is not None:
            return plain.environment, list(plain.problems)
        table = AttributeTable()
        compiled = compile_material(graph, images, name, target="world", attributes=table)
        return draw_sky(compiled, self._device(), sky_width(graph, images)), compiled.problems


def _key(graph: Graph, images: Images) -> bytes:
    """Return what differs where the light may differ."""
    digest = hashlib.blake2b(repr(graph).encode(), digest_size=16)
    for node in graph.nodes.values():
        name = str(node.properties.get("image"))
        if name in images:
            digest.update(str(id(images[name])).encode())
    return digest.digest()
