# SPDX-License-Identifier: Apache-2.0
"""The phases of a fit, one after the other, and the one place that knows how far it is.

A phase moves one set of unknowns with one solver. The list of them tells which one is under way,
the fraction that is done, the time left, and what a checkpoint needs.
"""

from __future__ import annotations

import time
import weakref
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from weft.fit.checkpoint import part_of, prefixed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.render.interrupt import Interrupt

Stage = TypeVar("Stage")

COST_RATIO = 1.5  # seconds of an iteration of textures over one of scalars, before any was timed
LARGEST_OPEN_FRACTION = 0.99  # of the work: what is shown at most before the end


def owner(stage: Stage) -> Stage:
    """Return a reference to the stage that owns a phase, which does not keep it.

    A circle would keep what a fit has on the device until Python looks for circles.
    """
    return cast("Stage", weakref.proxy(stage))


class Phase(ABC):
    """One phase of a fit: begin(), step() until `is_done`, end().

    Args:
        name: What people read: ``"scalars"``, ``"textures"``, ``"polish"``.
        kind: ``"scalars"`` or ``"textures"``: iterations of one kind take about as long.

    Attributes:
        seconds: Of each iteration so far.
    """

    def __init__(self, name: str, kind: str) -> None:
        """Begin with no iteration."""
        self.name, self.kind = name, kind
        self.seconds: list[float] = []

    @property
    def iterations(self) -> int:
        """Iterations that the phase has made."""
        return len(self.seconds)

    @property
    def is_needed(self) -> bool:
        """Whether the phase has anything to do, as far as is known before it begins."""
        return True

    @property
    @abstractmethod
    def is_done(self) -> bool:
        """Whether the phase needs no further iteration; asked after begin() only."""

    @property
    @abstractmethod
    def remaining(self) -> float:
        """Iterations that the phase is expected to need from here on; at least 0."""

    @property
    def progress(self) -> float:
        """Fraction of the phase's own iterations that is done, in [0, 1]."""
        whole = self.iterations + self.remaining
        return self.iterations / whole if whole > 0 else 1.0

    def begin(self) -> None:  # noqa: B027  (most need nothing)
        """Prepare the first iteration: pixel selection, weights, solver."""

    @abstractmethod
    def step(self) -> None:
        """Sample new paths and take one optimisation step."""

    def end(self) -> None:  # noqa: B027  (most need nothing)
        """Hand on what was found."""

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all of its own that later iterations depend on."""
        return {}

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:  # noqa: B027  (most need nothing)
        """Go back to where state() was called."""


class PhaseList:
    """The phases of a fit in their order.

    Args:
        phases: At least one. The last of those that are needed ends the fit.
        interrupt: Of the renderer: no transition from one phase to the next is given up.
    """

    def __init__(self, phases: Sequence[Phase], interrupt: Interrupt) -> None:
        """Stand before the first phase."""
        self.phases = list(phases)
        self._interrupt = interrupt
        self._index = 0

    @property
    def current(self) -> Phase:
        """The phase under way."""
        return self.phases[self._index]

    @property
    def is_done(self) -> bool:
        """Whether the phase under way is done, and no further one is needed."""
        return self.current.is_done and self._next() is None

    def begin(self) -> None:
        """Begin the first phase; go on to one that has something to do."""
        self.current.begin()
        self._advance()

    def step(self) -> None:
        """Make one iteration of the phase under way, and go on to the next phase at its end.

        Raises:
            Interrupted: The iteration was given up, and has left no trace.
        """
        began = time.perf_counter()
        self.current.step()
        self.current.seconds.append(time.perf_counter() - began)
        # The iteration has moved the unknowns: what belongs to it must come to its end.
        with self._interrupt.cancelled_by(None):
            self._advance()

    def _next(self) -> int | None:
        """Return the number of the next phase that is needed; ``None``: there is none."""
        later = range(self._index + 1, len(self.phases))
        return next((number for number in later if self.phases[number].is_needed), None)

    def _advance(self) -> None:
        """Leave the phases that are done."""
        while self.current.is_done:
            self.current.end()
            following = self._next()
            if following is None:
                return
            self._index = following
            self.current.begin()

    def _cost(self, kind: str) -> float | None:
        """Return the median seconds of iterations of a kind; ``None``: none was made.

        The first iteration compiles kernels: it counts where there is no other.
        """
        timed = [entry for phase in self.phases if phase.kind == kind for entry in phase.seconds]
        return float(np.median(timed[1:] or timed)) if timed else None

    def _work(self) -> tuple[float, float]:
        """Return the seconds of the iterations so far, without compilation, and of those left."""
        scalars, textures = self._cost("scalars"), self._cost("textures")
        if scalars is None:
            scalars = 1.0 if textures is None else textures / COST_RATIO
        cost = {"scalars": scalars, "textures": textures or scalars * COST_RATIO}
        done, left = 0.0, 0.0
        for number, phase in enumerate(self.phases):
            done += cost[phase.kind] * phase.iterations
            is_ahead = number > self._index and phase.is_needed
            if number == self._index or is_ahead:
                left += cost[phase.kind] * phase.remaining
        return done, left

    @property
    def progress(self) -> float:
        """Fraction of the expected work that is done, in [0, 1]; 1 only at the end.

        It foresees convergence from the standard errors, and may fall where that was too early.
        """
        if self.is_done:
            return 1.0
        done, left = self._work()
        return min(done / max(done + left, 1e-30), LARGEST_OPEN_FRACTION)

    @property
    def seconds_left(self) -> float:
        """Expected seconds of the iterations left; infinite before two were timed."""
        if self.is_done:
            return 0.0
        timed = sum(phase.iterations for phase in self.phases)
        return self._work()[1] if timed >= 2 else float("inf")

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later iterations depend on."""
        out: dict[str, NDArray[np.generic]] = {"phase": np.array(self._index)}
        for number, phase in enumerate(self.phases):
            out[f"seconds.{number}"] = np.array(phase.seconds, np.float64)
        return out | prefixed("current", self.current.state())

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where state() was called."""
        self._index = int(saved["phase"])
        for number, phase in enumerate(self.phases):
            phase.seconds = saved[f"seconds.{number}"].tolist()
        self.current.restore(part_of(saved, "current"))
