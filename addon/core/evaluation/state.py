# SPDX-License-Identifier: GPL-3.0-or-later
"""What is remembered of evaluations: what they were made from, and what went wrong."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

log = logging.getLogger("weft")

SLOW = 0.05
"""Seconds above which an evaluation leaves the main thread."""
ROUNDS = 4
"""How many rounds of a frame are always made before evaluations can be said to feed each other."""
FEEDING = (
    "evaluations feed each other: they were ended after {} rounds; let one of them not depend on "
    "the others"
)
"""What is said of them then, with the number of rounds."""


@dataclass
class Memory:
    """The last evaluation of a place that holds results.

    Args:
        function: Hash of what was evaluated.
        inputs: It was called with.
        count: Of the elements.
        seconds: That it took.
        reads_of: The attributes that it took by name.
        notes: What it had to say.
        number: Of evaluations so far: what a thread gives is old where it has grown meanwhile.
        frame: In which it was made.
        before: States that it began with, by the names of the inputs.
        after: What they became.
    """

    function: str = ""
    inputs: dict[str, Any] = field(default_factory=dict)
    count: int = -1
    seconds: float = 0.0

    reads_of: frozenset[str] = frozenset()
    notes: str = ""
    number: int = 0
    frame: int = 0
    before: dict[str, Any] = field(default_factory=dict)
    after: dict[str, Any] = field(default_factory=dict)

    def states(self, given: dict[str, Any], count: int, frame: int, first: int) -> dict[str, Any]:
        """Return the states that a frame begins with.

        Args:
            given: What states are at the first frame, by the names of the inputs.
            count: Of the elements; other ones begin anew.
            frame: Of the scene.
            first: Of the scene.
        """
        if frame == first or count != self.count or given.keys() != self.after.keys():
            return given
        return self.before if frame == self.frame else self.after

    def note_states(self, begun: dict[str, Any], ended: dict[str, Any], frame: int) -> None:
        """Note what a frame began and ended with."""
        self.before, self.after, self.frame = begun, ended, frame

    @property
    def is_slow(self) -> bool:
        """Whether the next one is better done in a thread."""
        return self.seconds > SLOW


@dataclass
class Rounds:
    """The rounds of a frame: places whose results were written, for each of them.

    What is written in a round takes what was written in the one before. Where no place feeds
    itself, any number of rounds in a row has written at least as many places.
    """

    written: list[set[Hashable]] = field(default_factory=list)

    @property
    def is_last(self) -> bool:
        """Whether places fed each other so far: the next round only tells which."""
        number = len(self.written)
        later = self.written[-(number // 2 + 1) :]
        return number >= ROUNDS and len(set().union(*later)) < len(later)


@dataclass
class Reports:
    """Sentences about sites, each said once in the console until it changes."""

    sentences: dict[str, str] = field(default_factory=dict)

    def say(self, site: str, sentence: str) -> None:
        """Note what is wrong at a site; "" where nothing is."""
        if self.sentences.get(site, "") == sentence:
            return
        if sentence:
            self.sentences[site] = sentence
            log.warning("Slang Evaluate: %s: %s", site, sentence)
        else:
            self.sentences.pop(site, None)

    def about(self, site: str) -> str:
        """Return what is wrong at a site, or ""."""
        return self.sentences.get(site, "")

    def keep(self, sites: Collection[str]) -> None:
        """Drop what was said of other sites, which are gone or have another name."""
        self.sentences = {site: own for site, own in self.sentences.items() if site in sites}

    def forget(self) -> None:
        """Drop all of them: the file is closed."""
        self.sentences.clear()
