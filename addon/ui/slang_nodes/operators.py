# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the active Slang node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...blender.slang_nodes.tags import Tag, read_tag
from ...core.slang_nodes.menus import case_labels
from ...core.slang_nodes.naming import base_name, variant_label
from ...core.slang_nodes.reports import readable
from ..waiting import redraw
from .adding import UNDO

if TYPE_CHECKING:
    from collections.abc import Callable

FORMS = (
    ("AUTOMATIC", "Automatic", "Nodes; OSL only where the scene runs it and nodes cannot do it"),
    ("NODES", "Nodes", "Blender's own nodes: every renderer, GPU and EEVEE"),
    ("OSL", "OSL", "A shader in OSL: Cycles alone, with Open Shading Language switched on"),
    (
        "BAKED",
        "Baked",
        "The engine computes it over UV maps into images: any Slang, every renderer, as fast as an "
        "image",
    ),
)


def active_slang_node(context: bpy.types.Context) -> tuple[bpy.types.Node, Tag] | None:
    """Return the active node and what it is made from; ``None``: it is no Slang node."""
    tree = getattr(context.space_data, "edit_tree", None)
    node = getattr(context, "active_node", None) or (None if tree is None else tree.nodes.active)
    tag = read_tag(getattr(node, "node_tree", None))
    return None if tag is None else (node, tag)


class ActiveNodeOperator:
    """Base of operators on the active Slang node."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether it is one."""
        return active_slang_node(context) is not None

    def attempt(self, context: bpy.types.Context, work: Callable[[], object]) -> set[str]:
        """Do something, and report what fails."""
        from weft import Error

        try:
            work()
        except (Error, RuntimeError) as error:
            self.report({"ERROR"}, readable(str(error)))  # type: ignore[attr-defined]
            return {"CANCELLED"}
        finally:
            redraw(context)
        return {"FINISHED"}

    def change(self, context: bpy.types.Context, **changes: Any) -> set[str]:  # noqa: ANN401
        """Let the active node ask for something else."""
        from ...blender.slang_nodes.nodes import change_node
        from ...core.steps import last_value

        found = active_slang_node(context)
        assert found is not None
        return self.attempt(context, lambda: last_value(change_node(found[0], **changes)))


class WEFT_OT_change_slang_value(ActiveNodeOperator, bpy.types.Operator):
    """Change a value that is part of this node's tree"""

    bl_idname = "weft.change_slang_value"
    bl_label = "Change Value"
    bl_options = UNDO
    bl_property = "text"

    name: bpy.props.StringProperty(name="Parameter", options={"HIDDEN"})
    text: bpy.props.StringProperty(name="Value", description="A number, or Slang: Mode.Soft")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the value, unless the button says it."""
        if self.properties.is_property_set("text"):
            return self.execute(context)
        found = active_slang_node(context)
        assert found is not None
        self.text = found[1].build.get(self.name, "")
        return set(context.window_manager.invoke_props_dialog(self))

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Make the node's tree with the value."""
        found = active_slang_node(context)
        assert found is not None
        return self.change(context, build={**found[1].build, self.name: self.text})


class WEFT_OT_choose_slang_form(ActiveNodeOperator, bpy.types.Operator):
    """Choose what runs: Blender's nodes or a shader in OSL"""

    bl_idname = "weft.choose_slang_form"
    bl_label = "Runs As"
    bl_options = UNDO

    form: bpy.props.EnumProperty(name="Form", items=FORMS)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Make the node's tree in this form."""
        result = self.change(context, form=self.form)
        found = active_slang_node(context)
        if self.form == "BAKED" and "FINISHED" in result and found is not None:
            from ...blender.slang_baked.baking import allow

            allow(found[0].node_tree)
        return result


