# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang Evaluate: operators on modifiers, and their panel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ...core.job import Job
from ...core.slang_nodes.reports import readable
from ..text import draw_text
from ..waiting import WaitingOperator, redraw
from .adding import UNDO, found_or_prepared
from .evaluating import found_evaluator, guarded, has_evaluations
from .operators import active_slang_node

if TYPE_CHECKING:
    from ...blender.evaluation.manager import Evaluator
    from ...blender.evaluation.sites import Site
    from ...blender.slang_nodes.tags import Tag
    from ...core.slang_nodes.preparing import Prepared

DOMAINS = (
    ("POINT", "Point", "Vertices, points of curves, points"),
    ("EDGE", "Edge", "Edges of a mesh"),
    ("FACE", "Face", "Faces of a mesh"),
    ("CORNER", "Face Corner", "Corners of faces"),
    ("CURVE", "Spline", "Whole curves"),
    ("INSTANCE", "Instance", "Instances"),
)


def active_site(context: bpy.types.Context) -> Site | None:
    """Return the site of the active object's active modifier, else its first one."""
    thing = context.object
    if thing is None or not has_evaluations():
        return None
    from ...blender.evaluation.sites import sites_of

    sites = [site for site in sites_of(thing, {}) if not site.node]
    active = thing.modifiers.active
    named = [site for site in sites if active is not None and site.modifier == active.name]
    return next(iter(named or sites), None)


class WEFT_OT_add_evaluation(WaitingOperator, bpy.types.Operator):
    """Add a modifier that evaluates a Slang function on the geometry of the active object"""

    bl_idname = "weft.add_evaluation"
    bl_label = "Slang Evaluate"
    bl_options = UNDO

    source: bpy.props.StringProperty(
        name="Source", description="A text block, a path, or 'template:' and a name"
    )
    function: bpy.props.StringProperty(name="Function", description="Empty: the only one")
    domain: bpy.props.EnumProperty(name="Domain", items=DOMAINS)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there is an object."""
        if context.object is None:
            cls.poll_message_set("Select an object with geometry")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Ask for the source, unless the button says it."""
        if self.source:
            return super().invoke(context, event)
        return set(context.window_manager.invoke_props_dialog(self, width=400))

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the question."""
        self.layout.prop_search(self, "source", bpy.data, "texts", text="Text", icon="TEXT")
        self.layout.prop(self, "function")
        self.layout.prop(self, "domain")

    def start(self, context: bpy.types.Context) -> Job[Any]:
        """Compile in a thread."""
        from ...blender.evaluation.adding import evaluation_request, require_takes
        from ...blender.slang_nodes.reading import key_of

        self._thing = require_takes(context.object).name
        request = evaluation_request(key_of(self.source), self.function, self.domain)
        return Job(lambda cancelled: found_or_prepared(request, cancelled), "weft-add-evaluation")

    def finish(self, context: bpy.types.Context, result: Prepared | list[str] | None) -> None:
        """Add the modifier."""
        from weft import ArgumentError

        from ...blender.evaluation.adding import add_evaluation

        if result is None:
            return
        if isinstance(result, list):
            message = f"'{self.source}' has several functions: name one of {', '.join(result)}"
            raise ArgumentError(message)
        add_evaluation(bpy.data.objects[self._thing], result)
        if not bpy.app.background and context.window is not None:
            bpy.ops.ed.undo_push(message="Slang Evaluate")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Add it and wait."""
        from weft import Error

        try:
            return super().execute(context)
        except Error as error:  # before there is a thread
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}


class WEFT_OT_remove_evaluation(bpy.types.Operator):
    """Remove this modifier, its attributes and its carrier"""

    bl_idname = "weft.remove_evaluation"
    bl_label = "Remove Slang Evaluate"
    bl_options = UNDO

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there is one."""
        return active_site(context) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Remove it."""
        from weft import Error

        from ...blender.evaluation.adding import remove_evaluation

        site = active_site(context)
        assert site is not None
        try:
            remove_evaluation(site)
        except Error as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class WEFT_OT_change_evaluation_domain(bpy.types.Operator):
    """Evaluate the function on other elements"""

    bl_idname = "weft.change_evaluation_domain"
    bl_label = "Domain"
    bl_options = UNDO

    domain: bpy.props.EnumProperty(name="Domain", items=DOMAINS)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there is a modifier, or in a node editor a node."""
        return active_slang_node(context) is not None or active_site(context) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Make the group anew."""
        from weft import Error

        from ...blender.evaluation.adding import change_domain
        from ...blender.slang_nodes.nodes import change_node
        from ...core.steps import last_value

        node, site = active_slang_node(context), active_site(context)
        try:
            if node is not None:
                last_value(change_node(node[0], domain=self.domain))
            elif site is not None:
                change_domain(site, self.domain)
        except Error as error:
            self.report({"ERROR"}, readable(str(error)))
            return {"CANCELLED"}
        return {"FINISHED"}


class WEFT_OT_allow_evaluations(bpy.types.Operator):
    """Let the Slang functions that came with this file run; read them before"""

    bl_idname = "weft.allow_evaluations"
    bl_label = "Allow"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Allow them, and evaluate them."""

        def allow(found: Evaluator) -> None:
            found.programs.allow()
            found.update(
                context.scene, context.evaluated_depsgraph_get(), found.sites(), waits=False
            )

        guarded(allow)
        redraw(context)
        return {"FINISHED"}


class WEFT_PT_evaluation(bpy.types.Panel):
    """The function of the active Slang Evaluate modifier"""

    bl_label = "Slang Evaluate"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "modifier"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there is one."""
        return active_site(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draw what is evaluated, where, and what is wrong."""
        from ...blender.slang_nodes.tags import read_tag

        site = active_site(context)
        tag = None if site is None else read_tag(site.tree)
        found = found_evaluator()
        if site is None or tag is None or found is None:
            return
        layout = self.layout
        layout.label(text=f"{site.modifier}: {tag.function} ({tag.source.name})", icon="TEXT")
        if tag.error:
            draw_text(layout.box(), readable(tag.error), icon="ERROR")
        draw_evaluation(layout, tag, [site], found)
        layout.operator("weft.remove_evaluation", icon="X")


def draw_evaluation(
    layout: bpy.types.UILayout, tag: Tag, sites: list[Site], found: Evaluator
) -> None:
    """Draw on which elements a function is evaluated, and what is wrong."""
    label = next(text for name, text, _ in DOMAINS if name == tag.domain)
    layout.operator_menu_enum("weft.change_evaluation_domain", "domain", text=f"Domain: {label}")
    for site in sites:
        if found.is_pending(site):
            layout.label(text="Evaluating...", icon="SORTTIME")
        sentence = found.reports.about(site.label)
        if sentence:
            draw_text(layout.box(), readable(sentence), icon="ERROR")
    if tag.content in found.programs.foreign:
        layout.operator("weft.allow_evaluations", icon="CHECKMARK")


def draw_evaluated_node(layout: bpy.types.UILayout, node: bpy.types.Node, tag: Tag) -> None:
    """Draw the same of a node in a tree."""
    found = found_evaluator()
    if tag.used != "ENGINE" or found is None:
        return
    sites = [site for site in found.sites() if site.node == node.name]
    sites = [site for site in sites if site.stacked().node_group == node.id_data]
    draw_evaluation(layout, tag, sites, found)


def draw_modifier_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Add the modifier to the menu that adds modifiers."""
    menu.layout.operator_context = "INVOKE_DEFAULT"
    menu.layout.operator("weft.add_evaluation", icon="NODE")
