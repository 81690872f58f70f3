# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation of a node's inputs, which Blender addresses by their places.

Where a socket comes or goes before others, Blender 4.5 leaves the paths of F-curves and drivers
as they are, so that they drive another socket; 5.2 corrects them itself, and removes what drives a
socket that goes. What each drives is noted before a change, compared after it, and set where it
differs. The path of what drives a socket that goes names the socket instead of its place before
that: it drives nothing, and its keys stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy

from .users import all_trees

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_PATH = re.compile(
    r'^nodes\["(?P<node>(?:[^"\\]|\\.)*)"\]\.inputs\[(?:(?P<place>\d+)|"(?P<name>(?:[^"\\]|\\.)*)")\]'
    r"(?P<rest>\.default_value.*)$"
)


@dataclass(frozen=True)
class Driven:
    """What a curve drives.

    Args:
        curve: The F-curve.
        tree: Of the node.
        node: Its name.
        identifier: Of the input; "": it is not there, the path names it.
        name: What people call it.
        rest: Of the path, after the input.
    """

    curve: bpy.types.FCurve
    tree: bpy.types.NodeTree
    node: str
    identifier: str
    name: str
    rest: str


def note_curves(group: bpy.types.NodeTree) -> list[Driven]:
    """Note what the curves of all nodes drive that show a group."""
    found = []
    for _, tree in all_trees():
        nodes = {
            node.name: node for node in tree.nodes if getattr(node, "node_tree", None) == group
        }
        if not nodes or tree.animation_data is None:
            continue
        for curve in curves_of(tree.animation_data):
            match = _PATH.match(curve.data_path)
            node = (
                None if match is None else nodes.get(bpy.utils.unescape_identifier(match["node"]))
            )
            if match is None or node is None:
                continue
            socket = _socket_at(node, match)
            if socket is not None:
                identifier, name = socket.identifier, socket.name
            elif match["name"] is not None:
                identifier, name = "", bpy.utils.unescape_identifier(match["name"])
            else:
                continue
            found.append(Driven(curve, tree, node.name, identifier, name, match["rest"]))
    return found


def let_go(noted: list[Driven], identifiers: Collection[str]) -> None:
    """Have curves name the sockets that are about to go: Blender 5.2 removes them otherwise."""
    for driven in noted:
        if driven.identifier in identifiers:
            driven.curve.data_path = _path(driven, _quoted(driven.name))


def _path(driven: Driven, key: str) -> str:
    return f"nodes[{_quoted(driven.node)}].inputs[{key}]{driven.rest}"


def _quoted(name: str) -> str:
    return f'"{bpy.utils.escape_identifier(name)}"'


def correct_curves(noted: list[Driven]) -> list[str]:
    """Let each curve drive what it drove; return what drives nothing any more, for people."""
    lost = []
    for driven in noted:
        node = driven.tree.nodes.get(driven.node)
        if node is None:
            continue
        places = [socket.identifier for socket in node.inputs]
        again = node.inputs.get(driven.name) if not driven.identifier else None
        if driven.identifier in places:
            key = str(places.index(driven.identifier))
        elif again is not None:
            key = str(places.index(again.identifier))
        else:
            key = _quoted(driven.name)
            lost.append(f"{driven.tree.name} > {driven.node} > {driven.name}")
        path = _path(driven, key)
        if driven.curve.data_path != path:
            driven.curve.data_path = path
            # Blender stops evaluating what it could not resolve once.
            driven.curve.is_valid = True
            if driven.curve.driver is not None:
                driven.curve.driver.is_valid = True
    return lost


def _socket_at(node: bpy.types.Node, match: re.Match[str]) -> bpy.types.NodeSocket | None:
    if match["place"] is None:
        return node.inputs.get(bpy.utils.unescape_identifier(match["name"]))
    place = int(match["place"])
    return node.inputs[place] if place < len(node.inputs) else None


def curves_of(data: bpy.types.AnimData) -> Iterator[bpy.types.FCurve]:
    """Return the drivers of an ID, and the curves of its action and of the strips of its NLA."""
    yield from data.drivers
    yield from _action_curves(data.action, getattr(data, "action_slot", None))
    for track in data.nla_tracks:
        for strip in track.strips:
            yield from _action_curves(strip.action, getattr(strip, "action_slot", None))


def _action_curves(
    action: bpy.types.Action | None, slot: bpy.types.ActionSlot | None
) -> Iterator[bpy.types.FCurve]:
    if action is None or not action.is_editable:
        return
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                if slot is None or bag.slot_handle == slot.handle:
                    yield from bag.fcurves
