# SPDX-License-Identifier: GPL-3.0-or-later
"""Which inputs of materials a fit may find, and how they are put into the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .properties import WEFT_PG_fit, WEFT_PG_fit_parameter

NUMBERS = ("VALUE", "RGBA", "VECTOR")


def can_fit(socket: bpy.types.NodeSocket) -> bool:
    """Return whether a fit may find the value of a socket."""
    return (
        not socket.is_output
        and socket.enabled
        and not socket.is_linked
        and not socket.hide_value
        and socket.type in NUMBERS
    )


def owner_of(tree: bpy.types.NodeTree) -> tuple[bpy.types.Material, list[str]] | None:
    """Return the material that shows a tree, and the group nodes on the way, if one does."""
    for material in bpy.data.materials:
        if material.node_tree == tree:
            return material, []
    for material in bpy.data.materials:
        path = path_to(material.node_tree, tree) if material.node_tree else None
        if path is not None:
            return material, path
    return None


def path_to(outer: bpy.types.NodeTree, wanted: bpy.types.NodeTree) -> list[str] | None:
    """Return the names of the group nodes that lead from one tree to another."""
    for node in outer.nodes:
        inner = getattr(node, "node_tree", None)
        if inner is None:
            continue
        if inner == wanted:
            return [node.name]
        path = path_to(inner, wanted)
        if path is not None:
            return [node.name, *path]
    return None


def surface_nodes(material: bpy.types.Material) -> Iterator[bpy.types.Node]:
    """Yield the nodes that lead to the surface of a material."""
    tree = material.node_tree
    output = tree.get_output_node("CYCLES") if tree else None
    waiting = [output] if output else []
    seen = set()
    while waiting:
        node = waiting.pop()
        if node.name in seen:
            continue
        seen.add(node.name)
        yield node
        sockets = [node.inputs["Surface"]] if node == output else node.inputs
        waiting += [link.from_node for socket in sockets for link in socket.links]


def add_socket(
    fit: WEFT_PG_fit, socket: bpy.types.NodeSocket, kind: str = "NUMBER"
) -> WEFT_PG_fit_parameter | None:
    """Put a socket into the list; ``None``: no material shows it. Twice is once."""
    owner = owner_of(socket.id_data)
    if owner is None:
        return None
    material, groups = owner
    path = "\n".join([*groups, socket.node.name])
    for number, entry in enumerate(fit.parameters):
        if (entry.material, entry.path, entry.socket) == (material, path, socket.identifier):
            fit.parameter = number
            entry.kind = kind
            return entry
    entry = fit.parameters.add()
    entry.kind, entry.material, entry.path = kind, material, path
    entry.socket, entry.socket_name = socket.identifier, socket.name
    entry.low, entry.high = range_of(socket)
    fit.parameter = len(fit.parameters) - 1
    return entry


def add_image_node(fit: WEFT_PG_fit, node: bpy.types.Node) -> WEFT_PG_fit_parameter | None:
    """Put the image of a node into the list; ``None``: no material shows it."""
    owner = owner_of(node.id_data)
    if owner is None:
        return None
    material, groups = owner
    entry = fit.parameters.add()
    entry.kind, entry.material = "TEXTURE", material
    entry.path, entry.socket_name = "\n".join([*groups, node.name]), node.name
    if node.image is not None and node.image.size[0] > 0:
        entry.width, entry.height = node.image.size
    fit.parameter = len(fit.parameters) - 1
    return entry


def add_light(fit: WEFT_PG_fit, light: bpy.types.Object | None) -> WEFT_PG_fit_parameter:
    """Put the strength of a light, or of the world, into the list. Twice is once."""
    for number, entry in enumerate(fit.parameters):
        if entry.kind == "LIGHT" and entry.light == light:
            fit.parameter = number
            return entry
    entry = fit.parameters.add()
    entry.kind, entry.light = "LIGHT", light
    fit.parameter = len(fit.parameters) - 1
    return entry


def range_of(socket: bpy.types.NodeSocket) -> tuple[float, float]:
    """Return the range of a socket's slider; of open ones, one around its value."""
    rna = socket.bl_rna.properties["default_value"]
    value = socket.default_value
    if hasattr(value, "__len__"):
        return 0.0, 1.0
    if rna.soft_max - rna.soft_min < 1000:
        return rna.soft_min, rna.soft_max
    return min(0.0, 4 * value), max(1.0, 4 * value)
