# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add nodes: of a source, a new text, one line, a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...blender.slang_nodes.users import NODE_TYPES
from ...core.job import Job
from ..waiting import WaitingOperator

if TYPE_CHECKING:
    import threading

    from ...core.slang_nodes.preparing import Prepared, Request

UNDO = {"REGISTER", "UNDO"}


def edited_tree(context: bpy.types.Context) -> bpy.types.NodeTree | None:
    """Return the tree that the editor shows, if Slang nodes can be in it."""
    space = context.space_data
    tree = getattr(space, "edit_tree", None)
    return tree if tree is not None and tree.bl_idname in NODE_TYPES else None


class NodeOperator:
    """Base of operators that work in a node editor."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there is a tree, and say why not."""
        tree = edited_tree(context)
        if tree is None:
            cls.poll_message_set("Open a shader, geometry or compositor tree in a node editor")  # type: ignore[attr-defined]
            return False
        return True


def cursor(context: bpy.types.Context) -> tuple[float, float]:
    """Return where the mouse is in the tree."""
    x, y = context.space_data.cursor_location
    return float(x), float(y)


class AddingOperator(NodeOperator, WaitingOperator):
    """Base of operators that compile a function and add its node."""

    def asked(self, context: bpy.types.Context) -> tuple[str, str]:
        """Return source and function; "": the one that there is."""
        raise NotImplementedError

    def start(self, context: bpy.types.Context) -> Job[Any]:
        """Compile in a thread."""
        from ...blender.slang_nodes.nodes import request_for
        from ...blender.slang_nodes.reading import key_of

        tree = edited_tree(context)
        assert tree is not None
        source, function = self.asked(context)
        form = "ENGINE" if getattr(self, "is_evaluated", False) else "AUTOMATIC"
        request = request_for(key_of(source), function, tree.bl_idname, form=form)
        return Job(lambda cancelled: found_or_prepared(request, cancelled), "weft-add-node")

    def begin(self, context: bpy.types.Context) -> None:
        """Start; remember where the node is to be."""
        self._location = cursor(context)
        super().begin(context)

    def finish(self, context: bpy.types.Context, result: Prepared | list[str] | None) -> None:
        """Add the node, or ask which function is meant."""
        if result is None:
            return
        if isinstance(result, list):
            is_evaluated = getattr(self, "is_evaluated", False)
            ask_for_function(context, self.asked(context)[0], result, is_evaluated)
            return
        from ...blender.slang_nodes.nodes import group_for, place_node, require_editable
        from ...core.steps import last_value

        tree = edited_tree(context)
        if tree is None:
            return
        require_editable(tree)
        node = place_node(tree, last_value(group_for(result)), self._location)
        for entry in tree.nodes:
            entry.select = entry == node
        tree.nodes.active = node
        if not bpy.app.background and context.window is not None:
            bpy.ops.ed.undo_push(message="Add Slang Node")


def found_or_prepared(request: Request, cancelled: threading.Event) -> Prepared | list[str] | None:
    """Prepare a function; without its name the one of the source, or return the names of all.

    Raises:
        ArgumentError: There is none.
    """
    from dataclasses import replace

    from weft import ArgumentError

    from ...core.slang_nodes.choosing import candidates
    from ...core.slang_nodes.preparing import prepare, read_source

    info = read_source(request.source)
    if cancelled.is_set():
        return None
    if not request.function:
        names = candidates(info)
        if not names:
            message = (
                f"'{request.source.title}' has no function that can be a node: give one that "
                "returns a value"
            )
            raise ArgumentError(message)
        if len(names) > 1:
            return names
        request = replace(request, function=names[0])
    found = prepare(request, info)
    return None if cancelled.is_set() else found


