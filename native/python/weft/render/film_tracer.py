# SPDX-License-Identifier: Apache-2.0
"""Batches of paths from a camera to a film, with the memory and the kernels that they need."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Module, Tensor, grid
from weft.layouts import Background
from weft.render.light_stages import light_calls
from weft.render.media import camera_media
from weft.render.path_buffers import PathBuffers, camera_view, path_rows, whole_groups
from weft.render.path_limits import limit_settings
from weft.render.path_settings import FILTERS
from weft.render.path_stages import NEVER, PathStages
from weft.render.prepare import compile_together
from weft.render.stages import print_stages
from weft.render.walks import walk_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from weft._native import Function
    from weft.render.interrupt import Interrupt
    from weft.render.path_settings import PathSettings
    from weft.render.prepare import Compiling
    from weft.scene import Camera, Scene


class FilmTracer(PathStages):
    """Traces the paths of one scene in batches and sums them up in films.

    Attributes:
        scene: What is rendered.
        batch: Most paths that are under way at a time.
        interrupt: Gives up what is under way.
        compiling: How many kernels are compiled.
    """

    scene: Scene
    batch: int
    interrupt: Interrupt
    compiling: Compiling
    _buffers: PathBuffers | None
    _numbers: Tensor | None
    _stage_modules: dict[str, Module]
    _is_compiled: bool

    @property
    def capacity(self) -> int:
        """Paths for which there is memory now."""
        return 0 if self._buffers is None else self._buffers.capacity

    def forget_buffers(self) -> None:
        """Make new memory for paths when they are drawn next."""
        self._buffers = None

    def buffers(self, paths: int) -> PathBuffers:
        """Return memory for at least so many paths."""
        if self._buffers is None or self._buffers.capacity < paths:
            self._buffers = None  # room for the new ones
            self._buffers = PathBuffers(
                self.device,
                self.tracer,
                whole_groups(paths),
                path_rows(self.traits),
            )
        return self._buffers

    def forget_paths(self) -> None:
        """Give back the memory of paths; the next picture takes it again."""
        self._buffers = None

    def picture(
        self,
        camera: Camera,
        settings: PathSettings,
        progress: Callable[[float], None] | None = None,
        **step: int,
    ) -> NDArray[np.float32]:
        """Return a picture; `step` replaces settings of path.slang."""
        pixels = camera.width * camera.height
        film = Tensor.zeros(self.device, (pixels * 3,))
        done = 0
        for part, samples in self.batches(pixels, settings.samples):
            self._trace(camera, settings, film, part, samples, step)
            done += part[1] * samples[1]
            if progress is not None:
                self.device.wait()
                progress(done / (pixels * settings.samples))
        sums = np.asarray(film.to_numpy(), np.float32)
        factor = np.float32(settings.exposure / settings.samples)
        return (sums * factor).reshape(camera.height, camera.width, 3)

    def coverage(
        self, camera: Camera, settings: PathSettings, progress: Callable[[float], None] | None
    ) -> NDArray[np.float32]:
        """Return what part of each pixel is covered, shape (height, width, 1)."""
        first = replace(settings, bounces=0, exposure=1.0)
        look = None if progress is None else lambda _share: progress(1.0)
        beyond = self.picture(camera, first, look, background=Background.alone)
        return np.asarray(1 - beyond.mean(axis=2, keepdims=True), np.float32)

    def batches(
        self, pixels: int, samples: int
    ) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """Yield (first, count) of pixels and of samples: parts of at most `batch` paths."""
        at_once = min(samples, max(self.batch // pixels, 1))
        for first in range(0, samples, at_once):
            count, pixel = min(at_once, samples - first), 0
            while pixel < pixels:
                # `batch` may change meanwhile, see addon/core/progressive.py.
                rows = max(min(self.batch // at_once, pixels - pixel), 1)
                yield (pixel, rows), (first, count)
                pixel += rows

    def generate(
        self,
        camera: Camera,
        settings: PathSettings,
        buffers: PathBuffers,
        step: dict[str, int],
        count: int,
        pixels: Tensor | None = None,
    ) -> None:
        """Start `count` paths of a camera.

        Args:
            camera: Which.
            settings: How paths are traced.
            buffers: Where.
            step: Settings of the first step.
            count: Number of paths.
            pixels: Numbers of pixels, ``y * width + x``; ``None``: all, in order.
        """
        buffers.view["pixels"] = (
            self._pixel_numbers(camera.width * camera.height) if pixels is None else pixels
        )
        view = camera_view(camera, settings.filter_width)
        buffers.transparent_bounces = settings.transparent_bounces
        if self.traits.has_media:
            inside = camera_media(self.scene, camera)
            buffers.view["startMedia"] = Tensor.from_numpy(self.device, inside)
        self.stages(camera, settings).generate(grid((count,)), view, buffers.view, step)

    def _compile(
        self,
        camera: Camera,
        settings: PathSettings,
        buffers: PathBuffers,
        step: dict[str, int],
        film: Tensor,
    ) -> None:
        """Compile all kernels before the first picture."""
        if self._is_compiled:
            return
        lanes, scene, paths = grid((256,)), self.tables.view, buffers.view
        modules, programs = self.modules, len(self.tables.materials.programs)
        stages = self.stages(camera, settings)
        view = camera_view(camera, settings.filter_width)
        calls: list[tuple[Function, Sequence[Any]]] = [
            (module.programStep, (lanes, scene, paths, step)) for module in modules.programs
        ]
        calls.append((modules.shared.escape, (lanes, scene, paths, step)))
        calls.append((modules.shared.classify, (lanes, scene, paths, programs)))
        if self.traits.has_media:
            calls.append((modules.shared.cross, (lanes, scene, paths, step)))
            calls.append((modules.shared.scatter, (lanes, scene, paths, step)))
        calls += walk_calls(self, buffers, modules.shared, step)
        if self.tables.traits.has_hidden:
            calls.append((modules.shared.skip, (lanes, scene, paths, step)))
        calls.append((stages.generate, (lanes, view, paths, step)))
        calls.append((stages.develop, (lanes, paths, step, film)))
        calls += light_calls(self, buffers)
        compile_together(calls, self.interrupt, self.compiling)
        self._is_compiled = True

    def _pixel_numbers(self, count: int) -> Tensor:
        """Return at least the numbers 0 to count - 1."""
        if self._numbers is None or self._numbers.shape[0] < count:
            self._numbers = Tensor.from_numpy(self.device, np.arange(count, dtype=np.uint32))
        return self._numbers

    def stages(self, camera: Camera, settings: PathSettings) -> Module:
        """Return the stages that depend on the camera's kind only."""
        text = print_stages(camera, FILTERS.index(settings.filter), self.traits)
        if text not in self._stage_modules:
            self._stage_modules[text] = Module.load_from_source(self.device, "weft_stages", text)
        return self._stage_modules[text]

    def step_settings(
        self, settings: PathSettings, pixels: tuple[int, int], samples: tuple[int, int]
    ) -> dict[str, Any]:
        """Return StepSettings of path.slang for (first, count) of pixels and of samples."""
        return {
            "seed": settings.seed,
            "samples": samples[1],
            "firstSample": settings.first_sample + samples[0],
            "period": settings.period or NEVER,
            "firstPixel": pixels[0],
            "bounce": 0,
            "bounces": settings.bounces,
            "transparentBounces": settings.transparent_bounces,
            "rouletteFrom": NEVER if settings.roulette_from is None else settings.roulette_from,
            "background": int(not settings.shows_environment),
        } | limit_settings(self.scene)

    def _trace(
        self,
        camera: Camera,
        settings: PathSettings,
        film: Tensor,
        pixels: tuple[int, int],
        samples: tuple[int, int],
        changes: dict[str, int],
    ) -> None:
        """Trace some samples of some pixels and add them to the film."""
        count = pixels[1] * samples[1]
        buffers = self.buffers(count)
        step = self.step_settings(settings, pixels, samples) | changes
        self._compile(camera, settings, buffers, step, film)
        self.generate(camera, settings, buffers, step, count)
        for bounce in range(self.segments(settings)):
            step["bounce"] = bounce
            if self.sorts_paths:
                ends = self.trace_and_sort(buffers, count, bounce, step)
                if self.has_ended(ends):
                    break
            else:
                self.trace_segment(buffers, count, bounce)
                self._classify(buffers, count)
                ends = None
            self._launch_segment(buffers, count, step, ends)
            if ends is not None:
                self.skip_hidden(buffers, ends, step)
                self.scatter(buffers, ends, step)
        self.stages(camera, settings).develop(grid((pixels[1],)), buffers.view, step, film)
