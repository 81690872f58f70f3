# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons Fit, Pause and Stop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ...blender.session import require_session
from ..waiting import STEP, redraw

if TYPE_CHECKING:
    from ...blender.fitting import SceneFit


class WEFT_OT_fit(bpy.types.Operator):
    """Find the parameters that explain the pictures. ESC puts everything back"""

    bl_idname = "weft.fit"
    bl_label = "Fit"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether something is to be fitted and no fit runs."""
        fit = context.scene.weft_fit
        if require_session().fit is not None:
            cls.poll_message_set("A fit is running")
            return False
        if not fit.targets or not fit.parameters:
            cls.poll_message_set("Add a picture and a parameter first")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Fit and wait for the end."""
        if not self.begin(context):
            return {"CANCELLED"}
        return self.conclude(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Fit while Blender goes on."""
        if not self.begin(context):
            return {"CANCELLED"}
        manager = context.window_manager
        self._timer = manager.event_timer_add(STEP, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Show what was found by now; ESC ends the fit and puts everything back."""
        running = require_session().fit
        if running is None:  # the extension was disabled, or the file closed
            return self.leave(context, {"CANCELLED"})
        if event.type == "ESC" and event.value == "PRESS":
            running.abandon()
            self.report({"INFO"}, "The fit was cancelled; everything is as before")
            return self.leave(context, {"CANCELLED"})
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if running.is_done:
            return self.leave(context, self.conclude(context))
        if running.show():
            from .gathering import show_outcome

            show_outcome(context.scene.weft_fit, running.run.latest.outcome)
            redraw(context)
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Put everything back because Blender ends the operator."""
        running = require_session().fit
        if running is not None:
            running.abandon()
        self.leave(context, set())

    def begin(self, context: bpy.types.Context) -> bool:
        """Start the fit; return whether it runs."""
        # The engine is loaded here, not when the extension is enabled.
        from ...blender.fitting import SceneFit
        from .gathering import forget_outcome, gather_parameters, gather_pictures, gather_settings

        fit = context.scene.weft_fit
        session = require_session()
        try:
            session.fit = SceneFit(
                context, gather_pictures(fit), gather_parameters(fit), gather_settings(fit)
            )
        except (ValueError, OSError, RuntimeError) as error:
            self.report({"ERROR"}, str(error))
            return False
        forget_outcome(fit)
        for problem in session.fit.problems:
            self.report({"WARNING"}, str(problem))
        return True

    def conclude(self, context: bpy.types.Context) -> set[str]:
        """Put what was found into the scene."""
        from .gathering import show_outcome

        session = require_session()
        running = session.fit
        try:
            outcome = running.conclude()
        except Exception as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            session.fit, session.last_fit = None, running
        show_outcome(context.scene.weft_fit, outcome)
        for label in running.lost:
            self.report({"WARNING"}, f"fit: '{label}' was deleted while the fit ran")
        self.report({"INFO"}, REASONS[outcome.reason])
        return {"FINISHED"}

    def leave(self, context: bpy.types.Context, status: set[str]) -> set[str]:
        """Stop looking."""
        require_session().fit = None
        context.window_manager.event_timer_remove(self._timer)
        redraw(context)
        return status


REASONS = {
    "converged": "The fit has converged",
    "draws": "The fit took all its draws",
    "time": "The fit took all its time",
    "cancelled": "The fit was stopped; what it had found is kept",
}


class RunningFitOperator:
    """Base of what acts on the running fit."""

    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether a fit runs."""
        return require_session().fit is not None


class WEFT_OT_pause_fit(RunningFitOperator, bpy.types.Operator):
    """Let the running fit wait, or go on"""

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
    session = require_session()
    if session.fit is not None:
        session.fit.run.stop()
    session.fit = session.last_fit = None


def progress_of(running: SceneFit, max_draws: int) -> tuple[float, str]:
    """Return how far a fit is, in [0, 1], and what to say of it."""
    latest = running.run.latest
    if latest is None:
        return 0.0, "Preparing..."
    words = [f"draw {latest.draws}", f"loss {latest.losses[-1]:.3g}"]
    if running.run.is_paused:
        words.append("paused")
    elif math.isfinite(latest.seconds_left):
        words.append(f"at most {latest.seconds_left:.0f} s left")
    return min(latest.draws / max(max_draws, 1), 1.0), ", ".join(words)
