# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang nodes for scripts, which addon/api.py offers. What each does is said in weft_blender."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import bpy

from weft import ArgumentError, Error
from weft.lowering import Lowered, lower

from ..core.slang_nodes.bundles import fields_of, spread
from ..core.slang_nodes.choosing import candidates
from ..core.slang_nodes.matching import Existing, shown_case
from ..core.slang_nodes.menus import find_case
from ..core.slang_nodes.preparing import ENGINE, FORMS, prepare, read_source
from ..core.steps import last_value
from .slang_baked.baking import allow
from .slang_baked.tree import is_baked
from .slang_nodes.bundle_nodes import put_together, remove_unused_node
from .slang_nodes.image_slots import choose_images
from .slang_nodes.nodes import (
    BLENDER,
    bring_up_to_date,
    change_node,
    group_for,
    place_node,
    remove_unused,
    request_for,
    require_editable,
    require_tag,
)
from .slang_nodes.reading import key_of, source_of
from .slang_nodes.tags import Tag, read_tag, tagged_trees
from .slang_nodes.users import NODE_TYPES, all_trees, owner_of

if TYPE_CHECKING:
    from ..core.slang_nodes.interface import Interface, SocketSpec

SourceLike = Any
"""A text block or its name, a path, ``"text:..."``, ``"file:..."``, ``"template:..."``."""


@dataclass(frozen=True)
class NodeSource:
    """What a Slang node is made from; see ``weft_blender.node_source`` and ``slang_nodes``."""

    owner: str
    node: str
    group: str

    source: str
    function: str
    build: Mapping[str, str]
    form: str
    error: str
    notes: tuple[str, ...]


def tree_of(owner: Any) -> bpy.types.NodeTree:  # noqa: ANN401
    """Return the node tree of a material, a world, a light, or the tree itself.

    Raises:
        ArgumentError: It has none, or of a kind that has no Slang nodes.
    """
    tree = owner if isinstance(owner, bpy.types.NodeTree) else getattr(owner, "node_tree", None)
    if tree is None or tree.bl_idname not in NODE_TYPES:
        message = (
            "Slang node: tree must be a tree of shader, geometry or compositor nodes, or what has "
            f"one, got {owner!r}"
        )
        raise ArgumentError(message)
    return tree


def add_node(
    tree: Any,  # noqa: ANN401
    source: SourceLike,
    function: str | None = None,
    *,
    location: Sequence[float] = (0.0, 0.0),
    build: Mapping[str, object] | None = None,
    form: str = "AUTOMATIC",
    **inputs: Any,  # noqa: ANN401
) -> bpy.types.Node:
    """Add the node of a function; see ``weft_blender.add_node``."""
    outer = tree_of(tree)
    require_editable(outer)
    forms = (*FORMS, ENGINE)
    if form not in forms:
        message = f"add_node: form must be one of {', '.join(forms)}, got {form!r}"
        raise ArgumentError(message)
    key = key_of(source)
    chosen = function or only_function(source)
    request = request_for(key, chosen, outer.bl_idname, spelled(build), form)
    prepared = prepare(request)
    known = {entry.name: entry for entry in prepared.interface.inputs + prepared.interface.images}
    inputs = spread(inputs, list(known))
    _check_inputs(known, inputs, prepared.interface.properties)
    group = last_value(group_for(prepared))
    node = place_node(outer, group, (float(location[0]), float(location[1])))
    try:
        _set_all(outer, node, group, prepared.interface, inputs)
    except BaseException:
        feeding = [socket.links[0].from_node for socket in node.inputs if socket.is_linked]
        outer.nodes.remove(node)
        for own in feeding:
            remove_unused_node(own)
        remove_unused(group)
        raise
    if prepared.wrapper is not None:
        allow(group)
    return node


def _set_all(
    tree: bpy.types.NodeTree,
    node: bpy.types.Node,
    group: bpy.types.NodeTree,
    interface: Interface,
    inputs: Mapping[str, Any],
) -> None:
    """Set the inputs of a new node by name: images, structures, and what sockets hold."""
    held = {entry.name for entry in interface.images} & set(inputs)
    choose_images(group, {name: _image(name, inputs[name]) for name in held})
    sockets = {entry.name: entry for entry in require_tag(group).inputs}
    structures = {entry.name: entry for entry in interface.inputs if entry.items}
    for name in structures.keys() & inputs.keys():
        check_items(structures[name], inputs[name])
    for name, value in inputs.items():
        if name in structures:
            set_bundle(node, sockets[name].identifier, structures[name], value)
        elif name not in held:
            set_input(tree, node, sockets[name], value)


