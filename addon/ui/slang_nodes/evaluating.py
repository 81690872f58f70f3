# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang Evaluate: the handlers that have functions evaluated, and operators for modifiers."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import bpy

from ...blender.session import find_session
from ...core.job import Job
from ..waiting import WaitingOperator, redraw
from .adding import UNDO, found_or_prepared

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...blender.evaluation.manager import Evaluator
    from ...blender.evaluation.sites import Site
    from ...core.slang_nodes.preparing import Prepared

log = logging.getLogger("weft")

DOMAINS = (
    ("POINT", "Point", "Vertices, points of curves, points"),
    ("EDGE", "Edge", "Edges of a mesh"),
    ("FACE", "Face", "Faces of a mesh"),
    ("CORNER", "Face Corner", "Corners of faces"),
    ("CURVE", "Spline", "Whole curves"),
    ("INSTANCE", "Instance", "Instances"),
)
MARK = "weft_slang_hash"


def has_evaluations() -> bool:
    """Return whether a group of the file may be evaluated; cheap, and loads no engine."""
    return any(
        MARK in tree and tree.bl_idname == "GeometryNodeTree" for tree in bpy.data.node_groups
    )


def found_evaluator() -> Evaluator | None:
    """Return what evaluates the file's functions; ``None`` where there is nothing to do."""
    session = find_session()
    if session is None or (session.evaluator is None and not has_evaluations()):
        return None
    from ...blender.evaluation.adding import evaluator

    return evaluator()


def guarded(work: Callable[[Evaluator], None]) -> None:
    """Do something with the evaluator; what fails goes to the console: handlers never raise."""
    try:
        found = found_evaluator()
        if found is not None:
            work(found)
    except Exception:
        log.exception("Slang Evaluate failed")


@bpy.app.handlers.persistent
def updated(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """After Blender has evaluated what was edited."""
    if depsgraph is not None:
        guarded(lambda found: found.update(scene, depsgraph))


@bpy.app.handlers.persistent
def frame_begins(scene: bpy.types.Scene, _depsgraph: object = None) -> None:
    """Before a frame is evaluated: what Blender does not have to evaluate first."""
    guarded(lambda found: found.before_frame(scene))


@bpy.app.handlers.persistent
def frame_changed(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """After a frame was evaluated, which is drawn or rendered next."""
    if depsgraph is not None:
        guarded(lambda found: found.update(scene, depsgraph, found.sites(), waits=True))


@bpy.app.handlers.persistent
def opened(*_: object) -> None:
    """A file was opened: its results are those of its state."""
    session = find_session()
    if session is not None:
        session.evaluator = None

    def look(found: Evaluator) -> None:
        found.programs.note_foreign()
        found.look(adopts=not bpy.app.background)

    guarded(look)


@bpy.app.handlers.persistent
def came_back(*_: object) -> None:
    """Undo and redo: results may be those of another step."""
    guarded(lambda found: found.look(all_changed=True))


@bpy.app.handlers.persistent
def appended(*_: object) -> None:
    """Functions came from another file."""
    guarded(lambda found: found.programs.note_foreign())


def leave() -> None:
    """Drop what is known, when the extension goes."""
    session = find_session()
    if session is not None and session.evaluator is not None:
        session.evaluator.look()
        session.evaluator = None


def active_site(context: bpy.types.Context) -> Site | None:
    """Return the site of the active object's active modifier, else its first one."""
    thing = context.object
    if thing is None or not has_evaluations():
        return None
    from ...blender.evaluation.sites import sites_of

    sites = list(sites_of(thing, {}))
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
