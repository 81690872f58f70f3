# SPDX-License-Identifier: Apache-2.0
"""Stages of the paths of one scene, between surfaces (native/render/path_stages.hpp)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft.render.scene_on_device import SceneOnDevice

if TYPE_CHECKING:
    from weft._native import PathBuffers
    from weft.render.path_settings import PathSettings


class PathStages(SceneOnDevice):
    """What a Renderer does with paths that are under way."""

    def segments(self, settings: PathSettings) -> int:
        """Return how many segments the longest path has, at most."""
        return self.native.segments(settings)

    def has_ended(self, ends: list[int]) -> bool:
        """Return whether trace_and_sort() has found no path that is under way."""
        return self.native.has_ended(ends)

    def trace_and_sort(
        self, buffers: PathBuffers, count: int, bounce: int, step: dict[str, Any] | None = None
    ) -> list[int]:
        """Trace one segment of `count` paths and sort them by what they hit.

        With `step` they go through the media before that, which may scatter them.

        Returns:
            Where each program begins in the queue, then the paths that escaped, then those that
            met what is hidden from them, those that media scatter, then those that have ended.
        """
        return self.native.trace_and_sort(self.tables.view, buffers, count, bounce, step)

    def trace_segment(self, buffers: PathBuffers, count: int, bounce: int) -> None:
        """Trace one segment of `count` paths, and the light rays of the one before."""
        self.native.trace_segment(self.tables.view, buffers, count, bounce)

    def sort_segment(self, buffers: PathBuffers, count: int) -> list[int]:
        """Sort `count` paths that have been traced, see trace_and_sort()."""
        return self.native.sort_segment(self.tables.view, buffers, count)

    def escape(
        self,
        buffers: PathBuffers,
        ends: list[int],
        step: dict[str, Any],
        scene: dict[str, Any] | None = None,
    ) -> None:
        """End the sorted paths that left the scene; `scene` is the view of other lights."""
        self.native.escape(scene or self.tables.view, buffers, ends, step)

    def skip_hidden(
        self,
        buffers: PathBuffers,
        ends: list[int],
        step: dict[str, Any],
        scene: dict[str, Any] | None = None,
    ) -> None:
        """Send the sorted paths on that met what is hidden from them; `scene` as in escape()."""
        self.native.skip_hidden(scene or self.tables.view, buffers, ends, step)

    def scatter(
        self,
        buffers: PathBuffers,
        ends: list[int],
        step: dict[str, Any],
        scene: dict[str, Any] | None = None,
        records: dict[str, Any] | None = None,
    ) -> None:
        """Take the sorted paths on that media scatter, above surfaces or below them.

        Args:
            buffers: Of the paths.
            ends: Of the groups of the sorted paths.
            step: Of the segment.
            scene: As in escape().
            records: Where the steps of walks go that began at recorded surfaces; ``None``: none
                did.
        """
        self.native.scatter(scene or self.tables.view, buffers, ends, step, records)
