# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that do their work in a thread: Blender goes on drawing, Esc cancels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..blender.session import require_session
from ..core.slang_nodes.reports import readable

if TYPE_CHECKING:
    import bpy

    from ..core.job import Job

STEP = 0.05  # seconds between two looks at the job


class WaitingOperator:
    """Base of such operators: they say what to start and what to do with the result.

    From a button it is modal; from a script (execute) it returns when the work is done.
    """

    def start(self, context: bpy.types.Context) -> Job[Any]:
        """Start the job. Called in the main thread."""
        raise NotImplementedError

    def finish(self, context: bpy.types.Context, result: Any) -> None:  # noqa: ANN401
        """Use what the job returned. Called in the main thread."""

    def watch(self, context: bpy.types.Context) -> None:
        """Show how far the job is. Called in the main thread, twenty times a second."""

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Start and wait."""
        self.begin(context)
        self._job.wait()
        return self.conclude(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Start and look again with every tick of a timer."""
        self.begin(context)
        manager = context.window_manager
        self._timer = manager.event_timer_add(STEP, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Let every event pass but Esc."""
        if event.type == "ESC":
            self._job.cancel()
            return {"RUNNING_MODAL"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if not self._job.is_done:
            self.watch(context)
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self._timer)
        return self.conclude(context)

    def cancel(self, context: bpy.types.Context) -> None:
        """End the job because Blender ends the operator."""
        self._job.cancel()

    def begin(self, context: bpy.types.Context) -> None:
        """Start the job and have it ended with the session."""
        self._job = self.start(context)
        require_session().add_job(self._job)

    def conclude(self, context: bpy.types.Context) -> set[str]:
        """Use the result; what failed is reported."""
        try:
            self.finish(context, self._job.result())
        except Exception as error:
            self.report({"ERROR"}, readable(str(error)))  # type: ignore[attr-defined]
            return {"CANCELLED"}
        finally:
            redraw(context)
        return {"CANCELLED"} if self._job.cancelled.is_set() else {"FINISHED"}


def redraw(context: bpy.types.Context) -> None:
    """Have every area of every window drawn again."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            area.tag_redraw()
