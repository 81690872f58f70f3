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
