# SPDX-License-Identifier: GPL-3.0-or-later
"""One timer that follows texts and files; it rests while Blender plays or renders."""

from __future__ import annotations

import bpy

from ...blender.session import find_session
from ...blender.slang_baked.state import find_bakery
from ...blender.slang_nodes.joining import chosen_groups, join_equal_groups, settle_asset
from ...blender.slang_nodes.moving import Moved
from ...blender.slang_nodes.updating import STEP, Updater
from ..waiting import redraw

IDLE, BUSY, EMPTY = 0.05, 0.01, 1.0
"""Seconds between two looks: as a rule, while something is built, without Slang nodes."""

MOVED = Moved()


def updater() -> Updater | None:
    """Return what follows the open file's sources; ``None``: the extension is not registered."""
    session = find_session()
    if session is None:
        return None
    if session.slang_nodes is None:
        session.slang_nodes = Updater()
    found: Updater = session.slang_nodes
    return found


def tick() -> float | None:
    """Do a little; return when to be called again."""
    found = updater()
    if found is None:
        return None
    if is_occupied():
        return IDLE
    if found.advance():
        # Blender does not know of changes that a timer makes: without a step of their own the next
        # step that a person undoes would take them along. Where there is something to redo it would
        # be lost: the text is one that undo brought back.
        if not bpy.app.background and not bpy.ops.ed.redo.poll():
            bpy.ops.ed.undo_push(message="Update Slang Nodes")
        redraw(bpy.context)
    bakery = find_bakery()
    if bakery is not None and bakery.advance(STEP):
        redraw(bpy.context)
    is_baking = bakery is not None and not bakery.is_idle
    if found.stepper is not None or found.job is not None or is_baking:
        return BUSY
    return IDLE if found.has_sources else EMPTY


def is_occupied() -> bool:
    """Return whether Blender renders or plays, in which nothing may change."""
    if bpy.app.is_job_running("RENDER") or bpy.app.is_job_running("OBJECT_BAKE"):
        return True
    manager = bpy.context.window_manager
    return manager is not None and any(
        window.screen.is_animation_playing for window in manager.windows
    )


@bpy.app.handlers.persistent
def look(*_: object) -> None:
    """Have sources compiled that changed while the file was closed."""
    found = updater()
    if found is not None:
        found.forget()
        found.check_all()


@bpy.app.handlers.persistent
def forget(*_: object) -> None:
    """Drop what is under way: other objects take the place of all that it holds."""
    found = updater()
    if found is not None:
        found.forget()


@bpy.app.handlers.persistent
def join(context: bpy.types.BlendImportContext, *_: object) -> None:
    """Let what was appended share groups with what is there."""
    # Both before groups go: Blender's list of what came would name them still.
    chosen, made = chosen_groups(context), chosen_groups(context, "MAKE_LOCAL")
    join_equal_groups(chosen)
    for tree in made:
        settle_asset(tree)


@bpy.app.handlers.persistent
def move(file: str, *_: object) -> None:
    """Before a file is saved: paths are relative to its folder."""
    MOVED.move(file)


@bpy.app.handlers.persistent
def settle(file: str, *_: object) -> None:
    """After it: a copy of the open file leaves its own paths as they were."""
    had_moved = bool(MOVED)
    MOVED.settle(file)
    if had_moved:
        look()


@bpy.app.handlers.persistent
def take_back(*_: object) -> None:
    """After it could not be saved."""
    MOVED.settle("")


def begin() -> None:
    """Start the timer."""
    bpy.app.timers.register(tick, first_interval=EMPTY, persistent=True)


def end() -> None:
    """Stop it."""
    found = updater()
    if found is not None:
        found.forget()
    if bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)
