# SPDX-License-Identifier: Apache-2.0
"""What is promised of a case, and whether a run kept it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Measure(Enum):
    """How Weft's time is set against a reference."""

    TIME = "time"  # Weft's time over the reference's, at most the bound
    SPEED = "speed"  # Weft's throughput over the reference's, at least the bound
    BEYOND = "beyond"  # seconds that Weft takes beyond the reference, at most the bound
    SECONDS = "seconds"  # Weft's own seconds, at most the bound


@dataclass(frozen=True)
class Target:
    """A promise that holds on one category of device: "cuda", "vulkan" (a GPU) or "software"."""

    category: str
    measure: Measure
    bound: float
    reference: str = ""


@dataclass(frozen=True)
class Verdict:
    """A target with what came out; `value` is None where Weft or the reference was not measured."""

    target: Target
    value: float | None

    @property
    def is_kept(self) -> bool:
        """Whether the value is on the right side of the bound."""
        if self.value is None:
            return False
        if self.target.measure is Measure.SPEED:
            return self.value >= self.target.bound
        return self.value <= self.target.bound

    @property
    def word(self) -> str:
        """What the table says."""
        if self.value is None:
            return "not measured"
        return "pass" if self.is_kept else "miss"


def duration(seconds: float) -> str:
    """Return a time with three digits and a unit."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if abs(seconds) >= scale:
            return f"{seconds / scale:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def target_text(target: Target) -> str:
    """Return the promise in words, e.g. "speed >= 0.95 of torch"."""
    match target.measure:
        case Measure.TIME:
            return f"time <= {target.bound:.3g} of {target.reference}"
        case Measure.SPEED:
            return f"speed >= {target.bound:.3g} of {target.reference}"
        case Measure.BEYOND:
            return f"<= {duration(target.bound)} beyond {target.reference}"
        case Measure.SECONDS:
            return f"<= {duration(target.bound)}"


def value_text(verdict: Verdict) -> str:
    """Return the value in the target's unit."""
    if verdict.value is None:
        return "-"
    if verdict.target.measure in (Measure.TIME, Measure.SPEED):
        return f"{verdict.value:.2f}"
    return duration(verdict.value)


def median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else 0.5 * (ordered[middle - 1] + ordered[middle])


def judge(target: Target, rounds: Mapping[str, Sequence[float]]) -> Verdict:
    """Compare within each round, since a machine's speed drifts, and take the median of the rounds.

    Args:
        target: The promise.
        rounds: Seconds by system, one entry a round; "weft" is Weft.
    """
    own = rounds.get("weft", ())
    if target.measure is Measure.SECONDS:
        return Verdict(target, median(own) if own else None)
    pairs = list(zip(own, rounds.get(target.reference, ()), strict=False))
    if not pairs:
        return Verdict(target, None)
    match target.measure:
        case Measure.TIME:
            values = [weft / other for weft, other in pairs]
        case Measure.SPEED:
            values = [other / weft for weft, other in pairs]
        case _:
            values = [weft - other for weft, other in pairs]
    return Verdict(target, median(values))
