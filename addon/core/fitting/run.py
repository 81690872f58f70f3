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
from weft.fit import Fit, FitResult, Progress
from weft.fit.aliases import with_aliases
from weft.fit.coarse import COARSE_ITERATIONS, coarse_targets, started_at
from weft.fit.pairs import Pair, live_pairs
from weft.fit.preview import running_result
from weft.fit.report import start_values
from weft.render.interrupt import Interrupted

from ..countdown import Countdown
from ..job import Job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.fit.given import AnyParameter

    from .plan import FitPlan

PAUSE_INTERVAL = 0.05  # seconds between two looks of a paused fit
PREVIEW_INTERVAL = 1.0  # seconds between two previews, at least
PREVIEW_FRACTION = 0.05  # of the time, that making them may take
RENAMED = {
    "draws": "iterations",
    "share": "fraction",
    "most_draws": "max_iterations",
    "outcome": "result",
}


@dataclass
class PreviewClock:
    """When the next preview is due."""

    due: float = 0.0

    def is_due(self) -> bool:
        """Return whether it is time."""
        return time.perf_counter() >= self.due

    def took(self, seconds: float) -> None:
        """Note how long the last one took."""
        self.due = time.perf_counter() + max(PREVIEW_INTERVAL, seconds / PREVIEW_FRACTION)


@with_aliases(RENAMED)
@dataclass(frozen=True)
class Update:
    """Where a fit is.

    Args:
        iterations: So far.
        seconds: Since the start, pauses left out.
        losses: One an iteration.
        result: What has been found by now: scalars, and now and then small images.
        seconds_left: As far as is known; infinite at first.
        fraction: About how much is done, in [0, 1].
        max_iterations: That may be needed.
    """

    iterations: int
    seconds: float
    losses: tuple[float, ...]
    result: FitResult
    seconds_left: float
    fraction: float = 0.0
    max_iterations: int = 0


NOTHING = FitResult({}, {}, {}, "running")


