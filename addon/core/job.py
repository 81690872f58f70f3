# SPDX-License-Identifier: GPL-3.0-or-later
"""Work in a thread that the user interface starts, looks at and cancels."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


class Job(Generic[Result]):
    """One run of a function in a thread of its own.

    Args:
        work: Called with the event that says to end early.
        name: Of the thread.
        leave: Called by abandon(): ends waits of the thread that the event does not end.
    """

    def __init__(
        self,
        work: Callable[[threading.Event], Result],
        name: str,
        leave: Callable[[], None] | None = None,
    ) -> None:
        """Start the thread."""
        self.cancelled = threading.Event()
        self._leave = leave
        self.error: Exception | None = None
        self._result: Result | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), name=name, daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether result() returns at once."""
        return not self._thread.is_alive()

    def cancel(self) -> None:
        """Ask the function to end early; does not wait."""
        self.cancelled.set()

    def abandon(self) -> None:
        """Ask it to end at once: what it has found is not wanted. Does not wait."""
        self.cancelled.set()
        if self._leave is not None:
            self._leave()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; return whether it has come."""
        self._thread.join(seconds)
        return self.is_done

    def result(self) -> Result:
        """Wait, and return what the function returned, or raise what it raised."""
        self._thread.join()
        if self.error is not None:
            raise self.error
        return self._result  # type: ignore[return-value]  # set by _run, may be None itself

    def _run(self, work: Callable[[threading.Event], Result]) -> None:
        try:
            self._result = work(self.cancelled)
        except Exception as error:
            self.error = error
