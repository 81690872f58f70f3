# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang nodes: plain group nodes whose groups are made from functions.

Equal groups are one: a node takes a group that is there already if it was made from the same
source, function and values. A group is brought up to date in place, for all nodes that show it; a
node that asks for something of its own gets a copy, whose sockets have the same identifiers, so
that links stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import bpy

from weft import ArgumentError, Error

from ...core.slang_nodes.preparing import Prepared, Request, prepare
from ...core.steps import last_value
from .animation_paths import correct_curves, note_curves
from .build import Built, new_group, update_group
from .editing import unpack, was_edited
from .joining import is_alike
from .marks import confirm, note_error
from .reading import key_of, source_of
from .tags import HASH, Tag, read_tag, tagged_trees
from .users import NODE_TYPES, group_nodes, is_editable, modifiers, remove_group
from .widths import follow_width

if TYPE_CHECKING:
    from ...core.slang_nodes.sources import SourceKey
    from ...core.steps import Steps

BLENDER = bpy.app.version[:2]


def request_for(
    key: SourceKey,
    function: str,
    tree: str,
    build: Mapping[str, str] | None = None,
    form: str = "AUTOMATIC",
) -> Request:
    """Return what a node of a tree asks for, with its source as it is now."""
    return Request(
        source_of(key), function, tree, BLENDER, dict(build or {}), form, has_osl=scene_runs_osl()
    )


def request_of(tree: bpy.types.NodeTree, tag: Tag) -> Request:
    """Return what a tree asks for."""
    request = request_for(tag.source, tag.function, tree.bl_idname, tag.build, tag.form)
    return replace(request, known=tag.signature, domain=tag.domain)


def scene_runs_osl() -> bool:
    """Return whether the open scene's Cycles runs shaders in OSL."""
    settings = getattr(bpy.context.scene, "cycles", None)
    return bool(getattr(settings, "shading_system", False))


def equal_tree(prepared: Prepared) -> bpy.types.NodeTree | None:
    """Return a group of this file that is what was prepared and that nobody edited by hand.

    Groups that hold images are none: another node may want other images, or bakes its own.
    """
    if prepared.interface.images or prepared.wrapper is not None:
        return None
    for tree in bpy.data.node_groups:
        if tree.get(HASH) != prepared.hash or tree.bl_idname != prepared.request.tree:
            continue
        if _is_as_made(tree, prepared.request.form):
            return tree
    return None


def _is_as_made(tree: bpy.types.NodeTree, form: str) -> bool:
    """Return whether a group has a form, no error, and nothing that a hand did."""
    tag = read_tag(tree)
    if tag is None or tag.form != form or tag.error:
        return False
    return is_editable(tree) and not was_edited(tree)


def require_editable(tree: bpy.types.NodeTree) -> None:
    """Say whose a tree is that cannot be changed.

    Raises:
        ArgumentError: It is linked, or overrides one that is.
    """
    if not is_editable(tree):
        path = "another file" if tree.library is None else f"'{tree.library.filepath}'"
        message = f"Slang node: '{tree.name}' is linked from {path}; make it local first"
        raise ArgumentError(message)


def group_for(prepared: Prepared) -> Steps[bpy.types.NodeTree]:
    """Return the group of a function: one that is there, or a new one."""
    found = equal_tree(prepared)
    if found is not None:
        return found
    return (yield from new_group(prepared))


def place_node(
    tree: bpy.types.NodeTree, group: bpy.types.NodeTree, location: tuple[float, float]
) -> bpy.types.Node:
    """Add the node of a group to a tree.

    Raises:
        ArgumentError: The group would contain itself.
    """
    if group == tree or contains(group, tree):
        message = f"Slang node: '{group.name}' cannot be used inside itself"
        raise ArgumentError(message)
    node = tree.nodes.new(NODE_TYPES[tree.bl_idname])
    node.node_tree = group
    node.name = group.name
    node.width = group.default_group_node_width
    if tuple(location) != tuple(node.location):
        node.location = location
    return node


def contains(group: bpy.types.NodeTree, tree: bpy.types.NodeTree) -> bool:
    """Return whether a tree is used in a group, at any depth."""
    inner = {getattr(node, "node_tree", None) for node in group.nodes} - {None}
    return tree in inner or any(contains(own, tree) for own in inner)


