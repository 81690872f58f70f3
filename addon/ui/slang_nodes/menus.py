# SPDX-License-Identifier: GPL-3.0-or-later
"""Add > Slang."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

import bpy

from ...blender.slang_nodes.contents import file_state
from ...blender.slang_nodes.own_templates import own_folder
from ...core.slang_nodes.naming import title_of
from ...core.slang_nodes.sources import (
    Entry,
    SourceKey,
    in_menus,
    marked_functions,
    template_entries,
    template_files,
    templates_folder,
)
from .adding import edited_tree

if TYPE_CHECKING:
    from pathlib import Path


class NODE_MT_weft_slang(bpy.types.Menu):
    """Nodes that are written in Slang"""

    bl_idname = "NODE_MT_weft_slang"
    bl_label = "Slang"

    def draw(self, context: bpy.types.Context) -> None:
        """List what there is, without compiling anything."""
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator("weft.new_slang_node", icon="FILE_NEW")
        layout.operator("weft.add_slang_expression", icon="SCRIPTPLUGINS")
        layout.operator("weft.open_slang_file", text="From File...", icon="FILE_FOLDER")
        texts = slang_texts()
        tree = edited_tree(context)
        if texts and tree is not None and tree.bl_idname == "GeometryNodeTree":
            layout.menu("NODE_MT_weft_slang_evaluate", icon="FILE_REFRESH")
        if texts:
            layout.separator()
            for text in texts:
                draw_text_block(layout, text)
        every = sorted((*brought(), *saved()), key=in_menus)
        for category, entries in groupby(every, key=lambda entry: entry.category):
            layout.separator()
            layout.label(text=category or "Weft")
            for entry in entries:
                draw_entry(layout, entry, icon="USER" if entry.key.kind == "library" else "NONE")


class NODE_MT_weft_slang_evaluate(bpy.types.Menu):
    """Functions that Weft's engine evaluates on the geometry, as no nodes can"""

    bl_idname = "NODE_MT_weft_slang_evaluate"
    bl_label = "Slang Evaluate"

    def draw(self, context: bpy.types.Context) -> None:
        """List the functions of texts."""
        self.layout.operator_context = "INVOKE_DEFAULT"
        for text in slang_texts():
            draw_text_block(self.layout, text, is_evaluated=True)


def slang_texts() -> list[bpy.types.Text]:
    """Return the text blocks that hold Slang, by their names."""
    return [text for text in bpy.data.texts if text.name.endswith(".slang")]


def draw_text_block(
    layout: bpy.types.UILayout, text: bpy.types.Text, *, is_evaluated: bool = False
) -> None:
    """Draw a text block's marked functions, or the text itself."""
    entries = marked_functions(SourceKey("text", text.name), text.as_string())
    for entry in entries:
        draw_entry(layout, entry, icon="TEXT", is_evaluated=is_evaluated)
    if not entries:
        button = layout.operator("weft.add_slang_node", text=text.name, icon="TEXT")
        button.source, button.function = f"text:{text.name}", ""
        button.is_evaluated = is_evaluated


def draw_entry(
    layout: bpy.types.UILayout, entry: Entry, icon: str = "NONE", *, is_evaluated: bool = False
) -> None:
    """Draw a function."""
    title = entry.label or title_of(entry.function)
    button = layout.operator("weft.add_slang_node", text=title, icon=icon)
    button.source, button.function = str(entry.key), entry.function
    button.is_evaluated = is_evaluated


@cache
def brought() -> tuple[Entry, ...]:
    """Return the functions that Weft brings; they do not change while Blender runs."""
    return tuple(template_entries(templates_folder()))


def saved() -> tuple[Entry, ...]:
    """Return the functions that the user saved as templates; files are read when they change."""
    folder = own_folder()
    return saved_in(folder, tuple(file_state(file) for file in template_files(folder)))


@lru_cache(maxsize=1)
def saved_in(folder: Path, state: tuple[object, ...]) -> tuple[Entry, ...]:
    """Return the functions of a folder, as long as its files are in a state."""
    return tuple(template_entries(folder, "library"))


def draw_add_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Add the menu to an editor's Add menu."""
    if edited_tree(context) is not None:
        menu.layout.menu("NODE_MT_weft_slang", icon="NODE")