class WEFT_OT_change_slang_function(ActiveNodeOperator, bpy.types.Operator):
    """Make this node of another function of its source; inputs of equal names keep their links"""

    bl_idname = "weft.change_slang_function"
    bl_label = "Function"
    bl_options = UNDO

    function: bpy.props.StringProperty(name="Function")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Show a menu of the source's functions, unless the button names one."""
        from ...blender.slang_nodes.reading import source_of
        from ...core.slang_nodes.choosing import candidates
        from ...core.slang_nodes.preparing import read_source

        if self.function:
            return self.execute(context)
        found = active_slang_node(context)
        assert found is not None
        names: list[str] = []
        key = found[1].source
        result = self.attempt(
            context, lambda: names.extend(candidates(read_source(source_of(key))))
        )
        if names:
            entries = [(name, name) for name in names]
            pop_up(context, self.bl_idname, "Function", "function", entries)
        return result

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Make the node's tree of it."""
        return self.change(context, function=self.function, build={})


class WEFT_OT_change_slang_variant(ActiveNodeOperator, bpy.types.Operator):
    """Make this node of another overload of its function, or of a generic one with other types"""

    bl_idname = "weft.change_slang_variant"
    bl_label = "Types"
    bl_options = UNDO
    bl_property = "variant"

    variant: bpy.props.StringProperty(
        name="Types", description="Of an overload (float2, int), of a generic function <float, 3>"
    )
    asks: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Show a menu of them, unless the button names one; a generic function takes others."""
        found = active_slang_node(context)
        assert found is not None
        tag = found[1]
        if self.asks:
            self.variant = variant_label(tag.function)
            return set(context.window_manager.invoke_props_dialog(self))
        if self.properties.is_property_set("variant"):
            return self.execute(context)
        entries = [(variant_label(name), variant_label(name)) for name in tag.variants]
        other = any("<" in name for name, _ in entries)
        pop_up(context, self.bl_idname, "Types", "variant", entries, asks=other)
        return {"FINISHED"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Make the node's tree of it; values that are part of the tree stay."""
        found = active_slang_node(context)
        assert found is not None
        name = base_name(found[1].function)
        return self.change(context, function=name + self.variant.strip())


class WEFT_OT_choose_slang_case(ActiveNodeOperator, bpy.types.Operator):
    """Choose a case of an enumeration by its name: trees of this version have no menus"""

    bl_idname = "weft.choose_slang_case"
    bl_label = "Case"
    bl_options = UNDO

    name: bpy.props.StringProperty(name="Parameter", options={"HIDDEN"})
    case: bpy.props.StringProperty(name="Case")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Show a menu of the cases, unless the button names one."""
        if self.case:
            return self.execute(context)
        found = active_slang_node(context)
        assert found is not None
        cases = next(entry.cases for entry in found[1].inputs if entry.name == self.name)
        entries = [
            (label, name)
            for label, (name, _) in zip(case_labels(name for name, _ in cases), cases, strict=True)
        ]
        pop_up(context, self.bl_idname, "Case", "case", entries, name=self.name)
        return {"FINISHED"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Set the value of the socket."""
        from ...blender.scripting_nodes import set_input

        found = active_slang_node(context)
        assert found is not None
        node, tag = found
        entry = next(own for own in tag.inputs if own.name == self.name)
        return self.attempt(context, lambda: set_input(node.id_data, node, entry, self.case))