class FitRun:
    """One run of a fit.

    Args:
        plan: What to fit.
        device: Returns the device; called in the thread.
        progress: Called in the thread after each draw.

    Attributes:
        latest: Where it is; ``None`` before the first draw.
        images: The last result with small textures or an environment, behind its number; they are
            made now and then, and the main thread does not look at every update.
        pairs: Each picture beside the scene as it was found, by the pictures' names, behind their
            number; they are made like the textures.
        result: At its end.
        memory: Bytes of the device that the fit takes at most; ``None`` before it has its scene
            there.
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
        self.images: tuple[int, FitResult] = (0, NOTHING)
        self.pairs: tuple[int, dict[str, Pair]] = (0, {})
        self.result: FitResult | None = None
        self.memory: int | None = None
        self._device = device
        self._progress = progress
        self._paused = threading.Event()
        self._began = 0.0
        self._waited = 0.0  # in pauses
        self._losses: list[float] = []
        self._start: Mapping[str, NDArray[np.float64]] = {}  # before the draws on small pictures
        self.draw_seconds: list[float] = []  # of whole pictures
        self._renderer: weft.Renderer | None = None
        self._is_judging = False
        self._coarse_iterations = 0
        self._countdown = Countdown()
        self._cancellation = _Cancellation()
        self.job: Job[FitResult] = Job(self._run, "weft: fit", self._cancellation.cancel)

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
        """End without waiting for a draw; what was found so far is the result."""
        self.job.cancel()

    def _run(self, cancelled: threading.Event) -> FitResult:
        """Work; leave all waits when the job is abandoned."""
        try:
            with self._cancellation:
                return self._work(cancelled)
        except KeyboardInterrupt:
            return FitResult({}, {}, {}, "cancelled")

    def _work(self, cancelled: threading.Event) -> FitResult:
        device, plan = self._device(), self.plan
        self._began = time.perf_counter()
        parameters = self._after_coarse_iterations(device, cancelled)
        settings = plan.settings
        if settings.time_limit is not None:
            left = max(settings.time_limit - self._seconds(), 1e-3)
            settings = replace(settings, time_limit=left)
        fit = Fit(
            plan.scene, plan.targets, parameters, settings, device=device, renderer=self._renderer
        )
        self._renderer, self.memory = fit.renderer, fit.memory()
        clock, pair_clock = PreviewClock(), PreviewClock()
        stepped = time.perf_counter()

        def look(progress: Progress) -> None:
            nonlocal stepped
            self.draw_seconds.append(time.perf_counter() - stepped)
            found = self._found(fit, progress, clock)
            if pair_clock.is_due() and not fit.is_done:
                self._look_at_pairs(fit, pair_clock, cancelled)
            self._show(progress.loss, found, progress.seconds_left, progress.fraction)
            self._wait_while_paused(cancelled)
            stepped = time.perf_counter()
            self._is_judging = fit.is_done

        self.result = replace(fit.run(look, cancelled), start=self._start)
        self._look_at_pairs(fit, pair_clock, cancelled)
        return self.result

    @staticmethod
    def _found(fit: Fit, progress: Progress, clock: PreviewClock) -> FitResult:
        """Return what was found by now, with images where they are due."""
        is_due, began = clock.is_due(), time.perf_counter()
        found = running_result(fit, progress, with_images=is_due)
        if is_due:
            clock.took(time.perf_counter() - began)
        return found

    def _look_at_pairs(self, fit: Fit, clock: PreviewClock, cancelled: threading.Event) -> None:
        """Draw the pictures as the fit has them, unless it is cancelled."""
        if cancelled.is_set():
            return
        began, number = time.perf_counter(), self.pairs[0] + 1
        try:
            with fit.renderer.interrupt.cancelled_by(cancelled):
                self.pairs = (number, live_pairs(fit, number))
        except Interrupted:
            return
        clock.took(time.perf_counter() - began)

    def _after_coarse_iterations(
        self, device: weft.Device, cancelled: threading.Event
    ) -> Sequence[AnyParameter]:
        """Step on small pictures first; return parameters that begin where that has led."""
        plan = self.plan
        small = coarse_targets(plan.scene, plan.targets, plan.parameters)
        if small is None:
            return plan.parameters
        settings = replace(plan.settings, starts=1)
        try:
            fit = Fit(plan.scene, small, plan.parameters, settings, device=device)
        except weft.ArgumentError:  # small pictures may not show what large ones do
            return plan.parameters
        self._renderer = fit.renderer
        for _ in range(COARSE_ITERATIONS):
            if cancelled.is_set() or fit.is_done:
                break
            try:
                with fit.renderer.interrupt.cancelled_by(cancelled):
                    progress = fit.step()
            except Interrupted:
                break
            found = running_result(fit, progress, with_images=False)
            self._show(progress.loss, found, float("inf"))
            self._wait_while_paused(cancelled)
        self._coarse_iterations = len(self._losses)
        self._start = start_values(fit)
        return started_at(plan.parameters, fit.stage.values())

    def _show(self, loss: float, found: FitResult, left: float, fraction: float = 0.0) -> None:
        self._losses.append(loss)
        if found.textures or found.environment is not None:
            self.images = (self.images[0] + 1, found)
        iterations = len(self._losses)
        fraction = max(fraction, 0.0 if self.latest is None else self.latest.fraction)
        left = self._countdown.shown(self._seconds(), left)
        self.latest = Update(
            iterations,
            self._seconds(),
            tuple(self._losses),
            found,
            left,
            fraction,
            max(self.plan.max_iterations + self._coarse_iterations, iterations),
        )
        if self._progress is not None:
            self._progress(self.latest)

    def _seconds(self) -> float:
        return time.perf_counter() - self._began - self._waited

    def _wait_while_paused(self, cancelled: threading.Event) -> None:
        began = time.perf_counter()
        while self._paused.is_set() and not cancelled.wait(PAUSE_INTERVAL):
            pass
        waited = time.perf_counter() - began
        self._waited += waited
