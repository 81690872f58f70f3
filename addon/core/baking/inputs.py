# SPDX-License-Identifier: GPL-3.0-or-later
"""What drives the inputs of a node, as values that can be computed at places of surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from weft import ArgumentError
from weft.scene import ColorAttribute
from weft.scene.values import UVSet

from ..graph.compile import AttributeTable, Compiler, Scope
from ..graph.values import SIZES, SURFACES, call, convert
from ..slang_nodes.menus import find_case
from .values import parts_of, stops

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.scene.values import Value

    from ..graph.compile import AttributeRequest
    from ..graph.model import Graph, Images, Node, Socket
    from ..graph.values import Carried

SOURCES = MappingProxyType(
    {
        "position": ("object", ""),
        "normal": ("normal", ""),
        "uv": ("uv", ""),
        "generated": ("generated", ""),
    }
)
"""What ``[Source]`` of a parameter names, in small letters, as what is read of meshes."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """What drives a node.

    Args:
        values: By the identifier of the input.
        requests: What they read of meshes.
    """

    values: Mapping[str, Value]
    requests: Sequence[AttributeRequest]


def compile_inputs(
    graph: Graph,
    owner: str,
    path: Sequence[str],
    wanted: Mapping[str, str],
    images: Images,
    cases: Mapping[str, Sequence[tuple[str, int]]] = MappingProxyType({}),
) -> Inputs:
    """Compile what drives a node of a material.

    Args:
        graph: Of the material.
        owner: The material's name.
        path: Names of the group nodes around the node, and its own.
        wanted: Identifiers of its inputs, each with what its parameter's ``[Source]`` names, "": it
            carries its value unlinked.
        images: That nodes use.
        cases: Of inputs that are menus, by identifier.

    Raises:
        ArgumentError: A node on the way is not supported, or tells of more than the place.
    """
    attributes = AttributeTable()
    compiler = Compiler(owner, images, attributes)
    scope = Scope(graph, f"Material '{owner}'")
    for name in path[:-1]:
        group = scope.graph.nodes[name]
        assert group.tree is not None
        place = f"{scope.place} > group '{name}'"
        scope = Scope(group.tree, place, (*scope.path, name), scope, group)
    node = scope.graph.nodes[path[-1]]
    values = {}
    for identifier, source in wanted.items():
        socket = node.find_input(identifier)
        if socket is None:
            continue
        if source in SOURCES and socket.link is None:
            values[identifier] = _of_surface(attributes, *SOURCES[source])
        else:
            values[identifier] = _value(compiler, scope, node, socket, cases.get(identifier, ()))
    if compiler.problems:
        found = compiler.problems[0]
        message = f"bake: {found.where}: {found.message}; unlink it, or let the node run as Nodes"
        raise ArgumentError(message)
    for value in values.values():
        _require_known(compiler, value)
    return Inputs(values, attributes.requests)


def _of_surface(attributes: AttributeTable, kind: str, name: str) -> Value:
    index = attributes.require(kind, name).index
    if kind == "uv":
        return call("uvVector", 3, uv=UVSet(index))
    if kind == "normal":
        return call("objectNormal", 3, False, normal=ColorAttribute(index), backfacing=0.0)
    return ColorAttribute(index)


def _value(
    compiler: Compiler,
    scope: Scope,
    node: Node,
    socket: Socket,
    cases: Sequence[tuple[str, int]],
) -> Value:
    if socket.kind not in SIZES:
        place = find_case(cases, socket.value) if cases and socket.link is None else None
        if place is None:
            message = (
                f"bake: {scope.place} > node '{node.name}': its input '{socket.name}' cannot be "
                "linked where images are baked; choose a value"
            )
            raise ArgumentError(message)
        return float(cases[place][1])
    carried = compiler.input(scope, node, socket)
    converted = convert(carried, socket.kind)
    content = None if converted is None else converted.content
    if content is None or isinstance(content, SURFACES):
        message = (
            f"bake: {scope.place} > node '{node.name}': what is linked to '{socket.name}' is no "
            "number; link one, or nothing"
        )
        raise ArgumentError(message)
    return content


def _require_known(compiler: Compiler, value: Value) -> None:
    """Name the node that tells of more than a place.

    Raises:
        ArgumentError: There is one.
    """
    culprit = next((part for part in parts_of(value) if stops(part)), None)
    if culprit is None:
        return
    why = stops(culprit)
    # Nodes are known from the far end on: the first one that holds it is where it comes from.
    for (scope, name, _), carried in compiler.known.items():
        if _holds(carried, culprit):
            message = (
                f"bake: {scope.place} > node '{name}': {why}; unlink it, or let the node run as "
                "Nodes"
            )
            raise ArgumentError(message)
    raise ArgumentError(f"bake: {why}")


def _holds(carried: Carried | None, culprit: object) -> bool:
    content = None if carried is None else carried.content
    if content is None or isinstance(content, SURFACES):
        return False
    return any(part is culprit or part == culprit for part in parts_of(content))
