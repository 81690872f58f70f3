# SPDX-License-Identifier: GPL-3.0-or-later
"""A fit under way: it works in a thread, Blender's main thread looks at it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import weft
from weft._native import _Cancellation
from weft.fit import Fit, FitResult
from weft.fit.aliases import with_aliases
from weft.fit.fit import Progress
from weft.fit.report import start_values
from weft.render.interrupt import DrawInterrupted

from ..job import Job
from .coarse import COARSE_DRAWS, coarse_plan, started_at
from .countdown import Countdown
from .estimate import iterations_of
from .outcome import FoundEnvironment, FoundTexture, Outcome, make_outcome
from .pairs import Pair, live_pairs
from .preview import PreviewClock, running_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from .plan import FitPlan

STEP = 0.05  # seconds between two looks of a paused fit


@with_aliases({"draws": "iterations", "share": "fraction", "most_draws": "max_iterations"})
@dataclass(frozen=True)
class Update:
    """Where a fit is.

    Args:
        iterations: So far.
        seconds: Since the start, pauses left out.
        losses: One an iteration.
        outcome: What has been found by now.
        seconds_left: As far as is known; infinite at first.
        fraction: About how much is done, in [0, 1].
        max_iterations: That may be needed.
    """

    iterations: int
    seconds: float
    losses: tuple[float, ...]
    outcome: Outcome
    seconds_left: float
    fraction: float = 0.0
    max_iterations: int = 0


class FitRun:
    """One run of a fit.

    Args:
        plan: What to fit.
        device: Returns the device; called in the thread.
        progress: Called in the thread after each draw.

    Attributes:
        latest: Where it is; ``None`` before the first draw.
        textures: The last small textures and environment that were made, behind their number; they
            are made now and then, and the main thread does not look at every update.
        pairs: Each picture beside the scene as it was found, by the pictures' names, behind their
            number; they are made like the textures.
        result: At its end.
    """

    def __init__(
        self,
        plan: FitPlan,
        device: Callable[[], weft.Device],
        progress: Callable[[Update], object] | None = None,
    ) -> None:
        """Start."""
        self.plan = plan
        self.latest: Update | None = None
        self.textures: tuple[int, list[FoundTexture], FoundEnvironment | None] = (0, [], None)
        self.pairs: tuple[int, dict[str, Pair]] = (0, {})
        self.result: FitResult | None = None
        self._device = device
        self._progress = progress
        self._paused = threading.Event()
        self._began = 0.0
        self._waited = 0.0  # in pauses
        self._pauses = 0.0  # of them, since the draws on whole pictures began
        self._losses: list[float] = []
        self._start: Mapping[str, NDArray[np.float64]] = {}  # before the draws on small pictures
        self.draw_seconds: list[float] = []  # of whole pictures
        self._renderer: weft.Renderer | None = None
        self._is_judging = False
        self._coarse_draws = 0
        self._countdown = Countdown()
        self._cancellation = _Cancellation()
        self.job: Job[Outcome] = Job(self._run, "weft: fit", self._cancellation.cancel)

    @property
    def phase(self) -> str:
        """What the fit does, for people."""
        compiling = None if self._renderer is None else self._renderer.compiling
        if compiling is not None and compiling.done < compiling.total:
            return f"Compiling {compiling.done + 1} of {compiling.total}"
        if self._is_judging:
            return "Checking the result"
        if self.latest is None:
            return "Preparing the device"
        return f"Iteration {self.latest.iterations} of {self.latest.max_iterations}"

    @property
    def is_paused(self) -> bool:
        """Whether the fit waits for resume()."""
        return self._paused.is_set()

    def pause(self) -> None:
        """Wait after the draw under way."""
        self._paused.set()

    def resume(self) -> None:
        """Go on."""
        self._paused.clear()

    def stop(self) -> None:
        """End without waiting for a draw; what was found so far is the outcome."""
        self.job.cancel()

    def _run(self, cancelled: threading.Event) -> Outcome:
        """Work; leave all waits when the job is abandoned."""
        try:
            with self._cancellation:
                return self._work(cancelled)
        except KeyboardInterrupt:
            return Outcome(reason="cancelled")

    def _work(self, cancelled: threading.Event) -> Outcome:
        device = self._device()
        self._began = time.perf_counter()
        plan = self._after_coarse_draws(device, cancelled)
        settings = plan.settings
        if settings.time_limit is not None:
            left = max(settings.time_limit - self._seconds(), 1e-3)
            settings = replace(settings, time_limit=left)
        fit = Fit(plan.scene, plan.targets, plan.parameters, settings, device=device)
        self._renderer = fit.renderer
        clock, pair_clock = PreviewClock(), PreviewClock()

        drawn = time.perf_counter()

        def look(progress: Progress) -> None:
            nonlocal drawn
            self.draw_seconds.append(time.perf_counter() - drawn)
            found = running_result(fit, progress, clock)
            if pair_clock.is_due() and not fit.is_done:
                self._look_at_pairs(fit, pair_clock, cancelled)
            self._show(progress.loss, found, progress.seconds_left, progress.fraction)
            self._wait_while_paused(cancelled)
            drawn = time.perf_counter()
            self._is_judging = fit.is_done

        self.result = replace(fit.run(look, cancelled), start=self._start)
        self._look_at_pairs(fit, pair_clock, cancelled)
        return make_outcome(plan, self.result)

    def _look_at_pairs(self, fit: Fit, clock: PreviewClock, cancelled: threading.Event) -> None:
        """Draw the pictures as the fit has them, unless it is cancelled."""
        if cancelled.is_set():
            return
        began, number = time.perf_counter(), self.pairs[0] + 1
        try:
            with fit.renderer.interrupt.by(cancelled):
                self.pairs = (number, live_pairs(fit, number))
        except DrawInterrupted:
            return
        clock.took(time.perf_counter() - began)

    def _after_coarse_draws(self, device: weft.Device, cancelled: threading.Event) -> FitPlan:
        """Draw on small pictures first; return the plan that goes on from there."""
        small = coarse_plan(self.plan)
        if small is None:
            return self.plan
        settings = replace(small.settings, starts=1)
        try:
            fit = Fit(small.scene, small.targets, small.parameters, settings, device=device)
        except weft.ArgumentError:  # small pictures may not show what large ones do
            return self.plan
        self._renderer = fit.renderer
        for _ in range(COARSE_DRAWS):
            if cancelled.is_set() or fit.is_done:
                break
            try:
                with fit.renderer.interrupt.by(cancelled):
                    progress = fit.step()
            except DrawInterrupted:
                break
            found = FitResult(progress.values, progress.errors, {}, "running")
            self._show(progress.loss, found, float("inf"))
            self._wait_while_paused(cancelled)
        self._pauses = 0.0
        self._coarse_draws = len(self._losses)
        self._start = start_values(fit)
        parameters = started_at(self.plan.parameters, fit.stage.values())
        return replace(self.plan, parameters=parameters)

    def _show(self, loss: float, found: FitResult, left: float, fraction: float = 0.0) -> None:
        self._losses.append(loss)
        outcome = make_outcome(self.plan, found)
        if outcome.textures or outcome.environment is not None:
            self.textures = (self.textures[0] + 1, outcome.textures, outcome.environment)
        iterations, settings = len(self._losses), self.plan.settings
        most = iterations_of(
            settings.max_iterations, settings.texture_iterations, has_textures=self.plan.has_images
        )
        fraction = max(fraction, 0.0 if self.latest is None else self.latest.fraction)
        left = self._countdown.shown(self._seconds(), left)
        self.latest = Update(
            iterations,
            self._seconds(),
            tuple(self._losses),
            outcome,
            left,
            fraction,
            max(most + self._coarse_draws, iterations),
        )
        if self._progress is not None:
            self._progress(self.latest)

    def _seconds(self) -> float:
        return time.perf_counter() - self._began - self._waited

    def _wait_while_paused(self, cancelled: threading.Event) -> None:
        began = time.perf_counter()
        while self._paused.is_set() and not cancelled.wait(STEP):
            pass
        waited = time.perf_counter() - began
        self._pauses += waited
        self._waited += waited
