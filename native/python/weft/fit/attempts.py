# SPDX-License-Identifier: Apache-2.0
"""Where fits of numbers have ended, and which numbers begin anew elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.fit.checkpoint import part_of, prefixed
from weft.fit.information import Information

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

MIN_AVERAGES = 2  # averaged draws after which another start is asked
MAX_START_ITERATIONS = 8  # draws that another start gets at most
AVERAGES_BEFORE_QUESTION = (
    4  # averaged draws after which numbers are asked whether anything tells them
)
ENOUGH_RETURNS = 2  # other starts that end at one place: no more are tried
SAME_DISTANCE = 0.05  # of the range: places that are nearer to each other are one
DOUBTFUL_ERROR = 0.05  # of the range: errors of numbers that are not compared


@dataclass(frozen=True)
class Place:
    """Where draws were averaged, and what they said: losses of the averaged model.

    Args:
        loss: Of all residuals.
        losses: Of the residuals of each group; see weft.fit.starts.group_losses().
        x: Parameters.
        errors: Standard errors.
        information: What the averaged draws say.
        moved: Which parameters began anew to get here.
        deviation: Of `loss`, by noise.
    """

    loss: float
    losses: NDArray[np.float64]
    x: NDArray[np.float64]
    errors: NDArray[np.float64]
    information: Information
    moved: NDArray[np.bool_]
    deviation: float = 0.0

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that there is, by name."""
        own = {name: np.asarray(getattr(self, name)) for name in SAVED}
        return own | prefixed("information", vars(self.information))

    @staticmethod
    def restore(saved: Mapping[str, NDArray[Any]]) -> Place:
        """Return the place of save()."""
        told: Mapping[str, NDArray[Any]] = part_of(saved, "information")
        return Place(
            float(saved["loss"]),
            saved["losses"],
            saved["x"],
            saved["errors"],
            Information(**told),
            saved["moved"],
            float(saved["deviation"]),
        )


SAVED = ("loss", "losses", "x", "errors", "moved", "deviation")


@dataclass
class Attempts:
    """The places where steps from different starts have ended.

    Args:
        groups: Number of the group of each parameter: groups begin anew on their own.
        extent: Ranges of the parameters.
        most: Starts, the first included.
        most_draws: All there will be: no other start is tried that could not come to its end;
            ``None``: any number.
    """

    groups: NDArray[np.int64]
    extent: NDArray[np.float64]
    most: int
    most_draws: int | None = None
    places: list[Place] = field(default_factory=list)
    moved: NDArray[np.bool_] = field(init=False)
    began: int = 0

    def __post_init__(self) -> None:
        """All begin at the start."""
        self.moved = np.ones(len(self.groups), bool)

    @property
    def best(self) -> Place | None:
        """The place that explains the residuals best; ``None`` before draws were averaged."""
        return min(self.places, key=lambda place: place.loss, default=None)

    def begin(self, moved: NDArray[np.bool_], draws: int) -> None:
        """Note that some parameters begin anew.

        Args:
            moved: Which.
            draws: So far.
        """
        self.moved, self.began = moved, draws

    def forget(self, draws: int) -> None:
        """Forget all places: their losses can no longer be compared."""
        self.places = []
        self.begin(np.ones(len(self.groups), bool), draws)

    def is_over(self, draws: int, averaged: int, is_still: bool) -> bool:
        """Return whether another start has shown what it leads to."""
        return draws - self.began >= MAX_START_ITERATIONS or (averaged >= MIN_AVERAGES and is_still)

    def may_go_on(self, draws: int) -> bool:
        """Return whether one more start is allowed, and could come to its end."""
        is_time_left = (
            self.most_draws is None
            or draws + MAX_START_ITERATIONS + AVERAGES_BEFORE_QUESTION <= self.most_draws
        )
        return len(self.places) < self.most and is_time_left

    def returned(self) -> NDArray[np.bool_]:
        """Return the parameters of groups whose other starts have ended at one place for good."""
        here, times = self.places[-1], np.zeros(len(self.groups), np.int64)
        for place in self.places[:-1]:
            is_told = np.maximum(here.errors, place.errors) < DOUBTFUL_ERROR * self.extent
            is_apart = is_told & (np.abs(here.x - place.x) > SAME_DISTANCE * self.extent)
            is_same = here.moved & place.moved & ~np.isin(self.groups, self.groups[is_apart])
            times += np.isin(self.groups, self.groups[is_same])
        returned: NDArray[np.bool_] = times >= ENOUGH_RETURNS
        return returned

    def gathered(self) -> NDArray[np.float64]:
        """Return the parameters of each group where they explain its residuals best."""
        losses = np.array([place.losses for place in self.places])
        best = losses.argmin(axis=0)[self.groups]
        places = np.array([place.x for place in self.places])
        gathered: NDArray[np.float64] = places[best, np.arange(len(best))]
        return gathered

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return all that later attempts depend on."""
        out: dict[str, NDArray[np.generic]] = {
            "attempts": np.array([len(self.places), self.began]),
            "moved": self.moved,
        }
        for number, place in enumerate(self.places):
            out |= prefixed(f"place{number}", place.save())
        return out

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go back to where save() was called."""
        count, self.began = map(int, saved["attempts"])
        self.moved = saved["moved"]
        self.places = [Place.restore(part_of(saved, f"place{number}")) for number in range(count)]
