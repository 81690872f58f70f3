# SPDX-License-Identifier: GPL-3.0-or-later
"""A fit under way: it works in a thread, Blender's main thread looks at it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import weft
from weft.fit import Fit, FitResult, FitSettings
from weft.fit.fit import Progress

from ..job import Job
from .outcome import Outcome, make_outcome

if TYPE_CHECKING:
    from .plan import FitPlan

STEP = 0.05  # seconds between two looks of a paused fit


@dataclass(frozen=True)
class Update:
    """Where a fit is.

    Args:
        draws: So far.
        seconds: Since the first draw, pauses left out.
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
        self._pauses = 0.0
        self._losses: list[float] = []
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
        """End after the draw under way; what was found so far is the outcome."""
        self.job.cancel()

    def _work(self, cancelled: threading.Event) -> Outcome:
        plan = self.plan
        fit = Fit(plan.scene, plan.targets, plan.parameters, plan.settings, device=self._device())

        def look(progress: Progress) -> None:
            self._losses.append(progress.loss)
            self.latest = self._update(fit, progress)
            if self._progress is not None:
                self._progress(self.latest)
            self._wait_while_paused(cancelled)

        self.result = fit.run(look, cancelled)
        return make_outcome(plan, self.result)

    def _update(self, fit: Fit, progress: Progress) -> Update:
        seconds = progress.seconds - self._pauses
        found = FitResult(progress.values, progress.errors, {}, "running")
        return Update(
            progress.draws,
            seconds,
            tuple(self._losses),
            make_outcome(self.plan, found),
            seconds_left(progress.draws, seconds, fit.settings, bool(self.plan.textures)),
        )

    def _wait_while_paused(self, cancelled: threading.Event) -> None:
        began = time.perf_counter()
        while self._paused.is_set() and not cancelled.wait(STEP):
            pass
        self._pauses += time.perf_counter() - began


def seconds_left(draws: int, seconds: float, settings: FitSettings, has_textures: bool) -> float:
    """Return how long a fit may go on: fits of numbers end earlier where they converge.

    Args:
        draws: Done so far.
        seconds: That they took.
        settings: Of the fit.
        has_textures: Textures are fitted; they take all of their draws.
    """
    if draws < 2:
        return float("inf")
    wanted = max(settings.texture_draws, settings.max_draws) if has_textures else settings.max_draws
    left = max(wanted - draws, 0) * seconds / draws
    return left if settings.time_limit is None else min(left, settings.time_limit - seconds)
