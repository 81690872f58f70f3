# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs that links drive, and what drives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from weft.scene.materials import constants_of, textures_of

from .bindings import Binding, LinkedInput
from .values import SIZES, SURFACES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from weft.scene import Constant, Texture
    from weft.scene.values import Value

    from .compile import Compiler, Scope
    from .model import Socket

T = TypeVar("T")


def linked_inputs(
    compiler: Compiler, bindings: list[Binding], owner: tuple[str, str] | None
) -> list[LinkedInput]:
    """Return the inputs that links drive, with what is on the way to them."""
    numbers = {entry.parameter.within: entry for entry in bindings}
    textures = {entry.texture: entry for entry in compiler.textures}
    found = {}
    for (scope, name, identifier), socket, driver, content in _arrived_numbers(compiler):
        found[scope.tree, name, identifier] = LinkedInput(
            compiler.name,
            (*scope.path, name),
            scope.tree,
            identifier,
            socket.name or identifier,
            driver,
            _entries_of(textures_of(content), textures),
            _entries_of(constants_of(content), numbers),
            (scope.tree, name) == owner,
        )
    return list(found.values())


def _arrived_numbers(
    compiler: Compiler,
) -> Iterator[tuple[tuple[Scope, str, str], Socket, str, Value]]:
    """Yield inputs that links drive by numbers, the nodes behind the links, and the numbers."""
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
        yield (scope, name, identifier), socket, socket.link[0], carried.content


def _entries_of(parts: Iterable[Constant | Texture], known: Mapping[str, T]) -> tuple[T, ...]:
    """Return what is known by the names of parts, each once."""
    names = dict.fromkeys(part.name for part in parts)
    return tuple(known[name] for name in names if name in known)
