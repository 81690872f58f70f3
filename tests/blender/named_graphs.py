# SPDX-License-Identifier: Apache-2.0
"""Materials whose nodes, sockets and groups have names that are easily mixed up."""

from __future__ import annotations

import random
from dataclasses import dataclass

import bpy

NODE_NAMES = (
    "Math",
    "Math.001",
    "Group",
    "A/B",
    "A",
    "B",
    "A.B",
    'say "hi"',
    "x[0]",
    "inputs[0]",
    "first",
    "Glätte ✓",
    " lead",
    "tilde~",
    "texture:Math",
    "size@2",
    "back\\slash",
)
SOCKET_NAMES = ("Value", "base_color", "a.b", "a", "Value/Value", "inputs[1]", "", "Fac@4")
OPERATIONS = ("ADD", "MULTIPLY", "MULTIPLY_ADD", "MAXIMUM", "SMOOTH_MIN", "WRAP")


@dataclass(frozen=True)
class Leaf:
    """An unlinked socket.

    Args:
        path: Names of the group nodes around the node, and its own.
        socket: Blender's.
    """

    path: tuple[str, ...]
    socket: bpy.types.NodeSocket


class GraphMaker:
    """Makes materials of random numbers that all have an effect on their program.

    Args:
        seed: Equal seeds make equal graphs.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.values = iter(self.random.sample(range(200, 800), 600))

    def value(self) -> float:
        return next(self.values) / 1000

    def name(self, node: bpy.types.Node) -> None:
        node.name = self.random.choice(NODE_NAMES)

    def material(self, name: str) -> bpy.types.Material:
        """Return a material with a mix of two surfaces that numbers of nested groups drive."""
        made = bpy.data.materials.new(name)
        if made.node_tree is None:
            made.use_nodes = True
        tree = made.node_tree
        tree.nodes.clear()
        end = tree.nodes.new("ShaderNodeOutputMaterial")
        mix = tree.nodes.new("ShaderNodeMixShader")
        tree.links.new(mix.outputs[0], end.inputs["Surface"])
        mix.inputs[0].default_value = self.value()
        groups = [self.group(2), self.group(1)]
        for slot in (1, 2):
            closure = tree.nodes.new("ShaderNodeBsdfPrincipled")
            self.name(closure)
            tree.links.new(closure.outputs[0], mix.inputs[slot])
            for key in ("Base Color", "Roughness", "Metallic"):
                self.drive(tree, closure.inputs[key], groups, 2)
        return made

    def group(self, depth: int) -> bpy.types.NodeTree:
        """Return a group of numbers, with groups in it and two inputs of one name."""
        tree = bpy.data.node_groups.new("Numbers", "ShaderNodeTree")
        tree.interface.new_socket("Value", in_out="OUTPUT", socket_type="NodeSocketFloat")
        names = [self.random.choice(SOCKET_NAMES) for _ in range(2)]
        for name in (*names, names[0]):
            tree.interface.new_socket(name, in_out="INPUT", socket_type="NodeSocketFloat")
        start = tree.nodes.new("NodeGroupInput")
        end = tree.nodes.new("NodeGroupOutput")
        inner = [self.group(depth - 1)] if depth > 1 else []
        last = start.outputs[0]
        for socket in (start.outputs[1], start.outputs[2]):
            node = self.math(tree, "MULTIPLY_ADD")
            tree.links.new(last, node.inputs[0])
            tree.links.new(socket, node.inputs[1])
            self.drive(tree, node.inputs[2], inner, 1)
            last = node.outputs[0]
        tree.links.new(last, end.inputs[0])
        return tree

    def math(self, tree: bpy.types.NodeTree, operation: str = "") -> bpy.types.Node:
        node = tree.nodes.new("ShaderNodeMath")
        node.operation = operation or self.random.choice(OPERATIONS)
        self.name(node)
        self.fill(node)
        return node

    def fill(self, node: bpy.types.Node) -> None:
        """Give each number of a node a value of its own."""
        for socket in node.inputs:
            if socket.type == "VALUE":
                socket.default_value = self.value()
            elif socket.type in ("RGBA", "VECTOR"):
                numbers = [self.value(), self.value(), self.value()]
                socket.default_value = numbers if socket.type == "VECTOR" else (*numbers, 1.0)

    def drive(self, tree, socket, groups, depth) -> None:
        """Link a socket to numbers, or give it one of its own."""
        kind = self.random.choice(("number", "math", "group", "held", "mix", "vector"))
        if kind == "number" or depth == 0:
            self.fill_socket(socket)
            return
        if kind == "group" and groups:
            node = tree.nodes.new("ShaderNodeGroup")
            node.node_tree = self.random.choice(groups)
            self.name(node)
            self.fill(node)
            inner = [node.inputs[1]]
        elif kind == "held":
            node = tree.nodes.new("ShaderNodeValue")
            self.name(node)
            node.outputs[0].default_value = self.value()
            inner = []
        elif kind == "mix":
            node = tree.nodes.new("ShaderNodeMix")
            node.data_type = self.random.choice(("FLOAT", "RGBA"))
            self.name(node)
            self.fill(node)
            inner = [entry for entry in node.inputs if entry.enabled][:1]
        elif kind == "vector":
            node = tree.nodes.new("ShaderNodeVectorMath")
            node.operation = "MULTIPLY_ADD"
            self.name(node)
            self.fill(node)
            inner = []
        else:
            node = self.math(tree)
            inner = [self.random.choice([entry for entry in node.inputs if entry.enabled])]
        tree.links.new(next(entry for entry in node.outputs if entry.enabled), socket)
        for entry in inner:
            self.drive(tree, entry, groups, depth - 1)

    def fill_socket(self, socket: bpy.types.NodeSocket) -> None:
        if socket.type == "RGBA":
            socket.default_value = (self.value(), self.value(), self.value(), 1.0)
        elif socket.type == "VECTOR":
            socket.default_value = (self.value(), self.value(), self.value())
        else:
            socket.default_value = self.value()


def leaves_of(material: bpy.types.Material) -> list[Leaf]:
    """Return the unlinked numbers below a material's output, each socket once."""
    found: dict[tuple[int, str, str, bool], Leaf] = {}
    _look(material.node_tree, (), found)
    return list(found.values())


def _look(tree, path, found) -> None:
    for node in tree.nodes:
        if node.bl_idname in ("NodeGroupInput", "NodeGroupOutput", "ShaderNodeOutputMaterial"):
            continue
        here = (*path, node.name)
        holds = node.bl_idname in ("ShaderNodeValue", "ShaderNodeRGB")
        for socket in node.outputs if holds else node.inputs:
            if socket.type not in ("VALUE", "RGBA", "VECTOR") or not socket.enabled:
                continue
            if (not holds and socket.is_linked) or socket.hide_value:
                continue
            key = (tree.session_uid, node.name, socket.identifier, socket.is_output)
            found.setdefault(key, Leaf(here, socket))
        if node.bl_idname == "ShaderNodeGroup":
            _look(node.node_tree, here, found)
