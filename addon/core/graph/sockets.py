# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fit has to know of a socket: number, range, name."""

from __future__ import annotations

from .model import Node, Socket
from .table import TABLE
from .values import SIZES


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


def readable(node: Node, socket: Socket, is_output: bool) -> str:
    """Return a socket's name, or its identifier where others of the node have the same name."""
    is_alone = socket.name and not repeats(node, socket, is_output)
    return socket.name if is_alone else socket.identifier


def repeats(node: Node, socket: Socket, is_output: bool) -> bool:
    """Return whether others of the node that are in use have the name of a socket."""
    sockets = node.outputs if is_output else node.inputs
    return sum(entry.name == socket.name and entry.is_enabled for entry in sockets) > 1


def instead_of(socket: Socket) -> str:
    """Return what stands in for an output that cannot be compiled."""
    return "no shader" if socket.kind == "SHADER" else "the value of the socket that it drives"
