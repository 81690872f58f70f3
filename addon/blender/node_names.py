# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of nodes and sockets as Blender's interface shows them."""

from __future__ import annotations

import bpy


def node_title(node: bpy.types.Node) -> str:
    """Return what a node's header says."""
    if node.label:
        return node.label
    image = getattr(node, "image", None)
    tree = getattr(node, "node_tree", None)
    if image is not None or tree is not None:
        return (image or tree).name
    for name in ("operation", "blend_type"):
        if name == "blend_type" and getattr(node, "data_type", "RGBA") != "RGBA":
            continue  # a Mix node of numbers
        value = getattr(node, name, None)
        if value:
            return node.bl_rna.properties[name].enum_items[value].name
    return node.bl_label


def socket_title(socket: bpy.types.NodeSocket) -> str:
    """Return a socket's name, with its number where others in use have the same one."""
    node = socket.node
    sockets = node.outputs if socket.is_output else node.inputs
    same = [entry for entry in sockets if entry.name == socket.name and entry.enabled]
    if len(same) < 2:
        return socket.name
    identifiers = [entry.identifier for entry in same]
    return f"{socket.name} {identifiers.index(socket.identifier) + 1}"


def input_title(socket: bpy.types.NodeSocket) -> str:
    """Return a socket with its node: ``"Value 2 (Multiply)"``."""
    return f"{socket_title(socket)} ({node_title(socket.node)})"
