# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fit has to know of a socket: number, range, name."""

from __future__ import annotations

from weft.scene import CLOSURES
from weft.scene.parameter_ref import quoted

from .model import Graph, Node, Socket
from .table import TABLE
from .values import SIZES

MAX_WAYS = 8  # to a group, by which its numbers are found
WEFT_WORDS = frozenset(
    ("first", "second", "factor", "volume", *(n for c in CLOSURES.values() for n in c.inputs))
)
"""Beginnings of the names of inputs that are no sockets: nodes of such names stand in quotes."""


def number_of(socket: Socket) -> float | tuple[float, ...]:
    """Return the value of a socket as weft takes it, without alpha."""
    size = SIZES[socket.kind]
    if isinstance(socket.value, tuple):
        return tuple(map(float, socket.value[:3])) if size == 3 else float(socket.value[0])
    number = float(socket.value) if isinstance(socket.value, (int, float)) else 0.0
    return number if size == 1 else (number,) * 3


def bounds_of(node: Node, socket: Socket) -> tuple[float, float]:
    """Return the range of fits: the table's, the slider's, or one around the value."""
    spec = TABLE.get(node.kind)
    if spec is not None and socket.identifier in spec.bounds:
        return spec.bounds[socket.identifier]
    if socket.kind == "RGBA" or socket.high - socket.low < 1000:
        return socket.low, socket.high
    number = number_of(socket)
    numbers = number if isinstance(number, tuple) else (number,)
    return min(0.0, *(4 * x for x in numbers)), max(1.0, *(4 * x for x in numbers))


def index_of(node: Node, socket: Socket, is_output: bool) -> int:
    """Return the place of a socket among those of its node; -1: it is a number of its own."""
    sockets = node.outputs if is_output else node.inputs
    identifiers = [entry.identifier for entry in sockets]
    return identifiers.index(socket.identifier) if socket.identifier in identifiers else -1


def name_of(path: tuple[str, ...], node: Node, socket: Socket, is_output: bool) -> str:
    """Return what a socket is called below its material, as no other is: ``Group.Math.inputs[1]``.

    Args:
        path: Names of nodes: the groups from the outside in, then the node.
        node: The node.
        socket: One of its sockets.
        is_output: An output.
    """
    first = f'"{path[0]}"' if path[0] in WEFT_WORDS else quoted(path[0])
    index = index_of(node, socket, is_output)
    is_alone = bool(socket.name) and not repeats(node, socket, is_output)
    last = quoted(socket.name) if is_alone or index < 0 else place_of(index, is_output)
    return ".".join((first, *map(quoted, path[1:]), last))


def place_of(index: int, is_output: bool) -> str:
    """Return how Blender's Python finds a socket at its node."""
    return f"{'outputs' if is_output else 'inputs'}[{index}]"


def ways_to_groups(graph: Graph) -> dict[str, list[tuple[str, ...]]]:
    """Return the group nodes around each group of a tree: the shortest ways first, a few of all."""
    found: dict[str, list[tuple[str, ...]]] = {}
    level: list[tuple[tuple[str, ...], Graph]] = [((), graph)]
    while level:
        inner = [
            ((*path, node.name), node.tree)
            for path, tree in level
            for node in tree.nodes.values()
            if node.tree is not None
        ]
        level = []
        for path, tree in inner:
            ways = found.setdefault(tree.name, [])
            if len(ways) < MAX_WAYS:
                ways.append(path)
                level.append((path, tree))
    return found


def repeats(node: Node, socket: Socket, is_output: bool) -> bool:
    """Return whether the name of a socket does not tell it from others of its node.

    Of a socket in use, those out of use do not count; an output has inputs beside it.
    """
    sockets = [*node.inputs, *node.outputs] if is_output else node.inputs
    return any(
        entry is not socket
        and entry.name == socket.name
        and (entry.is_enabled or not socket.is_enabled)
        for entry in sockets
    )


def instead_of(socket: Socket) -> str:
    """Return what stands in for an output that cannot be compiled."""
    return "no shader" if socket.kind == "SHADER" else "the value of the socket that it drives"
