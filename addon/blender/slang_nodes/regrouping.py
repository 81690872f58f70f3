# SPDX-License-Identifier: GPL-3.0-or-later
"""Structures that become bundles, or panels of sockets again: links and values of nodes stay.

What each field is fed by, and what it feeds, is noted before a group's sockets change, and set
afterwards on the nodes that put the bundle together or take it apart, or on the fields' sockets.
Modifiers take no bundles: what they held in a panel is gone then.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...core.slang_nodes.bundles import BUNDLE, fields_of, plain_items
from ...core.slang_nodes.naming import title_of
from .bundle_nodes import COMBINE, SEPARATE, put_together, remove_unused_node, take_apart
from .users import is_editable

if TYPE_CHECKING:
    from collections.abc import Iterable

    import bpy

    from ...core.slang_nodes.interface import SocketSpec
    from ...core.slang_nodes.matching import Matching

    Place = tuple[bpy.types.Node, str]
    """A node, and the identifier of one of its sockets."""

    Moved = dict[tuple[int, str], bpy.types.NodeSocket]
    """What gives a field now that another output gave, by the node's pointer and identifier."""


@dataclass
class Regrouped:
    """A structure of a node whose sockets become others.

    Args:
        node: The node.
        name: Of the structure.
        items: Of the bundle that it becomes; empty: it becomes a panel.
        sources: What feeds its fields.
        values: What those hold that nothing feeds.
        targets: What takes its fields.
        givers: Outputs that gave its fields.
        beside: What put the bundle together, or took it apart.
    """

    node: bpy.types.Node
    name: str
    items: tuple[SocketSpec, ...]
    sources: dict[str, Place] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    targets: dict[str, list[Place]] = field(default_factory=dict)
    givers: dict[str, list[Place]] = field(default_factory=dict)
    beside: list[bpy.types.Node] = field(default_factory=list)


def note_structures(
    users: Iterable[bpy.types.Node], inputs: Matching, outputs: Matching
) -> list[Regrouped]:
    """Note what the structures of nodes hold that become bundles or panels."""
    found = []
    for node in users:
        if not is_editable(node.id_data):
            continue
        for name, items, fields in _changed(outputs):
            found.append(_noted_output(Regrouped(node, name, items), dict(fields)))
        for name, items, fields in _changed(inputs):
            found.append(_noted_input(Regrouped(node, name, items), dict(fields)))
    return found


def _changed(matching: Matching) -> list[tuple[str, tuple[SocketSpec, ...], dict[str, str]]]:
    """Return structures with the items that they get, and identifiers of what they had.

    What was a bundle has one identifier, called "".
    """
    gone = {entry.name: entry for entry in matching.removed}
    new = {match.spec.name: match.spec for match in matching.sockets if match.old is None}
    found = []
    for name, spec in new.items():
        fields = {own: gone[f"{name}.{own}"].identifier for own in fields_of(name, gone)}
        if spec.items and fields:
            found.append((name, spec.items, fields))
    for name, entry in gone.items():
        if entry.type == BUNDLE and fields_of(name, new):
            names = dict.fromkeys(fields_of(name, new), "")
            found.append((name, (), {**names, "": entry.identifier}))
    return found


def _find(sockets: Iterable[bpy.types.NodeSocket], identifier: str) -> bpy.types.NodeSocket | None:
    return next((own for own in sockets if own.identifier == identifier), None)


def _noted_input(made: Regrouped, fields: dict[str, str]) -> Regrouped:
    node = made.node
    bundle = _find(node.inputs, fields.pop("", ""))
    maker = None if bundle is None else _maker(bundle)
    made.beside += [] if maker is None else [maker]
    for name, identifier in fields.items():
        inside = None if maker is None else _inside(maker, name)
        socket = inside if bundle is not None else _find(node.inputs, identifier)
        if socket is None:
            continue
        if socket.is_linked:
            link = socket.links[0]
            made.sources[name] = (link.from_node, link.from_socket.identifier)
        elif hasattr(socket, "default_value"):
            value = socket.default_value
            made.values[name] = tuple(value) if hasattr(value, "__len__") else value
    return made


