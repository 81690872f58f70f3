# SPDX-License-Identifier: Apache-2.0
"""A layout that notes what a panel draws, and refuses what Blender would refuse."""

from __future__ import annotations

import bpy


class Button:
    """What operator() returns: the arguments of a button."""


class Layout:
    """Stands for bpy.types.UILayout, which only exists while a window is drawn.

    Attributes:
        drawn: (kind, text or name, icon), in order, of this layout and all in it.
    """

    def __init__(self, drawn=None):
        self.drawn = [] if drawn is None else drawn
        self.buttons = {}

    def _note(self, kind, text, icon="NONE"):
        icons = bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
        assert icon in icons, icon
        self.drawn.append((kind, text, icon))

    def _inner(self, **_options):
        return Layout(self.drawn)

    row = column = box = split = column_flow = grid_flow = _inner

    def panel(self, _name, default_closed=False):
        return self._inner(), self._inner()

    def label(self, *, text, icon="NONE", icon_value=0):
        self._note("label", text, icon)

    def separator(self, **_options):
        pass

    def operator(self, name, *, text=None, icon="NONE", **_options):
        cls = getattr(bpy.types, name.replace("weft.", "WEFT_OT_"))
        self._note("operator", cls.bl_label if text is None else text, icon)
        return Button()

    def operator_menu_enum(self, name, _property, *, text="", icon="NONE"):
        assert hasattr(bpy.types, name.replace("weft.", "WEFT_OT_"))
        self._note("operator", text, icon)

    def prop(self, data, name, *, text=None, icon="NONE", **_options):
        found = data.bl_rna.properties[name]
        self._note("prop", found.name if text is None else text, icon)

    def prop_enum(self, data, name, value):
        found = data.bl_rna.properties[name].enum_items[value]
        self._note("prop", found.name, found.icon)

    def prop_search(self, data, name, _source, _list, *, text=None, **_options):
        self._note("prop", data.bl_rna.properties[name].name if text is None else text)

    def template_list(self, kind, _name, data, entries, _active, _number, **_options):
        assert hasattr(bpy.types, kind)
        self._note("list", entries)
        list_type = getattr(bpy.types, kind)
        for entry in getattr(data, entries):
            text, icon = list_type.describe(None, entry)
            self._note("entry", text, icon)

    def template_ID(self, data, name, *, text="", **_options):
        self._note("prop", text or data.bl_rna.properties[name].name)

    def template_icon(self, icon_value, scale=1.0):
        self._note("picture", icon_value)

    def progress(self, *, factor, text="", **_options):
        assert 0 <= factor <= 1
        self._note("progress", text)

    def texts(self, kind=None):
        """Return what was drawn as text."""
        return [entry[1] for entry in self.drawn if kind in (None, entry[0])]

    def text(self):
        """Return all labels as one text."""
        return " ".join(str(text) for text in self.texts("label"))


def draw_panel():
    """Return what the panel of the sidebar draws now."""
    from addon.ui.fit.panels import FitPanel

    panel = FitPanel()
    panel.layout = Layout()
    panel.draw(bpy.context)
    return panel.layout