def _image(name: str, value: Any) -> bpy.types.Image | None:  # noqa: ANN401
    if value is None or isinstance(value, bpy.types.Image):
        return value
    message = f"add_node: '{name}' is an image of bpy.data.images, got {value!r}"
    raise ArgumentError(message)


def _check_inputs(
    known: Mapping[str, object], inputs: Mapping[str, object], properties: Sequence[Any]
) -> None:
    unknown = sorted(set(inputs) - set(known))
    if not unknown:
        return
    if unknown[0] in {entry.name for entry in properties}:
        message = (
            f"add_node: '{unknown[0]}' is part of the tree: give build={{'{unknown[0]}': ...}}"
        )
    else:
        names = ", ".join(known) or "none"
        message = f"add_node: there is no input '{unknown[0]}'; there are: {names}"
    raise ArgumentError(message)


def check_items(spec: SocketSpec, value: Any) -> None:  # noqa: ANN401
    """Say what does not fit of a bundle, before any node is made for it.

    Raises:
        ArgumentError: It is neither a mapping nor an output, or has what the structure has not.
    """
    if isinstance(value, bpy.types.NodeSocket):
        return
    names = ", ".join(item.name for item in spec.items)
    if not isinstance(value, Mapping):
        message = f"add_node: '{spec.name}' is Bundle: give a dict of {names}, or an output, got "
        raise ArgumentError(f"{message}{value!r}")
    known = {item.name: item for item in spec.items}
    for name, own in value.items():
        if name not in known:
            message = f"add_node: '{spec.name}' has no item {name!r}; it has: {names}"
            raise ArgumentError(message)
        if known[name].items:
            check_items(replace(known[name], name=f"{spec.name}.{name}"), own)
        elif isinstance(own, Mapping):
            kind = known[name].type[len("NodeSocket") :]
            message = f"add_node: '{spec.name}.{name}' is {kind} and no structure, got {own!r}"
            raise ArgumentError(message)


def set_bundle(node: bpy.types.Node, identifier: str, spec: SocketSpec, value: Any) -> None:  # noqa: ANN401
    """Link a bundle of values, each of which may be an output, to an input.

    Raises:
        ArgumentError: A value does not fit.
    """
    tree = node.id_data
    target = next(own for own in node.inputs if own.identifier == identifier)
    if isinstance(value, bpy.types.NodeSocket):
        tree.links.new(value, target)
        return
    values = dict(_paths(value))

    def give(socket: bpy.types.NodeSocket, item: SocketSpec, path: str) -> None:
        if path in values:
            entry = replace(item, name=f"{spec.name}.{path}")
            _set_socket(tree, socket, entry, values[path])

    put_together(target, spec.items, give, lambda path: bool(fields_of(path, values)))


def _paths(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Return what is in mappings, each with the path to it."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _paths(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def set_input(
    tree: bpy.types.NodeTree,
    node: bpy.types.Node,
    entry: Existing,
    value: Any,  # noqa: ANN401
) -> None:
    """Link an output to an input of a node, or set its value.

    Raises:
        ArgumentError: The value does not fit.
    """
    socket = next(own for own in node.inputs if own.identifier == entry.identifier)
    _set_socket(tree, socket, entry, value)


def _set_socket(
    tree: bpy.types.NodeTree,
    socket: bpy.types.NodeSocket,
    entry: Existing | SocketSpec,
    value: Any,  # noqa: ANN401
) -> None:
    if isinstance(value, bpy.types.NodeSocket):
        tree.links.new(value, socket)
        return
    kind = socket.bl_idname[len("NodeSocket") :]
    if isinstance(value, Mapping):
        message = f"add_node: '{entry.name}' is {kind} and no structure, got {value!r}"
        raise ArgumentError(message)
    if not hasattr(socket, "default_value"):
        message = f"add_node: '{entry.name}' is {kind}: link an output to it, got {value!r}"
        raise ArgumentError(message)
    if entry.cases:
        value = _case(entry, value)
    try:
        if socket.type == "RGBA" and len(value) == len("RGB"):
            value = (*value, 1.0)
        socket.default_value = value
    except (TypeError, ValueError) as error:
        message = f"add_node: '{entry.name}' is {kind}: {error}"
        raise ArgumentError(message) from error


def _case(entry: Existing | SocketSpec, value: object) -> object:
    """Return a case as a socket has it.

    Raises:
        ArgumentError: There is no such case.
    """
    place = find_case(entry.cases, value)
    if place is None:
        names = ", ".join(name for name, _ in entry.cases)
        message = f"add_node: '{entry.name}' has no case {value!r}; it has: {names}"
        raise ArgumentError(message)
    return shown_case(entry.cases, place, entry.type)


