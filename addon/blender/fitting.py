# SPDX-License-Identifier: GPL-3.0-or-later
"""A fit of the open scene: started, shown while it runs, applied or taken back.

Only the main thread calls what is here; the engine works in the thread of core/fitting/run.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.fitting.run import FitRun, Update
from .export import SceneExporter
from .fit_scene import plan_fit
from .fit_textures import apply_texture, require_editable_places
from .fit_values import LiveValues
from .session import require_session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import bpy

    from weft.fit import FitSettings

    from ..core.fitting.outcome import Outcome
    from ..core.fitting.request import Request
    from ..core.problems import Problem
    from .fit_targets import Picture


class SceneFit:
    """One fit of the open scene.

    Args:
        context: Blender's.
        pictures: Of the scene.
        parameters: What may change.
        settings: How.
        progress: Called in the fit's thread after each draw; it must not touch bpy.

    Attributes:
        run: The work in its thread.
        problems: What of the scene the fit does not see as Cycles does.
        lost: Labels of what was deleted while the fit ran.

    Raises:
        ArgumentError: A picture, camera or parameter is missing, does not fit, or cannot be
            changed. Nothing has changed then.
        ImageError: A file cannot be read.
    """

    def __init__(
        self,
        context: bpy.types.Context,
        pictures: Sequence[Picture],
        parameters: Sequence[Request],
        settings: FitSettings,
        progress: Callable[[Update], object] | None = None,
    ) -> None:
        """Export the scene and start."""
        session = require_session()
        depsgraph = context.evaluated_depsgraph_get()
        plan, exported = plan_fit(
            depsgraph, SceneExporter(session.device), pictures, parameters, settings
        )
        self.plan = plan
        self.problems: list[Problem] = exported.problems
        self.live = LiveValues(plan)
        self.lost: list[str] = []
        self._places = require_editable_places(plan)
        self._shown: Update | None = None
        self.run = FitRun(plan, session.device, progress)
        session.add_job(self.run.job)

    @property
    def is_done(self) -> bool:
        """Whether conclude() returns at once."""
        return self.run.job.is_done

    def show(self) -> bool:
        """Write what was found by now into the scene; return whether it is new."""
        latest = self.run.latest
        if latest is None or latest is self._shown:
            return False
        self._shown = latest
        self.live.show(latest.outcome)
        self.lost = self.live.lost
        return True

    def conclude(self) -> Outcome:
        """Wait for the end and put what was found into the scene.

        Raises:
            Exception: What ended the fit; the scene is as it was at the start.
        """
        try:
            outcome = self.run.job.result()
        except Exception:
            self.live.restore()
            raise
        self.live.show(outcome)
        self.lost = list(self.live.lost)
        for (name, place), found in zip(self._places.items(), outcome.textures, strict=True):
            assert self.plan.textures[name] is found.binding
            if place.find_node() is None:
                self.lost.append(place.label)
            else:
                apply_texture(found, place)
        return outcome

    def abandon(self) -> None:
        """Put back what was there at the start; the thread ends by itself."""
        self.run.stop()
        self.live.restore()
