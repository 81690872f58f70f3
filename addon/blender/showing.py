# SPDX-License-Identifier: GPL-3.0-or-later
"""Going to the place of a problem: objects and nodes are selected, editors show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .fit_sockets import tree_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.problems import Problem

Owner = "bpy.types.Material | bpy.types.World"


def show_place(context: bpy.types.Context, problem: Problem) -> bool:
    """Select the place of a problem; return whether it is still there."""
    steps = problem.steps()
    if not steps:
        return False
    kind, name = steps[0]
    if kind == "Material":
        return _show_material(context, name, [step for _kind, step in steps[1:]])
    if kind == "World":
        return _show_world(context, name, [step for _kind, step in steps[1:]])
    if kind == "Image":
        return _show_image(context, name)
    return _select(context, bpy.data.objects.get(name))


def _select(context: bpy.types.Context, entry: bpy.types.Object | None) -> bool:
    """Make an object the only selected one and the active one."""
    if entry is None or entry.name not in context.view_layer.objects:
        return False
    for other in context.view_layer.objects:
        other.select_set(other == entry)
    context.view_layer.objects.active = entry
    return True


def _show_material(context: bpy.types.Context, name: str, nodes: list[str]) -> bool:
    material = next((m for m in bpy.data.materials if m.name_full == name), None)
    if material is None:
        return False
    for entry in context.view_layer.objects:
        slots = [slot.material for slot in entry.material_slots]
        if material in slots:
            _select(context, entry)
            entry.active_material_index = slots.index(material)
            break
    _turn_properties(context, "MATERIAL")
    _show_nodes(context, material, nodes, "OBJECT")
    return True


def _show_world(context: bpy.types.Context, name: str, nodes: list[str]) -> bool:
    world = next((w for w in bpy.data.worlds if w.name_full == name), None)
    if world is None:
        return False
    _turn_properties(context, "WORLD")
    _show_nodes(context, world, nodes, "WORLD")
    return True


def _show_image(context: bpy.types.Context, name: str) -> bool:
    """Show the first node that has an image."""
    image = next((entry for entry in bpy.data.images if entry.name_full == name), None)
    for owner in (*bpy.data.materials, *bpy.data.worlds) if image is not None else ():
        if owner.node_tree is None:
            continue
        for path, node in _all_nodes(owner.node_tree):
            if getattr(node, "image", None) != image:
                continue
            is_world = isinstance(owner, bpy.types.World)
            show = _show_world if is_world else _show_material
            return show(context, owner.name_full, [*path, node.name])
    return False


def _all_nodes(
    tree: bpy.types.NodeTree, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], bpy.types.Node]]:
    """Yield the nodes of a tree and of its groups, with the groups around each."""
    for node in tree.nodes:
        yield path, node
        inner = getattr(node, "node_tree", None)
        if inner is not None:
            yield from _all_nodes(inner, (*path, node.name))


def _show_nodes(context: bpy.types.Context, owner: Owner, names: list[str], kind: str) -> None:
    """Select a node in its tree, and show the tree in the node editors that are open."""
    tree = tree_at(owner, names[:-1])
    node = tree.nodes.get(names[-1]) if tree is not None and names else None
    if node is None:
        return
    for other in tree.nodes:
        other.select = other == node
    tree.nodes.active = node
    for space in _spaces(context, "NODE_EDITOR"):
        if space.tree_type != "ShaderNodeTree":
            continue
        space.shader_type = kind
        space.path.start(owner.node_tree)
        for k in range(len(names) - 1):
            outer = tree_at(owner, names[:k])
            space.path.append(tree_at(owner, names[: k + 1]), node=outer.nodes[names[k]])


def _turn_properties(context: bpy.types.Context, tab: str) -> None:
    """Turn the properties editors that are open to a tab."""
    for space in _spaces(context, "PROPERTIES"):
        try:
            space.context = tab
        except TypeError:  # the active object has no such tab
            continue


def _spaces(context: bpy.types.Context, kind: str) -> Iterator[bpy.types.Space]:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == kind:
                yield area.spaces.active
