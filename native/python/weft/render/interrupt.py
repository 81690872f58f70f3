# SPDX-License-Identifier: Apache-2.0
"""How a draw under way is ended: between two surfaces of its paths."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator


class DrawInterrupted(Exception):
    """A draw was ended; nothing may use what it has drawn."""


class Interrupt:
    """Whether draws shall end. Every renderer has one."""

    def __init__(self) -> None:
        """Let draws come to their ends."""
        self._event: threading.Event | None = None

    @contextmanager
    def by(self, event: threading.Event | None) -> Iterator[None]:
        """Let draws end when an event is set; ``None``: they come to their ends."""
        before, self._event = self._event, event
        try:
            yield
        finally:
            self._event = before

    def check(self) -> None:
        """Raise DrawInterrupted if draws shall end."""
        if self._event is not None and self._event.is_set():
            raise DrawInterrupted
