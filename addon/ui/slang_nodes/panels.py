# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the active Slang node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...blender.slang_nodes.users import is_editable
from ...core.slang_nodes.menus import case_labels, find_case
from ...core.slang_nodes.naming import base_name, variant_label
from ...core.slang_nodes.reports import readable
from ..text import draw_text
from .baking import draw_bake
from .evaluations import draw_evaluated_node
from .images import draw_images
from .learning import draw_learning
from .operators import active_slang_node

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...blender.slang_nodes.tags import Tag

ICONS = {"text": "TEXT", "file": "FILE", "template": "ASSET_MANAGER", "library": "USER"}


class NODE_PT_weft_slang(bpy.types.Panel):
    """Source, values and form of the active Slang node"""

    bl_label = "Slang"
    bl_space_type = "NODE_EDITOR"
    bl_region_type = "UI"
    bl_category = "Node"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether the active node is one."""
        return active_slang_node(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draw what it is made from."""
        found = active_slang_node(context)
        if found is None:
            return
        node, tag = found
        layout = self.layout
        row = layout.row(align=True)
        row.operator("weft.show_slang_source", text=tag.source.name, icon=ICONS[tag.source.kind])
        layout.operator(
            "weft.change_slang_function", text=base_name(tag.function), icon="DOWNARROW_HLT"
        )
        if tag.variants:
            label = variant_label(tag.function) or variant_label(tag.signature)
            layout.operator("weft.change_slang_variant", text=label, icon="DOWNARROW_HLT")
        if tag.error:
            draw_error(layout, tag)
        if not is_editable(node.node_tree):
            draw_text(layout, "The group is linked: make it local to change it", icon="LINKED")
        if tag.used == "BAKED":
            draw_bake(layout, node.node_tree)
        for entry in tag.properties:
            draw_value(layout, entry, tag.build.get(entry["name"], ""))
        draw_cases(layout, node, tag)
        draw_images(layout, node.node_tree, tag)
        draw_learning(layout, context.scene, tag)
        draw_form(layout, node, tag)
        draw_evaluated_node(layout, node, tag)
        layout.separator()
        row = layout.row(align=True)
        row.operator("weft.rebuild_slang_node", icon="FILE_REFRESH")
        row.operator("weft.unpack_slang_node", text="Unpack", icon="NODETREE")
        layout.operator("weft.save_as_template", icon="ASSET_MANAGER")


def draw_error(layout: bpy.types.UILayout, tag: Tag) -> None:
    """Draw why the node is not what its source says."""
    box = layout.box()
    draw_text(box, readable(tag.error), icon="ERROR")
    row = box.row(align=True)
    row.operator("weft.show_slang_source", text="Show Error")
    if tag.source.kind in ("file", "library"):
        row.operator("weft.relocate_slang_source")


def draw_value(layout: bpy.types.UILayout, entry: Mapping[str, Any], value: str) -> None:
    """Draw a value that is part of the tree."""
    row = layout.row(align=True)
    row.label(text=entry["label"])
    if entry["choices"]:
        for choice in entry["choices"]:
            button = row.operator(
                "weft.change_slang_value",
                text=choice.rpartition(".")[2],
                depress=choice == value,
            )
            button.name, button.text = entry["name"], choice
        return
    if entry["kind"] == "bool":
        is_on = value == "true"
        button = row.operator(
            "weft.change_slang_value",
            text="",
            icon="CHECKBOX_HLT" if is_on else "CHECKBOX_DEHLT",
        )
        button.name, button.text = entry["name"], "false" if is_on else "true"
        return
    number = _whole(value) if entry["kind"] == "int" else None
    if number is not None:
        _draw_step(row, entry["name"], number - 1, "REMOVE")
    row.operator("weft.change_slang_value", text=value).name = entry["name"]
    if number is not None:
        _draw_step(row, entry["name"], number + 1, "ADD")


def draw_cases(layout: bpy.types.UILayout, node: bpy.types.Node, tag: Tag) -> None:
    """Draw the enumerations whose sockets are numbers, by the names of their cases."""
    sockets = {socket.identifier: socket for socket in node.inputs}
    for entry in tag.inputs:
        socket = sockets.get(entry.identifier)
        if not entry.cases or socket is None or socket.type == "MENU" or socket.is_linked:
            continue
        place = find_case(entry.cases, socket.default_value)
        labels = case_labels(name for name, _ in entry.cases)
        row = layout.row(align=True)
        row.label(text=socket.name)
        row.operator(
            "weft.choose_slang_case",
            text="None" if place is None else labels[place],
            icon="DOWNARROW_HLT",
        ).name = entry.name


def _draw_step(row: bpy.types.UILayout, name: str, value: int, icon: str) -> None:
    button = row.operator("weft.change_slang_value", text="", icon=icon)
    button.name, button.text = name, str(value)


def _whole(value: str) -> int | None:
    try:
        return int(value)
    except ValueError:
        return None


def draw_form(layout: bpy.types.UILayout, node: bpy.types.Node, tag: Tag) -> None:
    """Draw what runs, how long it is, and what to know about it."""
    if node.bl_idname == "ShaderNodeGroup":
        layout.operator_menu_enum(
            "weft.choose_slang_form", "form", text=f"Runs As: {_form_title(tag)}"
        )
    if tag.used == "NODES":
        layout.label(text=_size(tag))
    elif tag.used == "OSL" and not _runs_osl():
        draw_text(
            layout,
            "Switch Open Shading Language on in the render settings: without it the node is black",
            icon="ERROR",
        )
    for note in tag.notes:
        draw_text(layout, note, icon="INFO")


def _size(tag: Tag) -> str:
    nodes = "1 node" if tag.nodes == 1 else f"{tag.nodes} nodes"
    # Trees of before there were estimates have none until they are made again.
    return f"{nodes}, about {tag.cost:.3g} {tag.cost_unit}" if tag.cost_unit else nodes


def _form_title(tag: Tag) -> str:
    titles = {"NODES": "Nodes", "OSL": "OSL", "BAKED": "Baked", "ENGINE": "Engine"}
    used = titles[tag.used]
    return f"Automatic ({used})" if tag.form == "AUTOMATIC" else used


def _runs_osl() -> bool:
    settings = getattr(bpy.context.scene, "cycles", None)
    return bool(getattr(settings, "shading_system", False))
