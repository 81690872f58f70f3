# SPDX-License-Identifier: Apache-2.0
"""How rendering is cancelled: between two segments of the paths under way."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from contextlib import AbstractContextManager


class Interrupted(Exception):
    """Rendering was cancelled; its image is not complete and must not be used.

    The name of C++, ``core::Interrupted``.
    """


class Interrupt:
    """A cancellation token of rendering. Every renderer has one."""

    def __init__(self) -> None:
        """Nothing is cancelled."""
        self._event: threading.Event | None = None

    @contextmanager
    def cancelled_by(self, event: threading.Event | None) -> Iterator[None]:
        """Cancel what renders inside the ``with`` block once an event is set.

        Args:
            event: May be set by any thread; ``None``: nothing is cancelled.
        """
        before, self._event = self._event, event
        try:
            yield
        finally:
            self._event = before

    def by(self, event: threading.Event | None) -> AbstractContextManager[None]:
        """Return cancelled_by(), which was called so in the release before."""
        warnings.warn(
            "weft.render.interrupt: Interrupt.by() is called cancelled_by() now; use that name, "
            "the old one goes in a later release",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.cancelled_by(event)

    def check(self) -> None:
        """Raise Interrupted if the event is set."""
        if self._event is not None and self._event.is_set():
            raise Interrupted


def __getattr__(name: str) -> object:
    """Return what was called otherwise in the release before, and warn."""
    if name == "DrawInterrupted":
        warnings.warn(
            "weft.render.interrupt: 'DrawInterrupted' is called 'Interrupted' now; use that name, "
            "the old one goes in a later release",
            DeprecationWarning,
            stacklevel=2,
        )
        return Interrupted
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
