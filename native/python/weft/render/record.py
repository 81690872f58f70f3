# SPDX-License-Identifier: Apache-2.0
"""Paths kept for a fit: drawn once, replayed without tracing (shaders/weft/render/record.slang)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, Tensor, grid
from weft.layouts import HeadRow, RecordRow
from weft.render.directions import Directions
from weft.render.light_stages import light_calls
from weft.render.path_buffers import PathBuffers
from weft.render.path_limits import all_light
from weft.render.prepare import compile_together
from weft.render.record_media import MediaRecorder, fitted_media
from weft.render.walks import walk_calls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft._native import Function
    from weft.render.path_buffers import PathBuffers
    from weft.render.path_settings import PathSettings
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


class Recorder:
    """Draws paths of one camera and replays them.

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
        self.media = _media_recorder(renderer, self.directions, with_texels)
        if self.media:
            renderer = self.media.renderer
            self.scene = self.scene | {"media": self.media.view}
        self.renderer = renderer  # kernels are those of all lights
        self.programs = _recorded_programs(renderer, materials, self.media is not None)
        _require_one_walk(renderer, materials)
        modules = renderer.sorting_modules
        self.shared = modules.shared
        self.modules = {number: modules.recording(number) for number in self.programs}
        self._rows: Tensor | None = None
        self._heads: Tensor | None = None  # of its own: buffers serve several recorders
        self.launches: list[RecordedLaunch] = []
        self.view: dict[str, Any] = {}
        self._is_compiled = False

    def _reserve(self, used: int, wanted: int, buffers: PathBuffers) -> None:
        """Make room for records; keeps the first `used` ones."""
        rows = RecordRow.slope + 3 * max(self.directions.most, 1)
        if self.media:
            rows = RecordRow.slope_behind + 3 * max(self.directions.most, self.media.most, 1)
        if self._rows is None or self._rows.shape[1] < wanted:
            capacity = (wanted * 5 // 4 + 255) // 256 * 256
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
        self.shared.close(grid((self.count,)), buffers.view, self.view)

    def _compile(self) -> None:
        """Compile all kernels before the first draw."""
        if self._is_compiled:
            return
        renderer, lanes, paths = self.renderer, grid((256,)), self.buffers.view
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
        calls += walk_calls(renderer, self.buffers, shared, step, self.view)
        calls.append((shared.close, (lanes, paths, self.view)))
        calls.append((shared.settle, (lanes, paths, self.view)))
        directed = self.directions.view
        developed = (lanes, scene, paths, self.view, step, 0, 1, 0, directed, self.pixels, values)
        calls.append((shared.developHalf, developed))
        if self.has_gradients:
            calls.append((shared.seed, (lanes, paths, self.view, step, values, 1, 1.0)))
        calls += light_calls(renderer, self.buffers)
        compile_together(calls, renderer.interrupt, renderer.compiling)
        self._is_compiled = True

    def _segment(self, buffers: PathBuffers, bounce: int) -> bool:
        """Take all paths over one surface. Return whether one was under way."""
        renderer, step = self.renderer, self.step
        scene = self.scene
        step["bounce"] = bounce
        renderer.trace_segment(buffers, self.count, bounce)
        if self.media:
            self._cross(self.media, buffers, bounce)
        elif renderer.traits.has_media:
            self.shared.cross(grid((self.count,)), scene, buffers.view, step)
        ends = renderer.sort_segment(buffers, self.count)
        for launch in self.launches:
            if launch.bounce != bounce - 1:
                continue
            self.view["first"] = launch.first
            self.shared.settle(grid((launch.count,)), buffers.view, self.view)
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
        for program in range(len(renderer.tables.materials.programs)):
            length = ends[program + 1] - ends[program]
            if not length:
                continue
            buffers.view["firstOfQueue"] = ends[program]
            if program not in self.programs:
                kernel = renderer.sorting_modules.programs[program].programStep
                kernel(grid((length,)), scene, buffers.view, step)
                continue
            self.view["first"] = used
            kernel = self.modules[program].programRecord
            kernel(grid((length,)), scene, buffers.view, self.view, step)
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

    def replay(
        self, values: Tensor, texels: Tensor | None = None, *, with_tangents: bool = False
    ) -> None:
        """Evaluate all records for parameters.

        Args:
            values: All parameters of the scene.
            texels: Of all textures; ``None``: those of the scene.
            with_tangents: Derivatives along the directions as well.
        """
        tangents = self.directions.seeds if with_tangents else None
        scene = self._scene(values, tangents=tangents, texels=texels)
        if self.media:
            self.media.evaluate(scene)
        if self.media and with_tangents:
            self.media.differentiate(scene)
        for launch in reversed(self.launches):
            self.view["first"] = launch.first
            if self.media and launch.program == MEDIA:
                self.media.replay(launch.count, scene, self.view, with_tangents=with_tangents)
                continue
            lanes, module = grid((launch.count,)), self.modules[launch.program]
            if with_tangents:
                module.programTangents(lanes, scene, self.view, self.directions.view)
            else:
                module.programReplay(lanes, scene, self.view)

    def gradients(
        self,
        values: Tensor,
        pixel_gradients: Tensor,
        gradients: Tensor,
        texels: Tensor | None = None,
        texel_gradients: Tensor | None = None,
    ) -> None:
        """Add to the gradients of parameters and texels. replay() for the same values comes first.

        Args:
            values: All parameters of the scene.
            pixel_gradients: Derivative of the loss with respect to the mean of each pixel's
                samples:
                flat, one block of 3 a pixel for each period of samples.
            gradients: Of the parameters; added to.
            texels: Of all textures; ``None``: those of the scene.
            texel_gradients: Of the texels; added to. ``None``: textures do not change.
        """
        scene = self._scene(
            values, gradients=gradients, texels=texels, texel_gradients=texel_gradients
        )
        weight = 1.0 / min(self.step["samples"], self.step["period"])
        self.shared.seed(
            grid((self.count,)),
            self.buffers.view,
            self.view,
            self.step,
            pixel_gradients,
            self.pixels,
            weight,
        )
        for launch in self.launches:
            self.view["first"] = launch.first
            kernel = self.modules[launch.program].programGradients
            kernel(grid((launch.count,)), scene, self.view)

    def develop(self, first: int, count: int, *, with_tangents: bool) -> NDArray[np.float32]:
        """Return the mean of samples [first, first + count) of each pixel.

        Returns:
            Shape ``(1 + directions, pixels, 3)``: radiance, then its derivative along each
            direction; replay() with tangents comes first.
        """
        if not 0 <= first < first + count <= self.step["samples"]:
            raise ArgumentError(
                f"Recorder.develop: samples {first} to {first + count} were asked for, "
                f"the draw has {self.step['samples']}"
            )
        blocks = 1 + (self.directions.count if with_tangents else 0)
        film = Tensor.empty(self.renderer.device, (blocks * self.pixels * 3,))
        self.resolve(first, count, film, blocks - 1)
        return film.to_numpy().reshape(blocks, self.pixels, 3)

    def resolve(self, first: int, count: int, film: Tensor, directions: int = 0) -> None:
        """Store what develop() returns on the device, without waiting.

        Args:
            first: Number of the first sample.
            count: Of samples.
            film: Contiguous; takes ``3 * pixels * (1 + directions)`` floats.
            directions: 0, or all of them.
        """
        self.shared.developHalf(
            grid((self.pixels,)),
            self.scene,
            self.buffers.view,
            self.view,
            self.step,
            first,
            count,
            directions,
            self.directions.view,
            self.pixels,
            film,
        )

    def direct_share(self) -> NDArray[np.float32]:
        """Return the share of each pixel's samples whose first surface was recorded."""
        heads = self.view["heads"][HeadRow.next, : self.count].to_numpy()
        # Without bounces, what lies before a surface was passed straight.
        whole = self.step["bounces"] == 0
        direct = sum(launch.count for launch in self.launches if whole or launch.bounce == 0)
        shown = heads.view(np.uint32) < direct
        share: NDArray[np.float32] = shown.reshape(self.pixels, -1).mean(axis=1, dtype=np.float32)
        return share

    def _scene(
        self,
        values: Tensor,
        tangents: Tensor | None = None,
        gradients: Tensor | None = None,
        texels: Tensor | None = None,
        texel_gradients: Tensor | None = None,
    ) -> dict[str, Any]:
        """Return the scene's tables with other parameters."""
        view = dict(self.scene)
        parameters = {
            "values": values,
            "tangents": values if tangents is None else tangents,
            "gradients": values if gradients is None else gradients,
            "firstTangent": 0,
        }
        view["materials"] = view["materials"] | {"parameters": parameters}
        if texels is not None:
            view["textures"] = view["textures"] | {"texels": texels}
        if texel_gradients is not None:
            view["textures"] = view["textures"] | {"gradients": texel_gradients, "hasGradients": 1}
        return view


def _media_recorder(
    renderer: Renderer, directions: Directions, with_texels: bool
) -> MediaRecorder | None:
    """Return what records media, where numbers of some change.

    Raises:
        ArgumentError: Textures change as well, or see fitted_media().
    """
    media = fitted_media(renderer, directions)
    if media and with_texels:
        name = renderer.scene.materials()[media[0]].name
        raise ArgumentError(
            f"Fit: the medium of '{name}' cannot be fitted together with textures; fit its numbers "
            "first, then the textures"
        )
    return MediaRecorder(renderer, media, directions) if media else None


def _recorded_programs(renderer: Renderer, materials: Sequence[int], with_media: bool) -> list[int]:
    """Return the programs whose surfaces leave records.

    Args:
        renderer: Of the scene.
        materials: That change.
        with_media: Media do: every light ray may pass one.

    Raises:
        ArgumentError: One of the materials lets light pass straight.
    """
    table = renderer.tables.materials
    own = {int(table.records[number, 0]) for number in materials}
    for number in materials:
        program = table.programs[table.records[number, 0]]
        if program.passes and not (with_media and program.is_boundary):
            raise ArgumentError(
                f"Fit: '{renderer.scene.materials()[number].name}' lets light pass straight, "
                "and shadows have no derivative; fit it with alpha 1, or fit what lies behind"
            )
    if with_media:
        own = set(range(len(table.programs)))
    return sorted(number for number in own if not table.programs[number].passes)


def _require_one_walk(renderer: Renderer, materials: Sequence[int]) -> None:
    """Refuse materials of several closures below which light wanders: walks of one are no others'.

    Raises:
        ArgumentError: There is one.
    """
    table = renderer.tables.materials
    for number in materials:
        if table.programs[table.records[number, 0]].walks > 1:
            raise ArgumentError(
                f"Fit: '{renderer.scene.materials()[number].name}' has several subsurface "
                "scatterings, and derivatives are known of one; give it one, or leave it out"
            )