def only_function(source: SourceLike, caller: str = "add_node") -> str:
    """Return the one function of a source; `caller` is who asks, for the message.

    Raises:
        ArgumentError: There is none, or more than one; says which.
        CompileError: The source does not compile.
    """
    key = key_of(source)
    names = candidates(read_source(source_of(key)))
    if len(names) == 1:
        return names[0]
    what = "no function that can be a node" if not names else f"several: {', '.join(names)}"
    message = f"{caller}: name the function; '{key.name}' has {what}"
    raise ArgumentError(message)


def spelled(build: Mapping[str, object] | None) -> dict[str, str]:
    """Return build values as Slang spells them."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in (build or {}).items()
    }


def node_source(node: bpy.types.Node) -> NodeSource:
    """Return what a node is made from; see ``weft_blender.node_source``."""
    tag = require_tag(getattr(node, "node_tree", None))
    return _described(owner_of(node.id_data), node, tag)


def _described(owner: bpy.types.ID, node: bpy.types.Node, tag: Tag) -> NodeSource:
    return NodeSource(
        owner.name_full,
        node.name,
        node.node_tree.name_full,
        str(tag.source),
        tag.function,
        dict(tag.build),
        tag.form,
        tag.error,
        tag.notes,
    )


def slang_nodes() -> list[NodeSource]:
    """Return the Slang nodes of the open file; see ``weft_blender.slang_nodes``."""
    found = []
    for owner, tree in all_trees():
        for node in tree.nodes:
            tag = read_tag(getattr(node, "node_tree", None))
            if tag is not None:
                found.append(_described(owner, node, tag))
    return sorted(found, key=lambda entry: (entry.owner, entry.node))


def set_source(
    node: bpy.types.Node,
    source: SourceLike = None,
    function: str | None = None,
    *,
    build: Mapping[str, object] | None = None,
    form: str | None = None,
) -> None:
    """Make a node of another function; see ``weft_blender.set_source``."""
    tag = require_tag(getattr(node, "node_tree", None))
    changes: dict[str, Any] = {}
    if source is not None:
        changes["source"] = key_of(source)
    if function is not None:
        changes["function"] = function
    if build is not None:
        changes["build"] = {**tag.build, **spelled(build)}
    if form is not None:
        changes["form"] = form
    last_value(change_node(node, **changes))
    if is_baked(node.node_tree):
        allow(node.node_tree)


def refresh(source: SourceLike = None) -> int:
    """Bring nodes up to date and wait; see ``weft_blender.refresh``."""
    count, errors = refresh_all(source)
    if errors:
        raise errors[0]
    return count


def refresh_all(source: SourceLike = None) -> tuple[int, list[Error]]:
    """Bring nodes up to date, whatever fails on the way; return how many groups changed."""
    key = None if source is None else key_of(source)
    trees = [tree for tree, tag in tagged_trees() if key is None or tag.source == key]
    count, errors = 0, []
    for tree in trees:
        try:
            count += bring_up_to_date(tree) is not None
        except Error as error:
            errors.append(error)
    return count, errors


def lower_function(
    source: SourceLike,
    function: str,
    **options: Any,  # noqa: ANN401
) -> Lowered:
    """Lower a function of a source of the open file; see ``weft_blender.lower``."""
    found = source_of(key_of(os.fspath(source) if isinstance(source, os.PathLike) else source))
    options.setdefault("blender", BLENDER)
    options.setdefault("name", found.title)
    return lower(found.path, function, text=found.text, include_paths=found.folders, **options)


def copy_as_slang(
    tree: Any,  # noqa: ANN401
    nodes: Sequence[bpy.types.Node] | None = None,
    *,
    name: str = "copied",
) -> bpy.types.Text:
    """Write nodes as a function; see ``weft_blender.copy_as_slang``."""
    from ..core.slang_nodes.copying import copy_as_function
    from .graphs import read_graph

    outer = tree_of(tree)
    if outer.bl_idname != "ShaderNodeTree":
        message = "copy_as_slang: nodes of shader trees can be copied, got a tree of another kind"
        raise ArgumentError(message)
    if not name.isidentifier():
        message = f"copy_as_slang: name must be one that Slang takes, got {name!r}"
        raise ArgumentError(message)
    wanted = [node for node in outer.nodes if node.select] if nodes is None else list(nodes)
    if not wanted:
        message = "copy_as_slang: no node is selected; select those that are to be a function"
        raise ArgumentError(message)
    found = copy_as_function(read_graph(outer), {node.name for node in wanted}, name)
    text = bpy.data.texts.new(f"{name}.slang")
    text.write(found.text)
    text.cursor_set(0)
    return text
