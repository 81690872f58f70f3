# SPDX-License-Identifier: GPL-3.0-or-later
"""A node group of a function, made or brought up to date in place.

Links, values and animation of all nodes that show the group stay: sockets are matched by name
(core/slang_nodes/matching.py), and what a socket of another type held is converted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ...core.slang_nodes.matching import Existing, Matching, match_sockets
from ...core.slang_nodes.menus import MENU
from ..evaluation.group import fill_evaluated
from ..lowered_groups import fill_group
from ..slang_baked.leaving import held_by, let_go_of
from ..slang_baked.tree import fill_with_lookups
from .animation_paths import correct_curves, let_go, note_curves
from .contents import content_of, kept_file
from .image_slots import show_images
from .marks import mark_nodes
from .osl_nodes import fill_with_shader
from .regrouping import note_structures, set_structures
from .tags import Tag, body_hash, read_tag, write_tag
from .users import group_nodes
from .values import changed_values, new_values, set_value, set_values
from .widths import set_width

if TYPE_CHECKING:
    from ...core.slang_nodes.interface import SocketSpec
    from ...core.slang_nodes.preparing import Prepared
    from ...core.steps import Steps


@dataclass(frozen=True)
class Built:
    """What was done to a group.

    Args:
        tree: The group.
        lost: Animation that drives nothing any more, for people.
        removed: Labels of the inputs and outputs that went.
    """

    tree: bpy.types.NodeTree
    lost: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def new_group(prepared: Prepared) -> Steps[bpy.types.NodeTree]:
    """Make the group of a function; nothing of it is left if that fails."""
    tree = bpy.data.node_groups.new(prepared.interface.title, prepared.request.tree)
    try:
        yield from update_group(tree, prepared)
    except BaseException:
        bpy.data.node_groups.remove(tree)
        raise
    return tree


def update_group(tree: bpy.types.NodeTree, prepared: Prepared) -> Steps[Built]:
    """Bring a group up to date.

    Args:
        tree: A group that `new_group` made, or a copy of one.
        prepared: What it shall be.

    Raises:
        RuntimeError: Blender refuses a node; the group computes what it did then.
    """
    tag = read_tag(tree)
    old = tag or Tag(prepared.request.source.key, prepared.request.function)
    interface = prepared.interface
    inputs = match_sockets(_present(tree, old.inputs, "INPUT"), interface.inputs)
    outputs = match_sockets(_present(tree, old.outputs, "OUTPUT"), interface.outputs)
    curves = note_curves(tree)
    values = changed_values(tree, inputs)
    users = group_nodes(tree)
    structures = note_structures(users, inputs, outputs)
    baked = held_by(tree)
    added: list[bpy.types.NodeTreeInterfaceSocket] = []
    try:
        entries = _add_and_retype(tree, inputs, "INPUT", added)
        results = _add_and_retype(tree, outputs, "OUTPUT", added)
        yield from _fill(tree, prepared, entries, results)
    except BaseException:
        for item in added:
            tree.interface.remove(item)
        correct_curves(curves)
        raise
    let_go_of(tree, baked, stays=prepared.wrapper is not None)
    gone = (*inputs.removed, *outputs.removed)
    let_go(curves, {entry.identifier for entry in gone})
    removed = _remove(tree, gone)
    for item, spec in zip(results + entries, interface.outputs + interface.inputs, strict=True):
        _describe(tree, item, spec)
    _arrange(tree, results, entries, interface.inputs)
    _set_menus(entries, inputs)
    set_values(values + new_values(users, entries, inputs))
    names = (_identifiers(entries, interface.inputs), _identifiers(results, interface.outputs))
    set_structures(structures, *names)
    lost = correct_curves(curves)
    width = set_width(tree, users, interface, old.width)
    write_tag(tree, _tag_of(tree, prepared, replace(old, width=width), entries, results))
    show_images(tree)
    mark_nodes(tree, is_wrong=False)
    if hasattr(tree, "description"):
        tree.description = interface.tooltip
    return Built(tree, tuple(lost), tuple(removed))


def _fill(
    tree: bpy.types.NodeTree,
    prepared: Prepared,
    entries: list[bpy.types.NodeTreeInterfaceSocket],
    results: list[bpy.types.NodeTreeInterfaceSocket],
) -> Steps[None]:
    """Make the nodes of a group that has its sockets."""
    ends = [entry.identifier for entry in entries], [entry.identifier for entry in results]
    if prepared.plan is not None:
        fill_evaluated(tree, prepared.plan, prepared.interface, *ends)
    elif prepared.wrapper is not None:
        fill_with_lookups(tree, prepared.wrapper.slots, ends[1])
    elif prepared.form == "OSL":
        menus = {
            item.identifier: spec.cases
            for item, spec in zip(entries, prepared.interface.inputs, strict=True)
            if spec.type == MENU
        }
        assert prepared.lowered is not None
        fill_with_shader(tree, prepared.lowered.text, *ends, menus)
    else:
        assert prepared.lowered is not None
        assert prepared.lowered.tree is not None
        yield from fill_group(tree, prepared.lowered.tree, *ends)


def _identifiers(
    items: list[bpy.types.NodeTreeInterfaceSocket], specs: tuple[SocketSpec, ...]
) -> dict[str, str]:
    return {spec.name: item.identifier for item, spec in zip(items, specs, strict=True)}


def _tag_of(
    tree: bpy.types.NodeTree,
    prepared: Prepared,
    old: Tag,
    entries: list[bpy.types.NodeTreeInterfaceSocket],
    results: list[bpy.types.NodeTreeInterfaceSocket],
) -> Tag:
    request, interface, lowered = prepared.request, prepared.interface, prepared.lowered
    files = tuple(kept_file(Path(file)) for file in prepared.files)

    def sockets(
        items: list[bpy.types.NodeTreeInterfaceSocket], specs: tuple[SocketSpec, ...]
    ) -> tuple[Existing, ...]:
        return tuple(
            Existing(item.identifier, spec.name, spec.type, spec.cases)
            for item, spec in zip(items, specs, strict=True)
        )

    return replace(
        old,
        source=request.source.key,
        function=request.function,
        build=dict(request.build),
        properties=tuple(
            {
                "name": entry.name,
                "label": entry.label,
                "kind": entry.kind,
                "choices": list(entry.choices),
                "tooltip": entry.tooltip,
            }
            for entry in interface.properties
        ),
        images=tuple(
            {"name": entry.name, "label": entry.label, "tooltip": entry.tooltip}
            for entry in interface.images
        ),
        signature=prepared.signature,
        variants=prepared.variants,
        form=request.form,
        used=prepared.form,
        hash=prepared.hash,
        inputs=sockets(entries, interface.inputs),
        outputs=sockets(results, interface.outputs),
        files=files,
        content=content_of(request.source.key, files),
        error="",
        notes=prepared.notes,
        nodes=(0 if lowered is None else lowered.nodes) or 1,
        cost=(0.0 if lowered is None else lowered.cost) or 0.0,
        cost_unit="" if lowered is None else lowered.cost_unit,
        domain=request.domain,
        category=interface.category,
        body=body_hash(tree),
    )


def _present(
    tree: bpy.types.NodeTree, known: tuple[Existing, ...], direction: str
) -> list[Existing]:
    """Return the sockets that a tree still has; what a person added to it is left alone."""
    items = {
        item.identifier: item
        for item in tree.interface.items_tree
        if item.item_type == "SOCKET" and item.in_out == direction
    }
    return [
        replace(entry, type=items[entry.identifier].bl_socket_idname)
        for entry in known
        if entry.identifier in items
    ]


def _items(tree: bpy.types.NodeTree) -> dict[str, bpy.types.NodeTreeInterfaceSocket]:
    return {
        item.identifier: item for item in tree.interface.items_tree if item.item_type == "SOCKET"
    }


def _add_and_retype(
    tree: bpy.types.NodeTree,
    matching: Matching,
    direction: str,
    added: list[bpy.types.NodeTreeInterfaceSocket],
) -> list[bpy.types.NodeTreeInterfaceSocket]:
    """Return the interface's entries of a function's sockets, in order."""
    items = _items(tree)
    found = []
    for match in matching.sockets:
        if match.old is None:
            item = tree.interface.new_socket(
                match.spec.label, in_out=direction, socket_type=match.spec.type
            )
            added.append(item)
            _set_default(item, match.spec)
        else:
            item = items[match.old.identifier]
            if match.is_retyped:
                _end_toggle(item)
                item.socket_type = match.spec.type
                item = _items(tree)[match.old.identifier]  # of another class now
                _set_default(item, match.spec)
        found.append(item)
    return found


def _end_toggle(item: bpy.types.NodeTreeInterfaceSocket) -> None:
    if item.is_panel_toggle:
        item.is_panel_toggle = False


def _remove(tree: bpy.types.NodeTree, gone: tuple[Existing, ...]) -> list[str]:
    items = _items(tree)
    labels = []
    for entry in gone:
        labels.append(items[entry.identifier].name)
        tree.interface.remove(items[entry.identifier])
    return labels


def _describe(
    tree: bpy.types.NodeTree, item: bpy.types.NodeTreeInterfaceSocket, spec: SocketSpec
) -> None:
    """Give a socket what does not touch its value."""
    _end_toggle(item)  # until it stands in its panel: its name is the panel's
    item.name = spec.label
    item.description = spec.tooltip
    if spec.domain:
        item.attribute_domain = spec.domain
    if spec.attribute or getattr(item, "default_attribute_name", ""):
        item.default_attribute_name = spec.attribute
    if item.in_out == "OUTPUT":
        return
    item.hide_value = spec.hides_value
    if "subtype" in item.bl_rna.properties and item.subtype != spec.subtype:
        item.subtype = spec.subtype
    if tree.bl_idname == "GeometryNodeTree":
        item.default_input = spec.source
        item.hide_in_modifier = spec.is_internal
    if hasattr(item, "min_value"):
        _set_range(item, spec)


def _set_range(item: bpy.types.NodeTreeInterfaceSocket, spec: SocketSpec) -> None:
    is_whole = spec.type == "NodeSocketInt"
    low, high = (
        (-(2**31), 2**31 - 1) if is_whole else (-3.4028234663852886e38, 3.4028234663852886e38)
    )
    for name, wanted, without in (
        ("min_value", spec.minimum, low),
        ("max_value", spec.maximum, high),
    ):
        value = without if wanted is None or not math.isfinite(wanted) else wanted
        setattr(item, name, int(value) if is_whole else value)


def _set_default(item: bpy.types.NodeTreeInterfaceSocket, spec: SocketSpec) -> None:
    """Give a new socket the value that new nodes have."""
    if spec.default is None or item.in_out == "OUTPUT" or not hasattr(item, "default_value"):
        return
    if spec.type != MENU:  # which has no items yet
        item.default_value = spec.shown(spec.default)


def _set_menus(entries: list[bpy.types.NodeTreeInterfaceSocket], inputs: Matching) -> None:
    """Give menus the value that new nodes have, now that they have items."""
    for item, match in zip(entries, inputs.sockets, strict=True):
        if match.spec.type == MENU and (match.old is None or match.has_other_values):
            set_value(item, match.spec.shown(match.spec.default))


def _arrange(
    tree: bpy.types.NodeTree,
    results: list[bpy.types.NodeTreeInterfaceSocket],
    entries: list[bpy.types.NodeTreeInterfaceSocket],
    specs: tuple[SocketSpec, ...],
) -> None:
    """Put sockets into the order of the function, and into their panels."""
    interface = tree.interface
    panels = {item.name: item for item in interface.items_tree if item.item_type == "PANEL"}
    ends: dict[str, int] = {}
    _order_outside(interface, results, entries, specs)
    # A switch stands first.
    inside = sorted(zip(entries, specs, strict=True), key=lambda pair: not pair[1].is_panel_toggle)
    for item, spec in inside:
        if not spec.panel:
            continue
        if spec.panel not in panels:
            panels[spec.panel] = _new_panel(interface, spec.panel, specs)
        number = ends.get(spec.panel, 0)
        interface.move_to_parent(item, panels[spec.panel], number)
        if spec.is_panel_toggle and number == 0:
            item.is_panel_toggle = True
        ends[spec.panel] = number + 1
    _remove_empty(interface, [panel for name, panel in panels.items() if name not in ends])


def _order_outside(
    interface: bpy.types.NodeTreeInterface,
    results: list[bpy.types.NodeTreeInterfaceSocket],
    entries: list[bpy.types.NodeTreeInterfaceSocket],
    specs: tuple[SocketSpec, ...],
) -> None:
    """Put outputs, and inputs that stand in no panel, into the order of the function."""
    for place, item in enumerate(results):
        interface.move(item, place)
    place = len(results)
    for item, spec in zip(entries, specs, strict=True):
        if not spec.panel:
            if item.parent is not None and item.parent.index >= 0:
                interface.move_to_parent(item, None, place)
            interface.move(item, place)
            place += 1


def _new_panel(
    interface: bpy.types.NodeTreeInterface, name: str, specs: tuple[SocketSpec, ...]
) -> bpy.types.NodeTreeInterfacePanel:
    is_closed = any(own.is_panel_closed for own in specs if own.panel == name)
    return interface.new_panel(name, default_closed=is_closed)


def _remove_empty(
    interface: bpy.types.NodeTreeInterface, panels: list[bpy.types.NodeTreeInterfacePanel]
) -> None:
    for panel in panels:
        if not len(panel.interface_items):
            interface.remove(panel)