def change_node(node: bpy.types.Node, **changes: Any) -> Steps[bpy.types.NodeTree]:  # noqa: ANN401
    """Let a node ask for something else; nodes that shared its group stay as they are.

    Args:
        node: A Slang node.
        **changes: Fields of `Tag`: ``build``, ``form``, ``function``, ``source``.

    Raises:
        ArgumentError: It is no Slang node, or what it asks for cannot be made; it stays then.
        CompileError: The same.
    """
    group = node.node_tree
    tag = require_tag(group)
    require_editable(node.id_data)
    if "function" in changes:
        changes["signature"] = ""
    prepared = prepare(request_of(group, replace(tag, **changes)))
    given = group.default_group_node_width
    shared = equal_tree(prepared)
    if shared is not None and shared != group and is_alike(require_tag(shared), tag):
        curves = note_curves(group)
        node.node_tree = shared
        follow_width(node, given, shared)
        correct_curves(curves)
        remove_unused(group)
        return shared
    if is_alone(node) and is_editable(group) and not is_reused(group):
        yield from update_group(group, prepared)
        return group
    own = group.copy()
    try:
        yield from update_group(own, prepared)
    except BaseException:
        bpy.data.node_groups.remove(own)
        raise
    node.node_tree = own
    follow_width(node, given, own)
    if is_reused(group):
        remove_unused(group)
    return own


def is_alone(node: bpy.types.Node) -> bool:
    """Return whether a node is all that uses its group."""
    group = node.node_tree
    return group_nodes(group) == [node] and not modifiers(group) and not group.use_fake_user


def is_reused(group: bpy.types.NodeTree) -> bool:
    """Return whether Blender takes a group again where its asset is added once more.

    A node that wants something else gets a copy, which Blender does not know by the asset.
    """
    return group.library_weak_reference is not None


def remove_unused(group: bpy.types.NodeTree) -> None:
    """Remove a group that nothing uses, unless a person has edited it."""
    if group.users == 0 and not was_edited(group):
        remove_group(group)


def require_tag(tree: bpy.types.NodeTree | None) -> Tag:
    """Return what a tree is made from.

    Raises:
        ArgumentError: It is no Slang node's.
    """
    tag = read_tag(tree)
    if tag is None:
        name = "the node" if tree is None else f"'{tree.name}'"
        message = f"Slang node: {name} is not made from a Slang function"
        raise ArgumentError(message)
    return tag


def bring_up_to_date(tree: bpy.types.NodeTree) -> Built | None:
    """Make a tree what its source says now, and wait.

    Returns:
        ``None``: it was that already.

    Raises:
        CompileError: The source does not compile; the tree computes what it did, and its record
            holds the message.
        ArgumentError: The function is gone, cannot be lowered, or the tree is linked.
    """
    tag = require_tag(tree)
    require_editable(tree)
    try:
        prepared = prepare(request_of(tree, tag))
        if prepared.hash == tag.hash:
            confirm(tree)
            return None
        return last_value(update_group(tree, prepared))
    except Error as error:
        note_error(tree, str(error))
        raise


def rebuild(tree: bpy.types.NodeTree) -> Built:
    """Make a tree again, whatever was done to it by hand, and wait.

    Raises:
        CompileError: The source does not compile; the tree stays as it is.
        ArgumentError: The function cannot be lowered, or the tree is linked.
    """
    tag = require_tag(tree)
    require_editable(tree)
    prepared = prepare(request_of(tree, tag))
    return last_value(update_group(tree, prepared))


def relocate(key: SourceKey, path: str) -> None:
    """Let all trees of a source be made from another file.

    Raises:
        CompileError: It does not compile.
        ArgumentError: It is not there, or lacks a function; trees before it have it already.
    """
    other = key_of(path)
    for tree, tag in list(tagged_trees()):
        if tag.source == key and is_editable(tree):
            prepared = prepare(request_of(tree, replace(tag, source=other)))
            last_value(update_group(tree, prepared))


def unpack_node(node: bpy.types.Node) -> None:
    """Give a node an ordinary group: its own, if others show the same one.

    Raises:
        ArgumentError: The tree that holds the node is linked.
    """
    require_tag(node.node_tree)
    require_editable(node.id_data)
    group = node.node_tree
    if not is_alone(node) or not is_editable(group) or is_reused(group):
        node.node_tree = group.copy()
        if is_reused(group):
            remove_unused(group)
    unpack(node.node_tree)
