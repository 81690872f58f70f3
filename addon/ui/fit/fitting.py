# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons Fit, Pause and Stop."""

from __future__ import annotations

import importlib
import math
from typing import TYPE_CHECKING

import bpy

from ...blender.session import require_session
from ...core.fitting.estimate import describe_seconds
from ...core.job import Job
from ...core.pacer import Pacer
from ..waiting import redraw
from .expecting import keep_bound
from .pairs import key_of
from .problems import keep_problems

if TYPE_CHECKING:
    from ...blender.fitting import SceneFit
    from ...blender.session import Session

TICK = 0.02  # seconds between two looks at the fit
BIT = 0.02  # seconds of preparation in one go
FAILURES = (ValueError, OSError, RuntimeError, ImportError)


class WEFT_OT_fit(bpy.types.Operator):
    """Find the parameters that explain the pictures. Esc cancels and restores"""

    bl_idname = "weft.fit"
    bl_label = "Fit"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether something is to be fitted and no fit runs."""
        fit = context.scene.weft_fit
        if require_session().is_fitting:
            cls.poll_message_set("A fit is running")
            return False
        if not fit.targets or not fit.parameters:
            cls.poll_message_set("Add a picture and a parameter first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Fit and wait for the end."""
        if not self.begin(context, at_once=True):
            return {"CANCELLED"}
        self.show_problems(context)
        return self.conclude(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Fit while Blender goes on."""
        session = require_session()
        self.pacer = Pacer()
        session.loading = Job(lambda cancelled: load_engine(session), "weft: load engine")
        session.add_job(session.loading)
        manager = context.window_manager
        self._timer = manager.event_timer_add(TICK, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Show what was found by now; Esc cancels and restores."""
        session = require_session()
        if not session.is_fitting:  # the extension was disabled, or the file closed
            return self.leave(context, {"CANCELLED"})
        if event.type == "ESC" and event.value == "PRESS":
            if session.fit is not None:
                session.fit.abandon()
                # They show what is taken back.
                session.pairs.forget(map(key_of, context.scene.weft_fit.targets))
            self.report({"INFO"}, "The fit was cancelled; the scene is restored")
            return self.leave(context, {"CANCELLED"})
        is_exporting = session.fit is not None and session.fit.run is None
        if event.type != "TIMER":
            # The scene must not change while it is exported.
            return {"RUNNING_MODAL"} if is_exporting else {"PASS_THROUGH"}
        if session.fit is None or is_exporting:
            return self.prepare(context)
        return self.go_on(context)

    def prepare(self, context: bpy.types.Context) -> set[str]:
        """Do a bit of what comes before the fit."""
        session = require_session()
        if session.fit is None:
            if session.loading.is_done and not self.begin(context, at_once=False):
                return self.leave(context, {"CANCELLED"})
            return {"RUNNING_MODAL"}
        try:
            has_started = session.fit.prepare(BIT)
        except FAILURES as error:
            self.report({"ERROR"}, str(error))
            return self.leave(context, {"CANCELLED"})
        if has_started:
            self.show_problems(context)
            redraw(context)
        return {"RUNNING_MODAL"}

    def go_on(self, context: bpy.types.Context) -> set[str]:
        """Show what is new, or conclude."""
        running = require_session().fit
        if running.is_done:
            return self.leave(context, self.conclude(context))
        if self.pacer.is_due() and running.show():
            from .gathering import show_result

            show_result(context.scene.weft_fit, running.plan, running.run.latest.result)
            require_session().pairs.keep_live(context.scene.weft_fit, running.run)
            redraw(context)
            self.pacer.has_shown()
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Put everything back because Blender ends the operator."""
        running = require_session().fit
        if running is not None:
            running.abandon()
        self.leave(context, set())

    def begin(self, context: bpy.types.Context, *, at_once: bool = True) -> bool:
        """Start the fit, or its preparation; return whether that went well."""
        # The engine is loaded here, not when the extension is enabled.
        from ...blender.fitting import SceneFit
        from .gathering import forget_result, gather_parameters, gather_pictures, gather_settings

        fit = context.scene.weft_fit
        session = require_session()
        try:
            if session.loading is not None:
                session.loading.result()
            session.fit = SceneFit(
                context,
                gather_pictures(fit),
                gather_parameters(fit),
                gather_settings(fit),
                at_once=at_once,
            )
        except FAILURES as error:
            self.report({"ERROR"}, str(error))
            return False
        forget_result(fit)
        return True

    def show_problems(self, context: bpy.types.Context) -> None:
        """Say what of the scene the fit does not see; the panel goes on showing it."""
        problems = require_session().fit.problems
        keep_problems(context.scene, problems)
        for problem in problems:
            self.report({"WARNING"}, str(problem))

    def conclude(self, context: bpy.types.Context) -> set[str]:
        """Put what was found into the scene."""
        from .gathering import show_result

        session = require_session()
        running = session.fit
        try:
            result = running.conclude()
        except Exception as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            session.fit, session.last_fit = None, running
        show_result(context.scene.weft_fit, running.plan, result)
        keep_bound(context.scene.weft_fit, running.run.memory)
        session.pairs.keep_live(context.scene.weft_fit, running.run)
        for label in running.lost:
            self.report({"WARNING"}, f"fit: '{label}' was deleted while the fit ran")
        self.report({"INFO"}, REASONS[result.reason])
        if result.verdict.level in ("doubtful", "wrong"):
            self.report({"WARNING"}, f"fit: {result.verdict.sentence}")
        return {"FINISHED"}

    def leave(self, context: bpy.types.Context, status: set[str]) -> set[str]:
        """Stop looking."""
        session = require_session()
        session.fit = session.loading = None
        context.window_manager.event_timer_remove(self._timer)
        redraw(context)
        return status


REASONS = {
    "converged": "The fit has converged",
    "iterations": "The fit took all its iterations",
    "time": "The fit took all its time",
    "cancelled": "The fit was stopped; what it had found is kept",
}


class RunningFitOperator:
    """Base of what acts on the running fit."""

    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether a fit runs."""
        running = require_session().fit
        return running is not None and running.run is not None


class WEFT_OT_pause_fit(RunningFitOperator, bpy.types.Operator):
    """Pause the running fit, or resume it"""

    bl_idname = "weft.pause_fit"
    bl_label = "Pause"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do it."""
        run = require_session().fit.run
        if run.is_paused:
            run.resume()
        else:
            run.pause()
        return {"FINISHED"}


class WEFT_OT_stop_fit(RunningFitOperator, bpy.types.Operator):
    """End the running fit and keep what it has found"""

    bl_idname = "weft.stop_fit"
    bl_label = "Stop"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Ask it to end."""
        run = require_session().fit.run
        run.resume()
        run.stop()
        return {"FINISHED"}


@bpy.app.handlers.persistent
def end_fit(*_arguments: object) -> None:
    """End the fit of a file that is closed; nothing of it is left to put back."""
    require_session().forget_file()


def load_engine(session: Session) -> None:
    """Import what a fit needs, and make the device, so that Blender's thread need not wait."""
    for name in ("...blender.fitting", ".gathering"):
        importlib.import_module(name, __package__)
    session.device()


def progress_of(running: SceneFit | None) -> tuple[float, str]:
    """Return how far a fit is, in [0, 1], and what to say of it."""
    if running is None:
        return 0.0, "Loading the engine"
    if running.run is None:
        return 0.0, "Exporting the scene"
    latest, words = running.run.latest, [running.run.phase]
    if running.run.is_paused:
        words.append("paused")
    elif latest is not None and math.isfinite(latest.seconds_left):
        words.append(f"about {describe_seconds(latest.seconds_left)} left")
    return (0.0 if latest is None else min(latest.fraction, 1.0)), ", ".join(words)
