# SPDX-License-Identifier: Apache-2.0
"""Graphs of Blender's nodes without Blender, from ``tests/golden/blender_nodes.json``."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from addon.core.graph.model import Graph, Node, Socket

NODES = Path(__file__).parents[1] / "golden" / "blender_nodes.json"


@functools.cache
def descriptions() -> dict[str, Any]:
    """Return Blender's nodes as they are when fresh."""
    return json.loads(NODES.read_text())


def sockets(entries: list[dict[str, Any]]) -> tuple[Socket, ...]:
    """Return sockets of the file."""
    made = (Socket(**entry) for entry in entries)
    return tuple(replace(s, value=tuple(s.value)) if isinstance(s.value, list) else s for s in made)


@dataclass
class GraphBuilder:
    """Builds a graph node by node.

    ``graph.add("ShaderNodeMath", operation="SINE", inputs={"Value": ("Other", "Result")})`` returns
    the node's name. An input is a number, or a link as (node, output).
    """

    name: str = "Shader Nodetree"
    converts_on_the_way: bool = False
    hashes_by_lookup3: bool = False
    nodes: dict[str, Node] = field(default_factory=dict)

    def add(
        self,
        kind: str,
        name: str = "",
        *,
        inputs: dict[str, Any] | None = None,
        is_muted: bool = False,
        internal_links: dict[str, str] | None = None,
        output: Any = None,
        **properties: Any,
    ) -> str:
        """Add a node of Blender's."""
        entry = descriptions()[kind]
        outputs = sockets(entry.get("outputs", []))
        if output is not None:
            outputs = (replace(outputs[0], value=output), *outputs[1:])
        return self.put(
            Node(
                name or f"{kind.removeprefix('ShaderNode')} {len(self.nodes)}",
                kind,
                properties={**entry.get("properties", {}), **properties},
                inputs=_connected(sockets(entry.get("inputs", [])), inputs or {}),
                outputs=outputs,
                is_muted=is_muted,
                internal_links=internal_links or {},
            )
        )

    def group(self, name: str, tree: Graph, inputs: dict[str, Any] | None = None) -> str:
        """Add a group node with the sockets of its tree's ends."""
        entries = [n for n in tree.nodes.values() if n.kind == "NodeGroupInput"]
        ends = [n for n in tree.nodes.values() if n.kind == "NodeGroupOutput"]
        into = tuple(replace(s, link=None) for s in entries[0].outputs) if entries else ()
        out = tuple(replace(s, link=None) for s in ends[0].inputs) if ends else ()
        made = _connected(into, inputs or {})
        return self.put(Node(name, "ShaderNodeGroup", inputs=made, outputs=out, tree=tree))

    def ends(self, kind: str, *entries: tuple[str, str, Any]) -> str:
        """Add a group's input or output: (identifier, kind, value or link)."""
        made = tuple(
            _connected((Socket(identifier, identifier, socket),), {identifier: value})[0]
            for identifier, socket, value in entries
        )
        is_input = kind == "NodeGroupInput"
        sides = {"outputs": made} if is_input else {"inputs": made}
        return self.put(Node(kind, kind, properties={"is_active_output": True}, **sides))

    def put(self, node: Node) -> str:
        """Add a node as it is."""
        self.nodes[node.name] = node
        return node.name

    def graph(self) -> Graph:
        """Return what was built."""
        return Graph(self.name, dict(self.nodes), self.converts_on_the_way, self.hashes_by_lookup3)


def _connected(known: tuple[Socket, ...], wanted: dict[str, Any]) -> tuple[Socket, ...]:
    """Return sockets with values and links; a name that is not there is an error of the test."""
    unknown = set(wanted) - {socket.identifier for socket in known}
    assert not unknown, f"no input {unknown}"
    return tuple(
        _with(socket, wanted[socket.identifier]) if socket.identifier in wanted else socket
        for socket in known
    )


def _with(socket: Socket, value: Any) -> Socket:
    is_link = isinstance(value, tuple) and isinstance(value[0], str)
    return replace(socket, link=value) if is_link else replace(socket, value=value)


def surface_graph(builder: GraphBuilder, node: str, output: str = "BSDF") -> Graph:
    """Return the graph with a material output behind a node."""
    links = {"Surface": (node, output)}
    builder.add("ShaderNodeOutputMaterial", "Material Output", inputs=links, is_active_output=True)
    return builder.graph()
