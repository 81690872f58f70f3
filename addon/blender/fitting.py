# SPDX-License-Identifier: GPL-3.0-or-later
"""A fit of the open scene: started, shown while it runs, applied or taken back.

Only the main thread calls what is here; the engine works in the thread of core/fitting/run.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy

from ..core.fitting.run import FitRun, Update
from ..core.steps import Stepper
from .fit_scene import plan_fit
from .fit_textures import LiveTextures
from .fit_values import LiveValues
from .fit_world import LiveWorld
from .session import require_session, scene_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.fit import FitResult, FitSettings
    from weft.scene import Environment

    from ..core.fitting.plan import FitPlan
    from ..core.fitting.request import Request
    from ..core.problems import Problem
    from .export import ExportedScene
    from .fit_targets import Picture


class SceneFit:
    """One fit of the open scene.

    Args:
        context: Blender's.
        pictures: Of the scene.
        parameters: What may change.
        settings: How.
        progress: Called in the fit's thread after each draw; it must not touch bpy.
        at_once: Export the scene now; if not, prepare() does it bit by bit. The scene must not
            change meanwhile.

    Attributes:
        run: The work in its thread; ``None`` before the scene is exported.
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
        *,
        at_once: bool = True,
    ) -> None:
        """Export the scene and start."""
        self.run: FitRun | None = None
        self.problems: list[Problem] = []
        self.lost: list[str] = []
        self._progress = progress
        self._shown: Update | None = None
        self._previews = 0  # number of the last textures shown
        self._session = require_session()
        self._scene = scene_key(context.scene)
        self._place = (context.scene.session_uid, context.view_layer.name)
        self._world: LiveWorld | None = None
        self._preparation = Stepper(
            plan_fit(
                context.evaluated_depsgraph_get(),
                self._session.exporter(),
                pictures,
                parameters,
                settings,
            )
        )
        if at_once:
            self.prepare(math.inf)

    def prepare(self, seconds: float) -> bool:
        """Export the scene for so long; return whether the fit has started.

        Raises:
            ArgumentError: See the class.
            ImageError: See the class.
        """
        if self.run is None and self._preparation.advance(seconds):
            assert self._preparation.value is not None
            self._start(*self._preparation.value)
        return self.run is not None

    def _start(self, plan: FitPlan, exported: ExportedScene) -> None:
        self.plan = plan
        self.problems = exported.problems + plan.problems
        self.live = LiveValues(plan)
        self._textures = LiveTextures(plan)
        if plan.environment is not None:
            self._world = LiveWorld(*self._worlds())
        self.run = FitRun(plan, self._session.device, self._progress)
        self._session.add_job(self.run.job)

    def _worlds(self) -> tuple[bpy.types.Scene, bpy.types.World | None]:
        """Return the scene, and the world that its view layer has instead of it."""
        number, layer = self._place
        scene = next(s for s in bpy.data.scenes if s.session_uid == number)
        return scene, getattr(scene.view_layers[layer], "world_override", None)

    @property
    def is_done(self) -> bool:
        """Whether conclude() returns at once."""
        return self.run is not None and self.run.job.is_done

    def show(self) -> bool:
        """Write what was found by now into the scene; return whether it is new."""
        latest = None if self.run is None else self.run.latest
        if self.run is None or latest is None or latest is self._shown:
            return False
        self._shown = latest
        self.live.show(latest.result)
        number, found = self.run.images
        if number != self._previews:
            self._previews = number
            self._textures.preview(found.textures)
            self._show_world(found.environment, is_last=False)
        self.lost = self.live.lost
        return True

    def conclude(self) -> FitResult:
        """Wait for the end and put what was found into the scene.

        Raises:
            Exception: What ended the fit; the scene is as it was at the start.
        """
        assert self.run is not None
        try:
            result = self.run.job.result()
        except Exception:
            self._restore()
            raise
        self._session.throughputs.learn(
            self._session.settings.device,
            self._scene,
            self.plan.size(),
            self.run.draw_seconds,
        )
        self.live.show(result)
        self.lost = self.live.lost + self._textures.finish(result.textures)
        if not self._show_world(result.environment, is_last=True):
            self.lost.append("world")
        return result

    def abandon(self) -> None:
        """Put back what was there at the start; the thread ends by itself."""
        self._preparation.close()
        if self.run is not None:
            self.run.job.abandon()
            self._restore()

    def _show_world(self, found: Environment | None, *, is_last: bool) -> bool:
        """Show the environment in the world; return whether its scene is still there."""
        if self._world is None or found is None:
            return True
        return self._world.show(found.image[..., :3], is_last=is_last)

    def _restore(self) -> None:
        self.live.restore()
        self._textures.restore()
        if self._world is not None:
            self._world.restore()
