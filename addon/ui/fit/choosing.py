# SPDX-License-Identifier: GPL-3.0-or-later
"""Which inputs of materials a fit may find, and how they are put into the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...blender.fit_sockets import tree_at
from ...core.defaults import TEXTURE_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...blender.fit_choices import Choice
    from .properties import WEFT_PG_fit, WEFT_PG_fit_parameter

NUMBERS = ("VALUE", "RGBA", "VECTOR")
HOLDERS = ("ShaderNodeValue", "ShaderNodeRGB")
"""Nodes whose outputs hold a number of their own."""


def can_fit(socket: bpy.types.NodeSocket) -> bool:
    """Return whether a fit may find the value of a socket."""
    if socket.type not in NUMBERS or not socket.enabled:
        return False
    if socket.is_output:
        return socket.node.bl_idname in HOLDERS
    return not socket.is_linked and not socket.hide_value


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


def add_entry(
    fit: WEFT_PG_fit,
    material: bpy.types.Material,
    path: Iterable[str],
    socket: bpy.types.NodeSocket | None,
    kind: str,
) -> WEFT_PG_fit_parameter:
    """Put a socket, or the image of a node, into the list and select it. Twice is once."""
    text = "\n".join(path)
    identifier = "" if socket is None else socket.identifier
    is_output = socket is not None and socket.is_output
    for number, entry in enumerate(fit.parameters):
        known = (entry.material, entry.path, entry.socket, entry.is_output)
        if entry.path and known == (material, text, identifier, is_output):
            fit.parameter, entry.kind = number, kind
            return entry
    entry = fit.parameters.add()
    entry.kind, entry.material, entry.path = kind, material, text
    entry.socket, entry.is_output = identifier, is_output
    if socket is not None:
        entry.socket_name = socket.name
        entry.low, entry.high = range_of(socket)
    fit.parameter = len(fit.parameters) - 1
    return entry


def add_socket(
    fit: WEFT_PG_fit, socket: bpy.types.NodeSocket, kind: str = "NUMBER"
) -> WEFT_PG_fit_parameter | None:
    """Put a socket into the list; ``None``: no material shows it. Twice is once."""
    owner = owner_of(socket.id_data)
    if owner is None:
        return None
    material, groups = owner
    return add_entry(fit, material, [*groups, socket.node.name], socket, kind)


def add_image_node(fit: WEFT_PG_fit, node: bpy.types.Node) -> WEFT_PG_fit_parameter | None:
    """Put the image of a node into the list; ``None``: no material shows it. Twice is once."""
    owner = owner_of(node.id_data)
    if owner is None:
        return None
    material, groups = owner
    return add_image(fit, material, [*groups, node.name])


def add_image(
    fit: WEFT_PG_fit, material: bpy.types.Material, path: list[str]
) -> WEFT_PG_fit_parameter:
    """Put the image of a node into the list, at its own size."""
    node = tree_at(material, path[:-1]).nodes[path[-1]]
    entry = add_entry(fit, material, path, None, "TEXTURE")
    entry.socket_name = node.name
    if node.image is not None and min(node.image.size) > 0:
        entry.width, entry.height = node.image.size
    return entry


def add_choice(
    fit: WEFT_PG_fit, material: bpy.types.Material, choice: Choice, kind: str = ""
) -> WEFT_PG_fit_parameter:
    """Put a choice into the list, of a kind of its own or of another one."""
    path, address = list(choice.address.path), choice.address
    if not address.socket:
        return add_image(fit, material, path)
    node = tree_at(material, path[:-1]).nodes[path[-1]]
    sockets = node.outputs if address.is_output else node.inputs
    socket = next(entry for entry in sockets if entry.identifier == address.socket)
    return add_entry(fit, material, path, socket, kind or choice.kind)


def add_maps(fit: WEFT_PG_fit, material: bpy.types.Material, choices: Iterable[Choice]) -> int:
    """Put base color, roughness and metallic into the list as images; return how many."""
    chosen: dict[int, Choice] = {}
    for choice in choices:
        if choice.role >= 0 and choice.is_only:
            chosen.setdefault(choice.role, choice)
    sizes = [choice.size for choice in chosen.values() if min(choice.size) > 0]
    width, height = max(sizes, default=(TEXTURE_SIZE, TEXTURE_SIZE))
    for choice in chosen.values():
        entry = add_choice(fit, material, choice, "TEXTURE")
        if choice.kind == "NUMBER":
            entry.width, entry.height = width, height
    return len(chosen)


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


def add_environment(fit: WEFT_PG_fit) -> WEFT_PG_fit_parameter:
    """Put all of the world's light into the list. Twice is once."""
    for number, entry in enumerate(fit.parameters):
        if entry.kind == "ENVIRONMENT":
            fit.parameter = number
            return entry
    entry = fit.parameters.add()
    entry.kind = "ENVIRONMENT"
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