def _noted_output(made: Regrouped, fields: dict[str, str]) -> Regrouped:
    node = made.node
    bundle = _find(node.outputs, fields.pop("", ""))
    if bundle is not None:
        made.beside = [e.to_node for e in bundle.links if e.to_node.bl_idname == SEPARATE]
    for name, identifier in fields.items():
        if bundle is None:
            found = [_find(node.outputs, identifier)]
        else:
            found = [_inside(own, name) for own in made.beside]
        sockets = [socket for socket in found if socket is not None]
        made.givers[name] = [(socket.node, socket.identifier) for socket in sockets]
        made.targets[name] = [
            (link.to_node, link.to_socket.identifier) for own in sockets for link in own.links
        ]
    return made


def _maker(bundle: bpy.types.NodeSocket) -> bpy.types.Node | None:
    """Return the Combine Bundle node that feeds an input, through reroutes."""
    while bundle.is_linked:
        node = bundle.links[0].from_node
        if node.bl_idname == COMBINE:
            return node
        if node.bl_idname != "NodeReroute":
            return None
        bundle = node.inputs[0]
    return None


def _inside(node: bpy.types.Node, name: str) -> bpy.types.NodeSocket | None:
    """Return the socket of a field, at a node that holds a bundle or at one behind it."""
    sockets = node.inputs if node.bl_idname == COMBINE else node.outputs
    found = sockets.get(title_of(name))
    begin, dot, rest = name.partition(".")
    if found is not None or not dot:
        return found
    inner = sockets.get(title_of(begin))
    if inner is None or inner.type != "BUNDLE" or not inner.is_linked:
        return None
    if node.bl_idname == COMBINE:
        own = _maker(inner)
    else:
        own = next((e.to_node for e in inner.links if e.to_node.bl_idname == SEPARATE), None)
    return None if own is None else _inside(own, rest)


def set_structures(noted: list[Regrouped], inputs: dict[str, str], outputs: dict[str, str]) -> None:
    """Link what was noted to the sockets that are there now.

    Args:
        noted: What was before.
        inputs: Identifiers of the group's sockets, by name.
        outputs: The same.
    """
    moved: Moved = {}
    for made in noted:
        if made.givers:
            _set_output(made, outputs, moved)
        else:
            _set_input(made, inputs, moved)
    for made in noted:
        for node in made.beside:
            remove_unused_node(node)


def _set_output(made: Regrouped, outputs: dict[str, str], moved: Moved) -> None:
    tree = made.node.id_data
    wanted = [name for name, targets in made.targets.items() if targets]
    if not wanted:
        return
    if made.items:
        output = _find(made.node.outputs, outputs[made.name])
        given = take_apart(output, made.items, lambda path: bool(fields_of(path, wanted)))
    else:
        given = {name: _find(made.node.outputs, outputs[f"{made.name}.{name}"]) for name in wanted}
    for name in set(wanted) & set(given):
        for node, identifier in made.givers[name]:
            moved[node.as_pointer(), identifier] = given[name]
        for node, identifier in made.targets[name]:
            target = _find(node.inputs, identifier)
            if target is not None:
                tree.links.new(given[name], target)


def _set_input(made: Regrouped, inputs: dict[str, str], moved: Moved) -> None:
    tree = made.node.id_data

    def give(socket: bpy.types.NodeSocket | None, path: str) -> None:
        if socket is None:
            return
        output = None
        if path in made.sources:
            node, identifier = made.sources[path]
            moved_to = moved.get((node.as_pointer(), identifier))
            output = moved_to or _find(node.outputs, identifier)
        if output is not None:
            tree.links.new(output, socket)
        elif path in made.values and hasattr(socket, "default_value"):
            _set(socket, made.values[path])

    if not made.items:
        for path in {**made.sources, **made.values}:
            give(_find(made.node.inputs, inputs.get(f"{made.name}.{path}", "")), path)
        return
    items = dict(plain_items(made.items))
    changed = [path for path in made.values if path in items and _differs(items[path], made, path)]
    wanted = [*made.sources, *changed]
    if wanted:
        put_together(
            _find(made.node.inputs, inputs[made.name]),
            made.items,
            lambda socket, _, path: give(socket, path),
            lambda path: bool(fields_of(path, wanted)),
        )


def _differs(item: SocketSpec, made: Regrouped, path: str) -> bool:
    default = item.shown(0.0 if item.default is None else item.default)
    value = made.values[path]
    return bool(value != default)


def _set(socket: bpy.types.NodeSocket, value: Any) -> None:  # noqa: ANN401
    """Set a value; a menu's case does not go into a bundle's number, nor back."""
    try:
        socket.default_value = value
    except (TypeError, ValueError):
        return