def pop_up(
    context: bpy.types.Context,
    operator: str,
    title: str,
    argument: str,
    entries: list[tuple[str, str]],
    *,
    asks: bool = False,
    **fixed: str,
) -> None:
    """Show a menu of (label, value of an operator's argument), and one that asks for another."""

    def draw(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
        menu.layout.operator_context = "INVOKE_DEFAULT"
        for label, value in entries:
            button = menu.layout.operator(operator, text=label or "()")
            for name, given in {**fixed, argument: value}.items():
                setattr(button, name, given)
        if asks:
            menu.layout.operator(operator, text="Other...").asks = True

    context.window_manager.popup_menu(draw, title=title)


class WEFT_OT_rebuild_slang_node(ActiveNodeOperator, bpy.types.Operator):
    """Make the node's tree again from its source; changes made to it by hand are lost"""

    bl_idname = "weft.rebuild_slang_node"
    bl_label = "Rebuild"
    bl_options = UNDO

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do it."""
        from ...blender.slang_nodes.nodes import rebuild

        found = active_slang_node(context)
        assert found is not None
        return self.attempt(context, lambda: rebuild(found[0].node_tree))


class WEFT_OT_refresh_slang_nodes(bpy.types.Operator):
    """Bring all Slang nodes of the file up to date with their sources"""

    bl_idname = "weft.refresh_slang_nodes"
    bl_label = "Refresh Slang Nodes"
    bl_options = UNDO

    source: bpy.props.StringProperty(name="Source", description="Empty: all of them")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do it; what fails is marked, the others are brought up to date."""
        from weft import Error

        from ...blender.scripting_nodes import refresh_all

        try:
            count, failed = refresh_all(self.source or None)
        except Error as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if failed:
            self.report({"WARNING"}, "; ".join(map(str, failed)))
        self.report({"INFO"}, f"Slang nodes: {count} changed")
        redraw(context)
        return {"FINISHED"}


class WEFT_OT_relocate_slang_source(ActiveNodeOperator, bpy.types.Operator):
    """Choose where the file of this node's function is now, for all nodes that use it"""

    bl_idname = "weft.relocate_slang_source"
    bl_label = "Relocate"
    bl_options = UNDO

    filepath: bpy.props.StringProperty(name="File", subtype="FILE_PATH")
    filter_glob: bpy.props.StringProperty(default="*.slang", options={"HIDDEN"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the file."""
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Use it."""
        from ...blender.slang_nodes.nodes import relocate

        found = active_slang_node(context)
        assert found is not None
        return self.attempt(context, lambda: relocate(found[1].source, self.filepath))


class WEFT_OT_show_slang_source(ActiveNodeOperator, bpy.types.Operator):
    """Show the code of this node in a text editor, at the line that is wrong"""

    bl_idname = "weft.show_slang_source"
    bl_label = "Show Source"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Open it; a file is read into a text block that stays linked to it."""
        from ...blender.slang_nodes.showing import show_source

        found = active_slang_node(context)
        assert found is not None
        return self.attempt(context, lambda: show_source(context, found[1]))


class WEFT_OT_unpack_slang_node(ActiveNodeOperator, bpy.types.Operator):
    """Make this node's group an ordinary one, which you may edit and which follows no source"""

    bl_idname = "weft.unpack_slang_node"
    bl_label = "Unpack to Nodes"
    bl_options = UNDO

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do it for this node alone."""
        from ...blender.slang_nodes.nodes import unpack_node

        found = active_slang_node(context)
        assert found is not None
        return self.attempt(context, lambda: unpack_node(found[0]))


class WEFT_OT_copy_as_slang(bpy.types.Operator):
    """Write the selected nodes as a Slang function in a new text"""

    bl_idname = "weft.copy_as_slang"
    bl_label = "Copy as Slang"
    bl_options = UNDO

    name: bpy.props.StringProperty(name="Name", description="Of the function", default="copied")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there are selected nodes of a shader tree."""
        tree = getattr(context.space_data, "edit_tree", None)
        return (
            tree is not None
            and tree.bl_idname == "ShaderNodeTree"
            and any(node.select for node in tree.nodes)
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do it."""
        from weft import Error

        from ...blender.scripting_nodes import copy_as_slang

        try:
            text = copy_as_slang(context.space_data.edit_tree, name=self.name)
        except Error as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Text '{text.name}': Add > Slang makes a node of it")
        redraw(context)
        return {"FINISHED"}


def draw_context_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Add to the context menu of nodes."""
    if WEFT_OT_copy_as_slang.poll(context):
        menu.layout.operator("weft.copy_as_slang")
