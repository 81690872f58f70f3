# SPDX-License-Identifier: GPL-3.0-or-later
"""Node groups from the trees that ``weft.lower`` gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import bpy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Source = float | bool | str | Mapping[str, Any]
    Place = tuple[int, str]

PART = 25
"""Nodes in a group of their own: Blender makes trees of this size fastest."""

COLUMN, ROW = 180, 160
"""Distances of nodes in the editor."""

_GROUP_NODES = {
    "ShaderNodeTree": "ShaderNodeGroup",
    "GeometryNodeTree": "GeometryNodeGroup",
    "CompositorNodeTree": "CompositorNodeGroup",
}
_SOCKETS = {
    "VALUE": "NodeSocketFloat",
    "INT": "NodeSocketInt",
    "BOOLEAN": "NodeSocketBool",
    "VECTOR": "NodeSocketVector",
    "RGBA": "NodeSocketColor",
}


def build_group(tree: Mapping[str, Any], name: str) -> bpy.types.NodeTree:
    """Make a node group.

    Args:
        tree: ``Lowered.tree``, for this version of Blender.
        name: Of the group; Blender appends a number if there is one of that name.

    Returns:
        The group. Its nodes lie in groups of their own, whose names begin with a dot, if they are
        more than ``PART``.

    Raises:
        RuntimeError: Blender refuses a node; nothing of the group is left then.
    """
    builder = _Builder(tree, name)
    try:
        return builder.build()
    except BaseException:
        builder.remove()
        raise


class _Builder:
    def __init__(self, tree: Mapping[str, Any], name: str) -> None:
        self.tree = tree
        self.name = name
        self.made: list[bpy.types.NodeTree] = []
        self.outputs: dict[Place, bpy.types.NodeSocket] = {}  # in the outer tree
        self.used = _last_uses(tree)

    def remove(self) -> None:
        for group in reversed(self.made):
            bpy.data.node_groups.remove(group)

    def new_tree(self, name: str) -> bpy.types.NodeTree:
        group = bpy.data.node_groups.new(name, self.tree["tree"])
        self.made.append(group)
        return group

    def build(self) -> bpy.types.NodeTree:
        group = self.new_tree(self.name)
        for socket in self.tree["inputs"]:
            _add_socket(group, socket, "INPUT")
        for socket in self.tree["outputs"]:
            _add_socket(group, socket, "OUTPUT")
        entry = group.nodes.new("NodeGroupInput")
        for number in range(len(self.tree["inputs"])):
            self.outputs[0, str(number)] = entry.outputs[number]
        numbers = range(1, len(self.tree["nodes"]))
        parts = [numbers[start : start + PART] for start in range(0, len(numbers), PART)]
        if len(parts) <= 1:
            for part in parts:
                self.add_nodes(group, part, self.outputs)
        else:
            for part in parts:
                self.add_part(group, part)
        self.finish(group, len(parts))
        return group

    def finish(self, group: bpy.types.NodeTree, columns: int) -> None:
        end = group.nodes.new("NodeGroupOutput")
        end.location = (COLUMN * (1 + columns), 0)
        for socket, source in zip(end.inputs, self.tree["results"], strict=False):
            _feed(group, socket, source, self.outputs)

    def add_nodes(
        self,
        group: bpy.types.NodeTree,
        part: Sequence[int],
        known: dict[Place, bpy.types.NodeSocket],
    ) -> None:
        for place, number in enumerate(part):
            entry = self.tree["nodes"][number]
            node = group.nodes.new(entry["type"])
            node.location = (COLUMN * (1 + place // 5), -ROW * (place % 5))
            for name, value in entry["properties"].items():
                setattr(node, name, value)
            inputs = {socket.identifier: socket for socket in node.inputs if socket.enabled}
            for identifier, source in entry["inputs"].items():
                _feed(group, inputs[identifier], source, known)
            for socket in node.outputs:
                known[number, socket.identifier] = socket

    def add_part(self, group: bpy.types.NodeTree, part: Sequence[int]) -> None:
        """Put nodes into a group of their own."""
        inner = self.new_tree(f".{self.name} {part[0]}")
        entry = inner.nodes.new("NodeGroupInput")
        wanted = self.needed(part)
        known: dict[Place, bpy.types.NodeSocket] = {}
        for number, place in enumerate(wanted):
            kind = _SOCKETS[self.outputs[place].type]
            inner.interface.new_socket(f"v{number}", in_out="INPUT", socket_type=kind)
        for number, place in enumerate(wanted):
            known[place] = entry.outputs[number]
        self.add_nodes(inner, part, known)
        given = self.leaving(part)
        for number, place in enumerate(given):
            kind = _SOCKETS[known[place].type]
            inner.interface.new_socket(f"v{number}", in_out="OUTPUT", socket_type=kind)
        end = inner.nodes.new("NodeGroupOutput")
        end.location = (COLUMN * (2 + PART // 5), 0)
        for number, place in enumerate(given):
            inner.links.new(known[place], end.inputs[number])
        self.place_part(group, inner, wanted, given)

    def place_part(
        self,
        group: bpy.types.NodeTree,
        inner: bpy.types.NodeTree,
        wanted: list[Place],
        given: list[Place],
    ) -> None:
        node = group.nodes.new(_GROUP_NODES[self.tree["tree"]])
        node.node_tree = inner
        node.location = (COLUMN * (len(group.nodes) - 1), 0)
        for number, place in enumerate(wanted):
            group.links.new(self.outputs[place], node.inputs[number])
        for number, place in enumerate(given):
            self.outputs[place] = node.outputs[number]

    def needed(self, part: Sequence[int]) -> list[Place]:
        """Return what nodes take from outside of their part, each once."""
        found = {
            place: None
            for number in part
            for place in _places(self.tree["nodes"][number]["inputs"].values())
            if place[0] not in part
        }
        return list(found)

    def leaving(self, part: Sequence[int]) -> list[Place]:
        """Return the outputs of nodes that are used outside of their part."""
        return [
            (number, socket)
            for number in part
            for socket, last in self.used.get(number, {}).items()
            if last > part[-1]
        ]


def _last_uses(tree: Mapping[str, Any]) -> dict[int, dict[str, int]]:
    """Return the last node that takes each output, by node and socket; a result is the last."""
    used: dict[int, dict[str, int]] = {}
    for number, entry in enumerate(tree["nodes"]):
        for node, socket in _places(entry["inputs"].values()):
            used.setdefault(node, {})[socket] = number
    for node, socket in _places(tree["results"]):
        used.setdefault(node, {})[socket] = len(tree["nodes"])
    return used


def _places(sources: Iterable[Source]) -> Iterator[Place]:
    for source in sources:
        if isinstance(source, dict):
            yield source["node"], source["socket"]


def _feed(
    group: bpy.types.NodeTree,
    socket: bpy.types.NodeSocket,
    source: Source,
    known: Mapping[Place, bpy.types.NodeSocket],
) -> None:
    if isinstance(source, dict):
        group.links.new(known[source["node"], source["socket"]], socket)
    else:
        # What is no number in JSON is a word: "inf", "nan".
        socket.default_value = float(source) if isinstance(source, str) else source


def _add_socket(group: bpy.types.NodeTree, socket: Mapping[str, Any], direction: str) -> None:
    item = group.interface.new_socket(
        socket.get("label") or socket["name"], in_out=direction, socket_type=socket["type"]
    )
    item.description = socket.get("tooltip", "")
    is_scalar = hasattr(item, "min_value") and not hasattr(item.default_value, "__len__")
    if not is_scalar:
        if "default" in socket and isinstance(item.default_value, bool):
            item.default_value = bool(socket["default"])
        return
    kind = int if isinstance(item.default_value, int) else float
    for name, key in (("min_value", "minimum"), ("max_value", "maximum")):
        if key in socket and math.isfinite(socket[key]):
            setattr(item, name, kind(socket[key]))
    if "default" in socket:
        item.default_value = kind(socket["default"])
