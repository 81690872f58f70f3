# SPDX-License-Identifier: Apache-2.0
"""The path tracer: stages on the device, one after the other, for batches of paths."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from weft._native import Device, Module, Tensor, Tracer, grid, sort_by_key
from weft.layouts import Background
from weft.render.interrupt import Interrupt
from weft.render.layers import ALPHA, LayerPass, checked_names
from weft.render.light_stages import color_lights, dim_lights, light_calls, measure_lights
from weft.render.light_tree import LightSampling
from weft.render.media import camera_media, evaluate_media
from weft.render.modules import SceneModules, must_sort_paths
from weft.render.path_buffers import PathBuffers, camera_view, path_rows
from weft.render.path_limits import limit_settings
from weft.render.path_settings import FILTERS, PathSettings
from weft.render.prepare import Compiling, compile_together
from weft.render.relighting import build_tables, joined_traits
from weft.render.stages import print_stages
from weft.render.walks import finish_walks, walk_calls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from weft._native import Function
    from weft.scene import Camera, Scene

NEVER = 0xFFFFFFFF


class Renderer:
    """Renders one scene on one device.

    Args:
        device: Where.
        scene: What. Later changes of it do not show.
        batch: Most paths that are under way at a time; bounds the memory (about 150 bytes a path).
        light_sampling: How one of the lights is drawn at each surface: ``power``, by their powers;
            ``tree``, by about what they bring to the place; ``auto``, the tree where lamps at
            finite distance and objects that shine are 8 or more.
        lit_by: The scene under other lights and worlds, that relit() shall render with the same
            kernels.

    Raises:
        ArgumentError: The scene has no object, a mesh cannot be traced, or there is no such
            light_sampling.
        CompileError: A Slang function of a material does not compile.
    """

    def __init__(
        self,
        device: Device,
        scene: Scene,
        *,
        batch: int = 1 << 20,
        light_sampling: LightSampling = "auto",
        lit_by: Sequence[Scene] = (),
    ) -> None:
        """Upload the scene and load its programs."""
        self.device, self.scene, self.batch = device, scene, batch
        self.interrupt = Interrupt()
        self.compiling = Compiling()
        self.tables, self._relit = build_tables(device, scene, lit_by, light_sampling)
        every = [self.tables, *self._relit.values()]
        if not any(tables.may_shine for tables in every):
            warnings.warn(
                "Renderer: the scene has no light, pictures of it will be black; add a lamp, an "
                "emissive material or an environment",
                RuntimeWarning,
                stacklevel=2,
            )
        geometry = self.tables.geometry
        meshes = [(mesh.positions, mesh.triangles) for mesh in geometry.meshes]
        self.tracer = Tracer(device, meshes, geometry.mesh_of_instance, geometry.transforms)
        programs = self.tables.materials.programs
        # How many hidden surfaces a path meets, only the host can tell.
        self.sorts_paths = self.tables.traits.is_uncounted or must_sort_paths(device, len(programs))
        self.traits = replace(joined_traits(every), sorts_paths=self.sorts_paths)
        self.modules = SceneModules(device, programs, self.traits)
        for tables in every:
            evaluate_media(self, tables)
            if tables.traits.has_glow:
                measure_lights(self, tables)
        self._stage_modules: dict[str, Module] = {}
        self.kept: dict[str, Any] = {}  # what fits make once
        self._buffers: PathBuffers | None = None
        self._numbers: Tensor | None = None
        self._layer_pass: LayerPass | None = None
        self._is_compiled = False

    @cached_property
    def sorting_modules(self) -> SceneModules:
        """The modules whose launches serve the paths of one program only."""
        if self.sorts_paths:
            return self.modules
        programs = self.tables.materials.programs
        return SceneModules(self.device, programs, replace(self.traits, sorts_paths=True))

    def relit(self, scene: Scene) -> Renderer:
        """Return a renderer of the scene under other lights, which shares all else with this one.

        Args:
            scene: One of `lit_by`, or the renderer's own.
        """
        if scene is self.scene:
            return self
        out = copy(self)
        out.scene, out.tables, out._layer_pass = scene, self._relit[id(scene)], None
        return out

    def forget_buffers(self) -> None:
        """Make new memory for paths when they are drawn next."""
        self._buffers = None

    def buffers(self, paths: int) -> PathBuffers:
        """Return memory for at least so many paths."""
        if self._buffers is None or self._buffers.capacity < paths:
            self._buffers = PathBuffers(
                self.device,
                self.tracer,
                (paths + 255) // 256 * 256,
                path_rows(self.traits),
            )
        return self._buffers

    def forget_paths(self) -> None:
        """Give back the memory of paths; the next picture takes it again."""
        self._buffers = None

    @overload
    def render(
        self,
        camera: str | int | Camera = 0,
        settings: PathSettings | None = None,
        *,
        progress: Callable[[float], None] | None = None,
    ) -> NDArray[np.float32]: ...

    @overload
    def render(
        self,
        camera: str | int | Camera = 0,
        settings: PathSettings | None = None,
        *,
        aovs: Iterable[str],
        progress: Callable[[float], None] | None = None,
    ) -> dict[str, NDArray[np.float32]]: ...

    def render(
        self,
        camera: str | int | Camera = 0,
        settings: PathSettings | None = None,
        *,
        aovs: Iterable[str] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> NDArray[np.float32] | dict[str, NDArray[np.float32]]:
        """Return the picture of a camera.

        Args:
            camera: Name, number or camera.
            settings: How; ``None``: 64 samples, 8 bounces.
            aovs: What else: names of ``weft.render.AOVS``. ``albedo`` and ``normal`` (world space)
                are means over the pixel; ``depth`` (metres along the view, infinite where nothing
                is), ``uv``, ``object`` and ``material`` (numbers in the scene, -1: nothing) belong
                to the point at the pixel's centre. ``alpha`` is the share of the pixel in which the
                camera does not see past everything, through what lets light pass, too.
            progress: Called with the share that is done, in (0, 1], after each batch.

        Returns:
            Radiance, linear Rec.709, shape ``(height, width, 3)``, the top row first. With `aovs`
            a dict: the picture as ``"color"``, and each AOV, shape ``(height, width, channels)``.

        Raises:
            ArgumentError: There is no such camera or AOV.
        """
        chosen = self.scene.camera(camera)
        settings = settings or PathSettings()
        names = None if aovs is None else checked_names(aovs)
        image = self._picture(chosen, settings, progress)
        if names is None:
            return image
        layers = {}
        if ALPHA in names:
            names.remove(ALPHA)
            layers[ALPHA] = self._alpha(chosen, settings, progress)
        if self._layer_pass is None and names:
            self._layer_pass = LayerPass(self)
        if self._layer_pass and names:
            layers |= self._layer_pass.render(chosen, settings, names)
        return {"color": image} | layers

    def _picture(
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

    def _alpha(
        self, camera: Camera, settings: PathSettings, progress: Callable[[float], None] | None
    ) -> NDArray[np.float32]:
        """Return what part of each pixel is covered, shape (height, width, 1)."""
        first = replace(settings, bounces=0, exposure=1.0)
        look = None if progress is None else lambda _share: progress(1.0)
        beyond = self._picture(camera, first, look, background=Background.alone)
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
