# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's node trees as plain data: materials, worlds, lights, groups."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy

from ..core.graph.model import Graph, Node, Plain, Socket
from .slang_nodes.tags import PROPERTY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Place = tuple[str, str]

CURVE_SAMPLES = 257
"""Points at which curves are read; those of Cycles."""

_BASE = frozenset(p.identifier for p in bpy.types.Node.bl_rna.properties)


def read_graph(tree: bpy.types.NodeTree) -> Graph:
    """Return a node tree with the groups in it.

    Args:
        tree: A shader tree, ``material.node_tree`` or the like.

    Raises:
        RecursionError: A group contains itself, which Blender does not let happen.
    """
    links = _links_by_input(tree)
    nodes = {node.name: _read_node(node, links) for node in tree.nodes}
    is_old = bpy.app.version < (5, 0, 0)
    return Graph(
        tree.name_full,
        nodes,
        converts_on_the_way=is_old,
        hashes_by_lookup3=is_old,
        walks_once=is_old,
        ies_ends_dark=is_old,
        random_walk="random_walk_5_2" if bpy.app.version >= (5, 2, 0) else "random_walk",
        is_function=PROPERTY in tree,
    )


def _links_by_input(tree: bpy.types.NodeTree) -> dict[Place, list[Place]]:
    """Return what drives each input, by name of the node and identifier of the socket.

    Of inputs that take several links those come first that Blender lets win.
    """
    found: dict[Place, list[Place]] = {}
    for link in sorted(tree.links, key=lambda own: -own.multi_input_sort_id):
        if link.is_valid and not link.is_muted:
            end = (link.to_node.name, link.to_socket.identifier)
            source = (link.from_node.name, link.from_socket.identifier)
            found.setdefault(end, []).append(source)
    return found


def _interface_ranges(tree: bpy.types.NodeTree) -> dict[str, tuple[float, float]]:
    """Return the sliders' ranges of a group's inputs, by identifier."""
    return {
        item.identifier: (item.min_value, item.max_value)
        for item in tree.interface.items_tree
        if item.item_type == "SOCKET" and hasattr(item, "min_value")
    }


def _read_node(node: bpy.types.Node, links: Mapping[Place, Sequence[Place]]) -> Node:
    """Return one node."""
    tree = getattr(node, "node_tree", None)
    ranges = {} if tree is None else _interface_ranges(tree)
    return Node(
        node.name,
        node.bl_idname,
        node.label,
        _properties(node),
        tuple(
            _read_socket(socket, links.get((node.name, socket.identifier), ()), ranges)
            for socket in node.inputs
        ),
        tuple(_read_socket(socket, (), {}) for socket in node.outputs),
        node.mute,
        {link.to_socket.identifier: link.from_socket.identifier for link in node.internal_links},
        None if tree is None else read_graph(tree),
    )


def _read_socket(
    socket: bpy.types.NodeSocket,
    links: Sequence[Place],
    ranges: Mapping[str, tuple[float, float]],
) -> Socket:
    """Return one socket."""
    low, high = ranges.get(socket.identifier) or _slider(socket)
    return Socket(
        socket.identifier,
        socket.name,
        socket.type,
        _plain(getattr(socket, "default_value", None)),
        links[0] if links else None,
        low,
        high,
        socket.enabled,
        socket.hide_value,
        tuple(links[1:]),
    )


def _slider(socket: bpy.types.NodeSocket) -> tuple[float, float]:
    """Return the range of a socket's slider."""
    found = socket.bl_rna.properties.get("default_value")
    low, high = getattr(found, "soft_min", None), getattr(found, "soft_max", None)
    return (0.0, 1.0) if low is None or high is None else (float(low), float(high))


def _plain(value: object) -> Plain:
    """Return a property's value as data that outlives Blender's."""
    if value is None or isinstance(value, (str, float)):
        return value
    if isinstance(value, (bool, int)):
        return float(value)
    if isinstance(value, bpy.types.ID):
        return str(value.name_full)
    try:
        # Vectors and angles are sequences without being declared as such.
        numbers = tuple(value)  # type: ignore[arg-type]
    except TypeError:
        return None
    is_numbers = all(isinstance(x, (bool, int, float)) for x in numbers)
    return tuple(map(float, numbers)) if is_numbers else None


def _properties(node: bpy.types.Node) -> dict[str, Any]:
    """Return what makes a node different from others of its type."""
    found: dict[str, Any] = {}
    for entry in node.bl_rna.properties:
        if entry.identifier in _BASE:
            continue
        value = getattr(node, entry.identifier)
        if isinstance(value, bpy.types.Object):
            rows = value.matrix_world.inverted_safe()
            found[f"{entry.identifier}_to_world_inverse"] = tuple(x for row in rows for x in row)
        if isinstance(value, bpy.types.ColorRamp):
            found[entry.identifier] = _color_ramp(value)
        elif isinstance(value, bpy.types.CurveMapping):
            found[entry.identifier] = _curves(value)
        elif isinstance(value, (bpy.types.TexMapping, bpy.types.ColorMapping)):
            continue
        elif isinstance(value, bool):
            found[entry.identifier] = value
        elif isinstance(value, bpy.types.bpy_struct) and not isinstance(value, bpy.types.ID):
            continue
        elif not isinstance(value, bpy.types.NodeTree):
            found[entry.identifier] = _plain(value)
    if node.bl_idname == "ShaderNodeTexIES":
        found["ies_text"] = _ies_text(node)
    return found


def _ies_text(node: bpy.types.Node) -> str:
    """Return the file of an IES Texture; "": there is none, or it cannot be read."""
    if node.mode == "INTERNAL":
        return "" if node.ies is None else str(node.ies.as_string())
    try:
        path = bpy.path.abspath(node.filepath, library=node.id_data.library)
        return Path(path).read_text(encoding="latin-1")
    except OSError:
        return ""


def _color_ramp(ramp: bpy.types.ColorRamp) -> dict[str, Any]:
    """Return a colour ramp: interpolation and, by position, positions and colours with alpha."""
    stops = sorted((float(e.position), tuple(map(float, e.color))) for e in ramp.elements)
    return {
        "interpolation": ramp.interpolation,
        "color_mode": ramp.color_mode,
        "hue_interpolation": ramp.hue_interpolation,
        "positions": tuple(position for position, _ in stops),
        "colors": tuple(color for _, color in stops),
    }


def _curves(mapping: bpy.types.CurveMapping) -> dict[str, Any]:
    """Return curves at `CURVE_SAMPLES` points from `low` to `high`, where points begin and end.

    Of four curves the last is that of all colours, which comes before those of the channels.
    """
    mapping.initialize()
    places = [point.location.x for curve in mapping.curves for point in curve.points]
    low, high = min(places), max(places)
    steps = [low + (high - low) * k / (CURVE_SAMPLES - 1) for k in range(CURVE_SAMPLES)]
    channels, all_colors = mapping.curves[:3], mapping.curves[3:]
    for curve in all_colors:
        steps = [mapping.evaluate(curve, x) for x in steps]
    return {
        "low": float(low),
        "high": float(high),
        "extend": mapping.extend,
        "samples": tuple(
            tuple(float(mapping.evaluate(curve, x)) for x in steps) for curve in channels
        ),
    }
