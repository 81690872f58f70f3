# SPDX-License-Identifier: GPL-3.0-or-later
"""A fit under way: it works in a thread, Blender's main thread looks at it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import weft
from weft.fit import Fit, FitResult
from weft.fit.fit import Progress
from weft.fit.report import start_values

from ..job import Job
from .coarse import COARSE_DRAWS, coarse_plan, started_at
from .outcome import Outcome, make_outcome
from .preview import PreviewClock, preview_textures

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from .plan import FitPlan

STEP = 0.05  # seconds between two looks of a paused fit


@dataclass(frozen=True)
class Update:
    """Where a fit is.

    Args:
        draws: So far.
        seconds: Since the start, pauses left out.
        losses: One a draw.
        outcome: What has been found by now.
        seconds_left: At most, as far as is known; infinite at first.
    """

    draws: int
    seconds: float
    losses: tuple[float, ...]
    outcome: Outcome
    seconds_left: float


class FitRun:
    """One run of a fit.

    Args:
        plan: What to fit.
        device: Returns the device; called in the thread.
        progress: Called in the thread after each draw.
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
        self.job: Job[Outcome] = Job(self._work, "weft: fit")

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

    def _work(self, cancelled: threading.Event) -> Outcome:
        device = self._device()
        self._began = time.perf_counter()
        plan = self._after_coarse_draws(device, cancelled)
        settings = plan.settings
        if settings.time_limit is not None:
            left = max(settings.time_limit - self._seconds(), 1e-3)
            settings = replace(settings, time_limit=left)
        fit = Fit(plan.scene, plan.targets, plan.parameters, settings, device=device)
        clock = PreviewClock()

        drawn = time.perf_counter()

        def look(progress: Progress) -> None:
            nonlocal drawn
            self.draw_seconds.append(time.perf_counter() - drawn)
            textures = preview_textures(fit, clock) if plan.textures else {}
            found = FitResult(progress.values, progress.errors, textures, "running")
            spent = progress.seconds - self._pauses
            left = seconds_left(progress.draws, spent, progress.share, settings.time_limit)
            self._show(progress.loss, found, left)
            self._wait_while_paused(cancelled)
            drawn = time.perf_counter()

        self.result = replace(fit.run(look, cancelled), start=self._start)
        return make_outcome(plan, self.result)

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
        for _ in range(COARSE_DRAWS):
            if cancelled.is_set() or fit.is_done:
                break
            progress = fit.step()
            found = FitResult(progress.values, progress.errors, {}, "running")
            self._show(progress.loss, found, float("inf"))
            self._wait_while_paused(cancelled)
        self._pauses = 0.0
        self._start = start_values(fit)
        parameters = started_at(self.plan.parameters, fit.stage.values())
        return replace(self.plan, parameters=parameters)

    def _show(self, loss: float, found: FitResult, left: float) -> None:
        self._losses.append(loss)
        outcome = make_outcome(self.plan, found)
        self.latest = Update(len(self._losses), self._seconds(), tuple(self._losses), outcome, left)
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


def seconds_left(draws: int, seconds: float, share: float, time_limit: float | None) -> float:
    """Return how long a fit may go on: fits of numbers end earlier where they converge.

    Args:
        draws: Done so far.
        seconds: That they took.
        share: Of the fit, that they are.
        time_limit: Of the fit, seconds; ``None``: none.
    """
    if draws < 2 or share <= 0:
        return float("inf")
    left = seconds * (1 - share) / share
    return left if time_limit is None else min(left, time_limit - seconds)
