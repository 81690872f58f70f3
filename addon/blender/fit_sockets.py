# SPDX-License-Identifier: GPL-3.0-or-later
"""References to sockets of node trees that stay valid while their owners are renamed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy

from .ramp_stops import RampStop, find_stop

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..core.graph.bindings import Binding, TextureBinding


@dataclass(frozen=True)
class SocketRef:
    """A node, and one of its sockets.

    Args:
        owner: Session number of the material or node group whose tree has the node; renaming keeps
            it.
        is_group: The owner is a node group.
        node: Name of the node.
        socket: Identifier of the socket; "": the node itself.
        is_output: The socket is an output.
        label: What people call it.
    """

    owner: int
    is_group: bool
    node: str
    socket: str
    is_output: bool
    label: str

    @staticmethod
    def of_binding(binding: Binding | TextureBinding) -> SocketRef:
        """Return the socket that a compiled material names.

        Raises:
            ArgumentError: There is no such material or tree.
        """
        is_group = len(binding.path) > 1
        owners = bpy.data.node_groups if is_group else bpy.data.materials
        name = binding.tree if is_group else binding.material
        owner = next((entry for entry in owners if entry.name_full == name), None)
        if owner is None:
            raise _gone(binding.label)
        return SocketRef(
            owner.session_uid,
            is_group,
            binding.path[-1],
            getattr(binding, "socket", ""),
            getattr(binding, "is_output", False),
            binding.label,
        )

    def find_owner(self) -> bpy.types.ID | None:
        """Return the material or group, ``None`` if it was deleted."""
        owners: Iterable[bpy.types.ID] = (
            bpy.data.node_groups if self.is_group else bpy.data.materials
        )
        return next((entry for entry in owners if entry.session_uid == self.owner), None)

    def find_tree(self) -> bpy.types.NodeTree | None:
        """Return the tree, ``None`` if its owner was deleted."""
        owner = self.find_owner()
        return owner if owner is None or self.is_group else owner.node_tree

    def find_node(self) -> bpy.types.Node | None:
        """Return the node, ``None`` if it was deleted."""
        tree = self.find_tree()
        return None if tree is None else tree.nodes.get(self.node)

    def find_socket(self) -> bpy.types.NodeSocket | RampStop | None:
        """Return the socket or the stop of a ramp, ``None`` if its node was deleted."""
        node = self.find_node()
        if node is None:
            return None
        stop = find_stop(node, self.socket)
        if stop is not None:
            return stop
        sockets = node.outputs if self.is_output else node.inputs
        return next((entry for entry in sockets if entry.identifier == self.socket), None)

    def require_socket(self) -> bpy.types.NodeSocket | RampStop:
        """Return the socket.

        Raises:
            ArgumentError: It is not there any more.
        """
        socket = self.find_socket()
        if socket is None:
            raise _gone(self.label)
        return socket

    def require_editable(self) -> None:
        """Refuse what cannot be changed.

        Raises:
            ArgumentError: It belongs to a library file, or is not there any more.
        """
        from weft import ArgumentError

        owner = self.find_owner()
        if owner is None or self.find_node() is None:
            raise _gone(self.label)
        if owner.library is not None:
            raise ArgumentError(
                f"fit: '{self.label}' belongs to the file {owner.library.filepath} and cannot be "
                "changed; make the material local first"
            )

    def write(self, value: Sequence[float]) -> bool:
        """Write a number or the colour of a socket; alpha stays. Return whether it is there."""
        socket = self.find_socket()
        if socket is None:
            return False
        old: Any = socket.default_value
        if hasattr(old, "__len__"):
            numbers = list(old)
            numbers[: len(value)] = value
            socket.default_value = numbers
        else:
            socket.default_value = value[0] if isinstance(old, float) else round(value[0])
        return True

    def write_exactly(self, value: object) -> None:
        """Write what default_value held."""
        socket = self.find_socket()
        if socket is not None:
            socket.default_value = value


def driver_at(ref: SocketRef) -> bpy.types.Node | None:
    """Return a node, or the one that drives a socket; ``None``: there is none."""
    node = ref.find_node()
    socket = ref.find_socket() if ref.socket else None
    if isinstance(socket, bpy.types.NodeSocket):
        node = next((link.from_node for link in socket.links), None)
    return node


def image_at(ref: SocketRef) -> bpy.types.Image | None:
    """Return the image of a node, or of the one that drives a socket; ``None``: there is none."""
    return getattr(driver_at(ref), "image", None)


def tree_at(material: bpy.types.Material, groups: Sequence[str]) -> bpy.types.NodeTree | None:
    """Return a tree of a material by the names of the group nodes around it."""
    tree = material.node_tree
    for name in groups:
        node = tree.nodes.get(name) if tree is not None else None
        tree = getattr(node, "node_tree", None)
    return tree


def _gone(label: str) -> Exception:
    """Return the error for what was deleted."""
    from weft import ArgumentError

    return ArgumentError(f"fit: '{label}' is not there any more; choose it again")
