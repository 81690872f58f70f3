# SPDX-License-Identifier: GPL-3.0-or-later
"""Menu Switch, which is not there for Cycles: the chosen item takes its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .sockets import instead_of

if TYPE_CHECKING:
    from .compile import Compiler, Scope
    from .model import Node, Socket
    from .values import Carried

MENU_SWITCH = "GeometryNodeMenuSwitch"


def menu_item(compiler: Compiler, scope: Scope, node: Node, socket: Socket) -> Carried | None:
    """Return what a Menu Switch hands on."""
    item = chosen_item(scope, node)
    if item is None:
        message = "what its menu shows is not known"
        compiler.problem(scope, node, message, instead_of(socket))
        return None
    return compiler.convert_link(compiler.input(scope, node, item), socket.kind)


def chosen_item(scope: Scope, node: Node) -> Socket | None:
    """Return the input that a Menu Switch hands on; ``None``: what it shows is not known."""
    menu = node.find_input("Menu")
    label = None if menu is None else _shown(scope, menu)
    items = [entry for entry in node.inputs if entry.identifier.startswith("Item_")]
    return next((entry for entry in items if entry.name == label), None)


def _shown(scope: Scope, menu: Socket) -> object:
    """Return the label that a menu shows: its own, or that of the group's socket that drives it."""
    while menu.link is not None:
        name, identifier = menu.link
        source = scope.graph.nodes[name]
        if source.kind == "NodeReroute":
            menu = source.inputs[0]
            continue
        if source.kind != "NodeGroupInput" or scope.group is None or scope.parent is None:
            return None
        outer = scope.group.find_input(identifier)
        if outer is None:
            return None
        scope, menu = scope.parent, outer
    return menu.value
