# SPDX-License-Identifier: Apache-2.0
"""Lowered functions as nodes of a material."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from addon.blender.lowered_groups import build_group

import weft
from blender import osl_rows
from support import lowering_corpus as corpus

if TYPE_CHECKING:
    from bench.lowering.shading import NodeOf

VERSION = bpy.app.version[:2]


def lower(name: str, text: str, tree: str = "shader", to: str = "nodes") -> weft.Lowered:
    return weft.lower(None, name, text=text, tree=tree, to=to, blender=VERSION)


def is_lowered(name: str, tree: str, to: str) -> bool:
    try:
        lower(name, corpus.TEXT, tree, to)
    except weft.ArgumentError:
        return False
    return True


def of_group(lowered: weft.Lowered) -> NodeOf:
    group = build_group(lowered.tree, lowered.name)

    def make(tree: bpy.types.NodeTree) -> bpy.types.Node:
        node = tree.nodes.new("ShaderNodeGroup")
        node.node_tree = group
        return node

    return make


def of_osl(lowered: weft.Lowered) -> NodeOf:
    def make(tree: bpy.types.NodeTree) -> bpy.types.Node:
        return osl_rows.script_node(tree, lowered.text, osl_rows.parameters(lowered.text))

    return make
