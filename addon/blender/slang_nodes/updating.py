# SPDX-License-Identifier: GPL-3.0-or-later
"""Follows the sources of the open file's nodes; the engine stays unloaded until one changes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ...core.job import Job
from ...core.slang_nodes.watching import Watch
from ...core.steps import Stepper
from .contents import content_of, state_of
from .tags import tagged_trees
from .users import is_editable

if TYPE_CHECKING:
    import bpy

    from ...core.slang_nodes.sources import SourceKey
    from .tags import Tag

STEP = 0.008
"""Seconds that a step of building takes in the main thread, at most about twice that."""


class Updater:
    """The open file's sources, and the work that their changes make.

    Every method is called in the main thread.
    """

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self.watch: Watch[SourceKey] = Watch()
        self.job: Job[Any] | None = None
        self.stepper: Stepper[int] | None = None
        self.updated = 0
        self._used: dict[SourceKey, tuple[str, ...]] = {}
        self._seen = -1.0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is compiled, built or waited for."""
        return self.job is None and self.stepper is None and not self.watch.is_busy

    @property
    def has_sources(self) -> bool:
        """Whether the file had Slang nodes when it was looked at last."""
        return bool(self._used)

    def forget(self) -> None:
        """Drop what is under way: the file was closed, or undo made other objects of everything."""
        if self.job is not None:
            self.job.cancel()
        if self.stepper is not None:
            self.stepper.close()
        self.job = self.stepper = None
        self._seen = -1.0

    def check_all(self) -> None:
        """Have sources compiled whose text is not the one that trees were made from."""
        for tree, tag in tagged_trees():
            if self._is_old(tree, tag):
                self.watch.expect(tag.source)

    def _is_old(self, tree: bpy.types.NodeTree, tag: Tag) -> bool:
        return is_editable(tree) and content_of(tag.source, tag.files) != tag.content

    def used_sources(self, now: float) -> dict[SourceKey, tuple[str, ...]]:
        """Return the sources of the file's nodes, with their files; looked up once a second."""
        if now - self._seen > 1 or self._seen < 0:
            self._seen = now
            known, self._used = self._used, {}
            for tree, tag in tagged_trees():
                self._used[tag.source] = tag.files
                # The text may have changed between the building of a node and this look.
                if tag.source not in known and self._is_old(tree, tag):
                    self.watch.expect(tag.source)
        return self._used

    def advance(self) -> bool:
        """Do a little; return whether a tree was changed."""
        now = time.monotonic()
        if self.stepper is not None:
            if self.stepper.advance(STEP):
                count = self.stepper.value or 0
                self.stepper = None
                self.updated += count
                return count > 0
            return False
        if self.job is not None:
            if self.job.is_done:
                from .rebuilding import apply

                job, self.job = self.job, None
                self.stepper = Stepper(apply(job.result()))
            return False
        used = self.used_sources(now)
        due = self.watch.look({key: state_of(key, files) for key, files in used.items()}, now)
        if due:
            # The engine is loaded here, not when a file is opened.
            from .rebuilding import prepare_all, work_of

            work = work_of(due)
            self.job = Job(lambda cancelled: prepare_all(work, cancelled), "weft-slang-nodes")
        return False
