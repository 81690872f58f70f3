# SPDX-License-Identifier: Apache-2.0
"""Operators without the window that they run in."""

from __future__ import annotations

from addon.core.pacer import Pacer


class Unbound:
    """An operator's methods without Blender's window, which a test does not have."""

    def __init__(self, cls):
        self._timer = None
        self.reports = []
        self.pacer = Pacer()
        for name in ("begin", "modal", "prepare", "go_on", "show_problems", "conclude"):
            setattr(self, name, getattr(cls, name).__get__(self))

    def leave(self, context, status):
        session = context.window_manager.weft_session
        session.fit = session.loading = None
        return status

    def report(self, kind, text):
        self.reports.append((kind, text))


class Event:
    """An event of the window."""

    def __init__(self, type, value=""):
        self.type = type
        self.value = value
