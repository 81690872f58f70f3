# SPDX-License-Identifier: Apache-2.0
"""Paths drawn for a fit, and the records that they leave (shaders/weft/render/record.slang)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Tensor, compile_together, grid
from weft.layouts import HeadRow, RecordRow
from weft.render.directions import Directions
from weft.render.path_buffers import record_room
from weft.render.path_limits import all_light
from weft.render.recorded_programs import media_recorder, recorded_programs, require_one_walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft._native import Function
    from weft.render.path_buffers import PathBuffers
    from weft.render.path_settings import PathSettings
    from weft.render.record_media import MediaRecorder
    from weft.render.renderer import Renderer
    from weft.render.upload import SceneTables
    from weft.scene import Camera

MEDIA = -1
"""Stands for a program in launches of segments in media."""


@dataclass
class RecordedLaunch:
    """Records of one program at one bounce: neighbours."""

    program: int
    bounce: int
    first: int
    count: int


class PathRecords:
    """Paths of one camera, and records of the surfaces whose materials change.

    Args:
        renderer: Of the scene.
        materials: Numbers of the materials whose parameters change.
        directions: Of forward mode; ``None`` for reverse mode only.
        tables: The scene under other lights; ``None``: as it is.
        with_texels: gradients() will be asked for, whether or not there are directions.

    Raises:
        ArgumentError: One of the materials lets light pass straight.
    """

    def __init__(
        self,
        renderer: Renderer,
        materials: Sequence[int],
        directions: Directions | None,
        tables: SceneTables | None = None,
        *,
        with_texels: bool = False,
    ) -> None:
        """Load the kernels."""
        self.tables = tables or renderer.tables
        none = np.zeros((0, len(renderer.tables.materials.values)))
        self.directions = directions or Directions(renderer.device, renderer.tables.materials, none)
        self.has_gradients = with_texels or not self.directions.count
        # A light ray takes radiance for a constant; what changes must be met by a bounce.
        self.scene = self.tables.view_without_lights(materials)
        self.media = media_recorder(renderer, self.directions, with_texels)
        if self.media:
            renderer = self.media.renderer
            self.scene = self.scene | {"media": self.media.view}
        self.renderer = renderer  # kernels are those of all lights
        self.programs = recorded_programs(renderer, materials, self.media is not None)
        require_one_walk(renderer, materials)
        modules = renderer.sorting_modules
        self.shared = modules.shared
        self.modules = {number: modules.recording(number) for number in self.programs}
        self._rows: Tensor | None = None
        self._heads: Tensor | None = None  # of its own: buffers serve several recorders
        self.launches: list[RecordedLaunch] = []
        self.view: dict[str, Any] = {}
        self._is_compiled = False

    @property
    def row_count(self) -> int:
        """Floats of a record: the surface, and three for each direction of its material."""
        if self.media:
            most: int = max(self.directions.most, self.media.most, 1)
            return RecordRow.slope_behind + 3 * most
        return RecordRow.slope + 3 * max(self.directions.most, 1)

    def _reserve(self, used: int, wanted: int, buffers: PathBuffers) -> None:
        """Make room for records; keeps the first `used` ones."""
        rows = self.row_count
        if self._rows is None or self._rows.shape[1] < wanted:
            capacity = record_room(wanted)
            grown = Tensor.zeros(self.renderer.device, (rows, capacity))
            if self._rows is not None and used:
                grown[:, :used] = self._rows[:, :used]
            self._rows = grown
        if self._heads is None or self._heads.shape[1] != buffers.capacity:
            self._heads = Tensor.zeros(self.renderer.device, (HeadRow.end, buffers.capacity))
        self.view = {
            "rows": self._rows,
            "heads": self._heads,
            "capacity": self._rows.shape[1],
            "first": 0,
        }

    def forget(self) -> None:
        """Give back the memory of the last draw; the next one takes it again."""
        self._rows = self._heads = None
        self.view, self.launches = {}, []
        self.forget_paths()

    def forget_paths(self) -> None:
        """Let go of the paths of the last draw; records stay until the next one."""
        self.__dict__.pop("buffers", None)

    def draw(
        self, camera: Camera, settings: PathSettings, pixels: NDArray[np.uint32] | None = None
    ) -> None:
        """Draw `settings.samples` paths a pixel, and forget the ones before.

        Args:
            camera: The view.
            settings: How paths are traced.
            pixels: Numbers of pixels, ``y * width + x``; ``None``: all.

        Raises:
            DrawInterrupted: The renderer's interrupt says so.
        """
        renderer = self.renderer
        if pixels is None:
            pixels = np.arange(camera.width * camera.height, dtype=np.uint32)
        self.pixels, self.count = len(pixels), len(pixels) * settings.samples
        buffers = renderer.buffers(self.count)
        self.buffers = buffers
        self.step = renderer.step_settings(settings, (0, self.pixels), (0, settings.samples))
        self.step |= all_light()
        self._reserve(0, self.count // 2 if self._rows is None else 1, buffers)
        self._compile()
        numbers = Tensor.from_numpy(renderer.device, pixels)
        if self.media:
            self.media.evaluate(self.scene)
        renderer.generate(camera, settings, buffers, self.step, self.count, numbers)
        self.launches = []
        for bounce in range(renderer.segments(settings)):
            renderer.interrupt.check()
            if not self._segment(buffers, bounce):
                break
        self.shared.close(grid((self.count,)), buffers.view(), self.view)

    def _compile(self) -> None:
        """Compile all kernels before the first draw."""
        if self._is_compiled:
            return
        renderer, lanes, paths = self.renderer, grid((256,)), self.buffers.view()
        scene, shared, step = self.scene, self.shared, self.step
        values = renderer.tables.values
        calls: list[tuple[Function, Sequence[Any]]] = []
        for module in self.modules.values():
            if self.directions.count:
                tangents = (lanes, scene, self.view, self.directions.view)
                calls.append((module.programTangents, tangents))
            if self.has_gradients:
                calls.append((module.programGradients, (lanes, scene, self.view)))
            calls.append((module.programRecord, (lanes, scene, paths, self.view, step)))
            calls.append((module.programReplay, (lanes, scene, self.view)))
        calls += [
            (module.programStep, (lanes, scene, paths, step))
            for number, module in enumerate(renderer.sorting_modules.programs)
            if number not in self.modules
        ]
        calls.append((shared.escape, (lanes, scene, paths, step)))
        if renderer.tables.traits.has_hidden:
            calls.append((shared.skip, (lanes, scene, paths, step)))
        if self.media:
            calls += self.media.calls(self.buffers, scene, self.view, step)
        elif renderer.traits.has_media:
            calls.append((shared.cross, (lanes, scene, paths, step)))
            calls.append((shared.scatter, (lanes, scene, paths, step)))
        calls.append((shared.close, (lanes, paths, self.view)))
        calls.append((shared.settle, (lanes, paths, self.view)))
        directed = self.directions.view
        developed = (lanes, scene, paths, self.view, step, 0, 1, 0, directed, self.pixels, values)
        calls.append((shared.developHalf, developed))
        if self.has_gradients:
            calls.append((shared.seed, (lanes, paths, self.view, step, values, 1, 1.0)))
        view, native = renderer.tables.view, renderer.native
        more = native.walk_calls(view, self.buffers, step, self.view)
        more += native.light_calls(view, self.buffers)
        compile_together([*calls, *more], renderer.interrupt, renderer.compiling)
        self._is_compiled = True

    def _segment(self, buffers: PathBuffers, bounce: int) -> bool:
        """Take all paths over one surface. Return whether one was under way."""
        renderer, step, scene = self.renderer, self.step, self.scene
        step["bounce"] = bounce
        renderer.trace_segment(buffers, self.count, bounce)
        if self.media:
            self._cross(self.media, buffers, bounce)
        elif renderer.traits.has_media:
            self.shared.cross(grid((self.count,)), scene, buffers.view(), step)
        ends = renderer.sort_segment(buffers, self.count)
        for launch in self.launches:
            if launch.bounce != bounce - 1:
                continue
            self.view["first"] = launch.first
            self.shared.settle(grid((launch.count,)), buffers.view(), self.view)
        if renderer.has_ended(ends):
            return False
        used = sum(launch.count for launch in self.launches)
        wanted = sum(ends[program + 1] - ends[program] for program in self.programs)
        self._reserve(used, used + wanted, buffers)
        renderer.escape(buffers, ends, step, scene)
        renderer.skip_hidden(buffers, ends, step, scene)
        if self.media:
            self.media.scatter(buffers, ends, scene, self.view, step)
        else:
            renderer.scatter(buffers, ends, step, scene, self.view)
        sorting = renderer.sorting_modules
        for program in range(len(renderer.tables.materials.programs)):
            length = ends[program + 1] - ends[program]
            if not length:
                continue
            paths = buffers.view(ends[program])
            if program not in self.programs:
                kernel = sorting.programs[program].programStep
                kernel(grid((length,)), scene, paths, step)
                continue
            self.view["first"] = used
            kernel = self.modules[program].programRecord
            kernel(grid((length,)), scene, paths, self.view, step)
            self.launches.append(RecordedLaunch(program, bounce, used, length))
            used += length
        return True

    def _cross(self, media: MediaRecorder, buffers: PathBuffers, bounce: int) -> None:
        """Leave records of the segments in media."""
        length = media.find_segments(buffers, self.count, self.scene)
        if not length:
            return
        used = sum(launch.count for launch in self.launches)
        self._reserve(used, used + length, buffers)
        self.view["first"] = used
        media.record(buffers, length, self.scene, self.view, self.step)
        self.launches.append(RecordedLaunch(MEDIA, bounce, used, length))