def ask_for_function(
    context: bpy.types.Context, source: str, names: list[str], is_evaluated: bool = False
) -> None:
    """Show a menu of a source's functions."""

    def draw(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
        from ...core.slang_nodes.naming import base_name, title_of, variant_label

        for name in names:
            label = f"{title_of(base_name(name))} {variant_label(name)}".rstrip()
            button = menu.layout.operator("weft.add_slang_node", text=label)
            button.source, button.function = source, name
            button.is_evaluated = is_evaluated

    context.window_manager.popup_menu(draw, title="Slang Node", icon="NODE")


class WEFT_OT_add_slang_node(AddingOperator, bpy.types.Operator):
    """Add the node of a Slang function"""

    bl_idname = "weft.add_slang_node"
    bl_label = "Add Slang Node"
    bl_options = UNDO

    source: bpy.props.StringProperty(
        name="Source", description="A text block, a path, or 'template:' and a name"
    )
    function: bpy.props.StringProperty(name="Function", description="Empty: the only one")
    is_evaluated: bpy.props.BoolProperty(
        name="Evaluate", description="In geometry nodes: Weft's engine evaluates the function"
    )

    def asked(self, context: bpy.types.Context) -> tuple[str, str]:
        """Return the properties."""
        return self.source, self.function


class WEFT_OT_new_slang_node(AddingOperator, bpy.types.Operator):
    """Add a node whose code is a new text, with an example to begin with"""

    bl_idname = "weft.new_slang_node"
    bl_label = "New Slang Node"
    bl_options = UNDO

    def asked(self, context: bpy.types.Context) -> tuple[str, str]:
        """Return the text."""
        return f"text:{self._text}", ""

    def begin(self, context: bpy.types.Context) -> None:
        """Make the text."""
        from ...core.slang_nodes.expressions import EXAMPLE

        self._text = new_text("rings.slang", EXAMPLE).name
        super().begin(context)


class WEFT_OT_add_slang_expression(AddingOperator, bpy.types.Operator):
    """Add a node that computes one line of Slang; the names in it are its inputs"""

    bl_idname = "weft.add_slang_expression"
    bl_label = "Slang Expression"
    bl_options = UNDO

    expression: bpy.props.StringProperty(
        name="Expression",
        description="Names are inputs, of which p.x takes a component: a * sin(b) + p.x",
        default="a * sin(b)",
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the line."""
        return set(context.window_manager.invoke_props_dialog(self, width=400))

    def asked(self, context: bpy.types.Context) -> tuple[str, str]:
        """Return the text."""
        return f"text:{self._text}", "expression"

    def begin(self, context: bpy.types.Context) -> None:
        """Make the text."""
        from ...core.slang_nodes.expressions import expression_source

        self._text = new_text("expression.slang", expression_source(self.expression)).name
        super().begin(context)

    def conclude(self, context: bpy.types.Context) -> set[str]:
        """Take the text away again if there is no node of it."""
        result = super().conclude(context)
        text = bpy.data.texts.get(self._text)
        if "FINISHED" not in result and text is not None:
            bpy.data.texts.remove(text)
        return result


class WEFT_OT_open_slang_file(AddingOperator, bpy.types.Operator):
    """Add the node of a function in a .slang file, which is followed when it changes"""

    bl_idname = "weft.open_slang_file"
    bl_label = "Slang File"
    bl_options = UNDO

    filepath: bpy.props.StringProperty(name="File", subtype="FILE_PATH")
    filter_glob: bpy.props.StringProperty(default="*.slang", options={"HIDDEN"})
    function: bpy.props.StringProperty(name="Function", description="Empty: the only one")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the file, unless one was dropped."""
        if self.filepath:
            return super().invoke(context, event)
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def asked(self, context: bpy.types.Context) -> tuple[str, str]:
        """Return the file."""
        from pathlib import Path

        from ...blender.slang_nodes.contents import kept_path

        return f"file:{kept_path(Path(bpy.path.abspath(self.filepath)))}", self.function


def new_text(name: str, content: str) -> bpy.types.Text:
    """Make a text block."""
    text = bpy.data.texts.new(name)
    text.write(content)
    text.cursor_set(0)  # editors scroll to it
    return text
