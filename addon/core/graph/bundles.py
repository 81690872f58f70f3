# SPDX-License-Identifier: GPL-3.0-or-later
"""Bundles, which are not there for Cycles: what goes in takes the place of what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .values import Carried, nothing

if TYPE_CHECKING:
    from .compile import Compiler, Scope
    from .model import Node, Socket

COMBINE, SEPARATE, JOIN = "NodeCombineBundle", "NodeSeparateBundle", "NodeJoinBundle"
BUNDLE_NODES = frozenset({COMBINE, SEPARATE, JOIN})


@dataclass(frozen=True, eq=False)
class CarriedBundle(Carried):
    """A bundle on its way.

    Args:
        makers: Nodes that put it together, where they are; those win that come first.
    """

    makers: tuple[tuple[Scope, Node], ...] = ()


def bundle_output(compiler: Compiler, scope: Scope, node: Node, socket: Socket) -> Carried | None:
    """Return what an output of a node carries that makes bundles of values, or the contrary."""
    if node.kind == COMBINE:
        return CarriedBundle("BUNDLE", None, ((scope, node),))
    whole = node.find_input("Bundle")
    if whole is None:
        return nothing(socket.kind)
    if node.kind == JOIN:
        links = () if whole.link is None else (whole.link, *whole.more_links)
        found = [compiler.output(scope, scope.graph.nodes[name], own) for name, own in links]
        return CarriedBundle("BUNDLE", None, tuple(m for own in found for m in _makers(own)))
    return _item(compiler, scope, _makers(compiler.input(scope, node, whole)), socket)


def _makers(carried: Carried | None) -> tuple[tuple[Scope, Node], ...]:
    return carried.makers if isinstance(carried, CarriedBundle) else ()


def _item(
    compiler: Compiler,
    scope: Scope,
    makers: tuple[tuple[Scope, Node], ...],
    socket: Socket,
) -> Carried | None:
    """Return the item of a bundle that an output is called by; 0: the bundle lacks it."""
    for place, maker in makers:
        own = next((e for e in maker.inputs if e.name == socket.name and e.is_enabled), None)
        if own is None or not socket.name:
            continue
        carried = compiler.input(place, maker, own)
        if place.function is not scope.function:
            if place.function is not None:
                carried = place.function.fold_carried(carried)
            if scope.function is not None:
                scope.function.take(carried)
        return compiler.convert_link(carried, socket.kind)
    return nothing(socket.kind)
