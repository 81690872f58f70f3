# SPDX-License-Identifier: GPL-3.0-or-later
"""When a source that is being edited is to be compiled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

Key = TypeVar("Key")

SILENCE = 0.1
"""Seconds without a change before a source is compiled: typing goes on until then."""


class Watch(Generic[Key]):
    """Tells sources that changed from those that are still changing."""

    def __init__(self) -> None:
        """Begin without sources."""
        self._states: dict[Key, object] = {}
        self._changed: dict[Key, float] = {}

    def look(self, states: Mapping[Key, object], now: float) -> list[Key]:
        """Return the sources that changed and have been silent since, each once a change.

        Args:
            states: What differs whenever a source may have changed, by source. One that is new here
                has not changed.
            now: Time, seconds.
        """
        for key, state in states.items():
            if key in self._states and self._states[key] != state:
                self._changed[key] = now
            self._states[key] = state
        for key in set(self._states) - set(states):
            del self._states[key]
            self._changed.pop(key, None)
        due = [key for key, since in self._changed.items() if now - since >= SILENCE]
        for key in due:
            del self._changed[key]
        return due

    def expect(self, key: Key) -> None:
        """Have a source compiled although it was not seen to change."""
        self._changed[key] = -math.inf

    @property
    def is_busy(self) -> bool:
        """Whether a source has changed that is not yet due."""
        return bool(self._changed)
