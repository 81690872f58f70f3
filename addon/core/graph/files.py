# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs as JSON: what addon/blender/graphs.py reads, kept without Blender."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from .model import Graph, Node, Socket

_SOCKET = {entry.name: entry.default for entry in dataclasses.fields(Socket)}


def graph_to_json(graph: Graph) -> str:
    """Return a graph as text; what sockets have by default is left out."""
    return json.dumps(_graph_data(graph), separators=(",", ":"))


def graph_from_json(text: str) -> Graph:
    """Return the graph of a text.

    Args:
        text: Of graph_to_json().

    Raises:
        ValueError: It is not JSON.
        KeyError: It is not that of a graph.
    """
    return _graph(json.loads(text))


def _graph_data(graph: Graph) -> dict[str, Any]:
    return {"name": graph.name, "nodes": [_node_data(node) for node in graph.nodes.values()]}


def _node_data(node: Node) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": node.name,
        "kind": node.kind,
        "label": node.label,
        "properties": dict(node.properties),
        "inputs": [_socket_data(socket) for socket in node.inputs],
        "outputs": [_socket_data(socket) for socket in node.outputs],
        "is_muted": node.is_muted,
        "internal_links": dict(node.internal_links),
        "tree": None if node.tree is None else _graph_data(node.tree),
    }
    return {key: value for key, value in data.items() if value}


def _socket_data(socket: Socket) -> dict[str, Any]:
    data = {name: getattr(socket, name) for name in _SOCKET}
    return {key: value for key, value in data.items() if value != _SOCKET[key]}


def _graph(data: dict[str, Any]) -> Graph:
    return Graph(data["name"], {entry["name"]: _node(entry) for entry in data["nodes"]})


def _node(data: dict[str, Any]) -> Node:
    tree = data.get("tree")
    return Node(
        data["name"],
        data["kind"],
        data.get("label", ""),
        _plain_values(data.get("properties", {})),
        tuple(_socket(entry) for entry in data.get("inputs", ())),
        tuple(_socket(entry) for entry in data.get("outputs", ())),
        data.get("is_muted", False),
        data.get("internal_links", {}),
        None if tree is None else _graph(tree),
    )


def _socket(data: dict[str, Any]) -> Socket:
    return Socket(**_plain_values(data))


def _plain_values(data: dict[str, Any]) -> dict[str, Any]:
    return {key: _plain(value) for key, value in data.items()}


def _plain(value: object) -> object:
    """Return data with tuples where JSON has lists."""
    if isinstance(value, list):
        return tuple(_plain(entry) for entry in value)
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return value
