# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs that links drive, and what drives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.scene.materials import constants_of, textures_of

from .bindings import Binding, LinkedInput
from .values import SIZES, SURFACES

if TYPE_CHECKING:
    from .compile import Compiler


def linked_inputs(
    compiler: Compiler, bindings: list[Binding], owner: tuple[str, str] | None
) -> list[LinkedInput]:
    """Return the inputs that links drive, with what is on the way to them."""
    numbers = {entry.parameter.within: entry for entry in bindings}
    textures = {entry.texture: entry for entry in compiler.textures}
    found = {}
    for (scope, name, identifier), carried in compiler.arrived.items():
        node = scope.graph.nodes[name]
        socket = node.find_input(identifier)
        if socket is None or socket.link is None or carried.content is None:
            continue
        if scope.function is not None:
            continue
        if isinstance(carried.content, SURFACES) or socket.kind not in SIZES:
            continue
        if compiler.is_own(carried.content, scope, node):
            continue  # what drives it cannot be compiled
        used = dict.fromkeys(entry.name for entry in constants_of(carried.content))
        images = dict.fromkeys(entry.name for entry in textures_of(carried.content))
        found[scope.tree, name, identifier] = LinkedInput(
            compiler.name,
            (*scope.path, name),
            scope.tree,
            identifier,
            socket.name or identifier,
            socket.link[0],
            tuple(textures[entry] for entry in images if entry in textures),
            tuple(numbers[entry] for entry in used if entry in numbers),
            (scope.tree, name) == owner,
        )
    return list(found.values())
