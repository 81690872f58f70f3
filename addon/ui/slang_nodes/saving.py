# SPDX-License-Identifier: GPL-3.0-or-later
"""Save as Template."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...blender.session import require_session
from ...blender.slang_nodes.own_templates import own_folder
from ...core.job import Job
from ...core.slang_nodes.reports import readable
from ..waiting import WaitingOperator
from .operators import active_slang_node

if TYPE_CHECKING:
    from ...core.slang_nodes.preparing import Request
    from ...core.slang_nodes.templates import Template

CATEGORY = "My Nodes"


class WEFT_OT_save_as_template(WaitingOperator, bpy.types.Operator):
    """Save this node's function to your library: Add > Slang and asset browsers have it then"""

    bl_idname = "weft.save_as_template"
    bl_label = "Save as Template"
    # What is open stays as it is: there is nothing to undo.
    bl_options = {"REGISTER"}

    name: bpy.props.StringProperty(name="Name", description="That people read; empty: the node's")
    category: bpy.props.StringProperty(
        name="Category", description="Heading in menus, catalog in asset browsers", default=CATEGORY
    )
    replace: bpy.props.BoolProperty(
        name="Replace", description="Take the place of a template of that name"
    )
    source: bpy.props.StringProperty(
        name="Source",
        description="A text block or a path; empty: that of the active Slang node",
        options={"HIDDEN"},
    )
    function: bpy.props.StringProperty(
        name="Function", description="Of the source; empty: the only one", options={"HIDDEN"}
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for name and category."""
        from ...blender.slang_nodes.assets import plain_name

        found = active_slang_node(context)
        if found is not None and not self.source:
            node, tag = found
            self.name = self.name or plain_name(node.node_tree.name)
            if not self.properties.is_property_set("category"):
                self.category = tag.category or CATEGORY
        return set(context.window_manager.invoke_props_dialog(self))

    def start(self, context: bpy.types.Context) -> Job[Template]:
        """Compile and draw in a thread."""
        from weft import Error

        from ...blender.slang_nodes.saving import require_free
        from ...core.slang_nodes.templates import make_template

        try:
            request, name = self.asked(context)
            title = self.name.strip() or name
            category = self.category.strip() or CATEGORY
            if not self.replace:
                require_free(own_folder(), title, category)
        except Error as error:
            return Job(failing(error), "weft-save-template")
        device = require_session().device
        return Job(
            lambda cancelled: make_template(request, title, category, device), "weft-save-template"
        )

    def asked(self, context: bpy.types.Context) -> tuple[Request, str]:
        """Return what is to be saved, and what it is called.

        Raises:
            ArgumentError: There is no such function.
        """
        from weft import ArgumentError

        from ...blender.scripting_nodes import only_function
        from ...blender.slang_nodes.assets import plain_name
        from ...blender.slang_nodes.nodes import request_for, request_of
        from ...blender.slang_nodes.reading import key_of
        from ...core.slang_nodes.naming import base_name, title_of

        if self.source:
            function = self.function or only_function(self.source, "save_as_template")
            request = request_for(key_of(self.source), function, "ShaderNodeTree")
            return request, title_of(base_name(function))
        found = active_slang_node(context)
        if found is None:
            message = "save_as_template: select a Slang node, or give a source"
            raise ArgumentError(message)
        tree, tag = found[0].node_tree, found[1]
        return request_of(tree, tag), plain_name(tree.name)

    def finish(self, context: bpy.types.Context, result: Template) -> None:
        """Write it, and show it."""
        from ...blender.slang_nodes.saving import save_template
        from ..asset_libraries import list_libraries

        if self._job.cancelled.is_set():
            return
        file = save_template(result, own_folder(), replaces=self.replace)
        list_libraries()
        refresh_asset_lists(context)
        if result.without:
            text = f"'{result.title}' is saved without a picture: {readable(result.without)}"
            self.report({"WARNING"}, text)
        else:
            self.report({"INFO"}, f"'{result.title}' is saved in {file.parent}")


def failing(error: Exception):  # noqa: ANN201  (what a Job takes)
    """Return work that fails: errors before the work are reported as those of the work."""

    def fail(cancelled: object) -> Template:
        raise error

    return fail


def refresh_asset_lists(context: bpy.types.Context) -> None:
    """Have open asset browsers, and with them the Add menus, look again."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.ui_type == "ASSETS":
                with context.temp_override(window=window, area=area):
                    if bpy.ops.asset.library_refresh.poll():
                        bpy.ops.asset.library_refresh()
