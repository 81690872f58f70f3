# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang Evaluate: the handlers that have functions evaluated."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import bpy

from ...blender.session import find_session
from ...blender.slang_nodes.tags import PROPERTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...blender.evaluation.manager import Evaluator

log = logging.getLogger("weft")

MARK = '"used": "ENGINE"'
"""In the record of such a group (blender/slang_nodes/tags.py)."""


def has_evaluations() -> bool:
    """Return whether a group of the file may be evaluated; cheap, and loads no engine."""
    return any(MARK in str(tree.get(PROPERTY, "")) for tree in bpy.data.node_groups)


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
