# SPDX-License-Identifier: Apache-2.0
"""Stages of the paths of one scene on the device, from one surface to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._native import grid, sort_by_key
from weft.render.light_stages import color_lights, dim_lights
from weft.render.scene_on_device import SceneOnDevice
from weft.render.walks import finish_walks

if TYPE_CHECKING:
    from weft._native import Function
    from weft.render.path_buffers import PathBuffers
    from weft.render.path_settings import PathSettings

NEVER = 0xFFFFFFFF


class PathStages(SceneOnDevice):
    """What a Renderer does with paths that are under way."""

    def segments(self, settings: PathSettings) -> int:
        """Return how many segments the longest path has."""
        if self.traits.is_uncounted:
            return NEVER  # has_ended() says when it is enough
        passes = settings.transparent_bounces if self.traits.is_see_through else 0
        return settings.bounces + 1 + passes

    def has_ended(self, ends: list[int]) -> bool:
        """Return whether trace_and_sort() has found no path that is under way."""
        return ends[len(self.tables.materials.programs) + 3] == 0

    def trace_and_sort(
        self, buffers: PathBuffers, count: int, bounce: int, step: dict[str, int] | None = None
    ) -> list[int]:
        """Trace one segment of `count` paths and sort them by what they hit.

        With `step` they go through the media before that, which may scatter them.

        Returns:
            Where each program begins in the queue, then the paths that escaped, then those that
            met what is hidden from them, those that media scatter, then those that have ended.
        """
        self.trace_segment(buffers, count, bounce)
        if self.traits.has_media and step is not None:
            self.modules.shared.cross(grid((count,)), self.tables.view, buffers.view, step)
        return self.sort_segment(buffers, count)

    def trace_to_visible(self, buffers: PathBuffers, count: int, step: dict[str, int]) -> list[int]:
        """Trace and sort the first segment of `count` paths until none meets what is hidden."""
        ends = self.trace_and_sort(buffers, count, 0)
        programs = len(self.tables.materials.programs)
        while ends[programs + 2] > ends[programs + 1]:
            self.skip_hidden(buffers, ends, step)
            ends = self.trace_and_sort(buffers, count, 0)
        return ends

    def trace_segment(self, buffers: PathBuffers, count: int, bounce: int) -> None:
        """Trace one segment of `count` paths, and the light rays of the one before."""
        if bounce > 0:
            if self.traits.has_glow:
                color_lights(self, buffers, count)
            if self.traits.is_see_through:
                dim_lights(self, buffers, count)
            self.tracer.trace_any(
                buffers.light_rays, buffers.light_visible, buffers.capacity, count
            )
        self.tracer.trace_closest(buffers.rays, buffers.hits, buffers.capacity, count)

    def sort_segment(self, buffers: PathBuffers, count: int) -> list[int]:
        """Sort `count` paths that have been traced, see trace_and_sort()."""
        self._classify(buffers, count)
        programs = len(self.tables.materials.programs)
        return sort_by_key(buffers.keys, buffers.queue, count, programs + 4)

    def _classify(self, buffers: PathBuffers, count: int) -> None:
        programs, lanes = len(self.tables.materials.programs), grid((count,))
        keys, scene = buffers.keys[:count], self.tables.view
        self.modules.shared.classify(lanes, scene, buffers.view, programs, _result=keys)

    def escape(
        self,
        buffers: PathBuffers,
        ends: list[int],
        step: dict[str, int],
        scene: dict[str, Any] | None = None,
    ) -> None:
        """End the sorted paths that left the scene; `scene` is the view of other lights."""
        own = len(self.tables.materials.programs)
        self._end_sorted(self.sorting_modules.shared.escape, own, buffers, ends, step, scene)

    def skip_hidden(
        self,
        buffers: PathBuffers,
        ends: list[int],
        step: dict[str, int],
        scene: dict[str, Any] | None = None,
    ) -> None:
        """Send the sorted paths on that met what is hidden from them; `scene` as in escape()."""
        own = len(self.tables.materials.programs) + 1
        self._end_sorted(self.sorting_modules.shared.skip, own, buffers, ends, step, scene)

    def scatter(
        self,
        buffers: PathBuffers,
        ends: list[int],
        step: dict[str, int],
        scene: dict[str, Any] | None = None,
        records: dict[str, Any] | None = None,
    ) -> None:
        """Take the sorted paths on that media scatter, above surfaces or below them.

        `scene` is as in escape(), `records` as in finish_walks().
        """
        if self.traits.has_media:
            own = len(self.tables.materials.programs) + 2
            kernel = self.sorting_modules.shared.scatter
            self._end_sorted(kernel, own, buffers, ends, step, scene)
        if self.traits.has_walks:
            finish_walks(self, buffers, ends, step, scene, records)

    def _end_sorted(
        self,
        kernel: Function,
        group: int,
        buffers: PathBuffers,
        ends: list[int],
        step: dict[str, int],
        scene: dict[str, Any] | None,
    ) -> None:
        """Run a kernel over one group of the sorted paths, if there are any."""
        length = ends[group + 1] - ends[group]
        if length:
            buffers.view["firstOfQueue"] = ends[group]
            kernel(grid((length,)), scene or self.tables.view, buffers.view, step)

    def _launch_segment(
        self, buffers: PathBuffers, count: int, step: dict[str, int], ends: list[int] | None
    ) -> None:
        """Take `count` paths over what they have hit; `ends` of the queue, if they are sorted."""
        programs = len(self.tables.materials.programs)
        for key in range(programs + 1):
            length = count if ends is None else ends[key + 1] - ends[key]
            if not length:
                continue
            buffers.view["firstOfQueue"] = 0 if ends is None else ends[key]
            buffers.view["key"] = key
            kernel = (
                self.modules.shared.escape
                if key == programs
                else self.modules.programs[key].programStep
            )
            kernel(grid((length,)), self.tables.view, buffers.view, step)
