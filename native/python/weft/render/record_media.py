# SPDX-License-Identifier: Apache-2.0
"""Media whose numbers are fitted: paths that know them (shaders/weft/render/record_media.slang)."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, Tensor, grid, sort_by_key
from weft.layouts import FittedMedium, MediaLimit, MediumWord
from weft.render.media_stages import evaluate_media
from weft.scene.materials import closures_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._native import Function
    from weft.render.directions import Directions
    from weft.render.path_buffers import PathBuffers
    from weft.render.renderer import Renderer

MOST_MEDIA = MediaLimit.unknown
"""Materials whose media a fit has unknown numbers of."""


def fitted_media(renderer: Renderer, directions: Directions) -> list[int]:
    """Return the materials of whose media directions move numbers.

    Raises:
        ArgumentError: They are more than MOST_MEDIA, or the scene has what they cannot be fitted
            beside.
    """
    table = renderer.tables.materials
    moved = {
        name.owner
        for name, entry in table.ranges.items()
        if entry.is_medium and directions.moved[entry.first : entry.first + entry.size].any()
    }
    materials = renderer.scene.materials()
    numbers = [k for k, entry in enumerate(materials) if entry.volume and entry.name in moved]
    if not numbers:
        return []
    if len(numbers) > MOST_MEDIA:
        raise ArgumentError(
            f"Fit: numbers of the media of {len(numbers)} materials are unknown, "
            f"{MOST_MEDIA} can be at a time; leave some out"
        )
    for material, record in zip(materials, table.records, strict=True):
        program = table.programs[record[0]]
        name = materials[numbers[0]].name
        if program.wanders:
            raise ArgumentError(
                f"Fit: '{material.name}' has subsurface scattering, beside which numbers of media "
                f"have no derivative; leave out those of '{name}', or hide that object"
            )
        if program.passes and not program.is_boundary:
            raise ArgumentError(
                f"Fit: '{material.name}' lets part of the light pass straight, beside which "
                "numbers of media have no derivative; leave out those of "
                f"'{name}', or hide that object"
            )
    return numbers


class MediaRecorder:
    """What a Recorder needs for media that are fitted.

    Args:
        renderer: Of the scene.
        materials: Numbers of the materials whose media are fitted.
        directions: Of forward mode.
    """

    def __init__(
        self, renderer: Renderer, materials: Sequence[int], directions: Directions
    ) -> None:
        """Upload the tables and load the kernels."""
        self.materials, self.directions = materials, directions
        device = renderer.device
        self.counts = [directions.lengths[number] for number in materials]
        entries = max(sum(directions.lengths), 1)
        bits = np.zeros(len(renderer.tables.materials.records), np.uint32)
        for slot, number in enumerate(materials):
            bits[number] = slot + 1 | FittedMedium.scatters * _may_scatter(renderer, number)
        self.slopes = Tensor.zeros(device, (entries, MediumWord.end))
        own = renderer.tables.view["media"]
        self.view = own | {
            "coefficients": Tensor.zeros(device, own["coefficients"].shape),
            "fitted": Tensor.from_numpy(device, bits),
            "unknown": Tensor.from_numpy(device, np.array(materials, np.uint32)),
            "unknownCount": len(materials),
            "slopes": self.slopes,
        }
        self.renderer = _knowing(renderer)
        self.renderer.tables = copy(renderer.tables)
        self.renderer.tables.view = renderer.tables.view | {"media": self.view}
        self.shared = self.renderer.modules.shared

    @property
    def most(self) -> int:
        """Most directions that a segment answers."""
        return sum(self.counts)

    def evaluate(self, scene: dict[str, Any]) -> None:
        """Compute the coefficients of all media from a view of the scene's parameters."""
        evaluate_media(self.renderer, self.renderer.tables, scene)

    def differentiate(self, scene: dict[str, Any]) -> None:
        """Compute what the directions, which are the view's tangents, do to the coefficients."""
        table = self.renderer.tables.materials
        for number, count in zip(self.materials, self.counts, strict=True):
            module = self.renderer.modules.recording(int(table.records[number, 0]))
            if count:
                directions = self.directions.view
                lanes = grid((count,))
                module.programSlopes(lanes, scene, directions, number, self.slopes)

    def find_segments(self, buffers: PathBuffers, count: int, scene: dict[str, Any]) -> int:
        """Sort `count` paths, those with a segment in media first. Return how many these are."""
        self.shared.mark(grid((count,)), scene, buffers.view(), _result=buffers.keys[:count])
        return sort_by_key(buffers.keys, buffers.queue, count, 2)[1]

    def record(
        self,
        buffers: PathBuffers,
        count: int,
        scene: dict[str, Any],
        records: dict[str, Any],
        step: dict[str, int],
    ) -> None:
        """Leave records of the first `count` sorted paths."""
        self.shared.recordMedia(grid((count,)), scene, buffers.view(), records, step)

    def scatter(
        self,
        buffers: PathBuffers,
        ends: list[int],
        scene: dict[str, Any],
        records: dict[str, Any],
        step: dict[str, int],
    ) -> None:
        """Take the sorted paths on that media scatter."""
        own = len(self.renderer.tables.materials.programs) + 2
        length = ends[own + 1] - ends[own]
        if length:
            paths = buffers.view(ends[own])
            self.shared.recordScattered(grid((length,)), scene, paths, records, step)

    def replay(
        self, count: int, scene: dict[str, Any], records: dict[str, Any], *, with_tangents: bool
    ) -> None:
        """Evaluate `count` segments."""
        if with_tangents:
            self.shared.mediaTangents(grid((count,)), scene, records, self.directions.view)
        else:
            self.shared.replayMedia(grid((count,)), scene, records)

    def calls(
        self,
        buffers: PathBuffers,
        scene: dict[str, Any],
        records: dict[str, Any],
        step: dict[str, int],
    ) -> list[tuple[Function, Sequence[Any]]]:
        """Return calls of all kernels, for compile_together()."""
        lanes, paths, shared = grid((256,)), buffers.view(), self.shared
        directions, table = self.directions.view, self.renderer.tables.materials
        programs = {int(table.records[number, 0]) for number in self.materials}
        slopes = (lanes, scene, directions, 0, self.slopes)
        return [
            (shared.mark, (lanes, scene, paths)),
            (shared.recordMedia, (lanes, scene, paths, records, step)),
            (shared.recordScattered, (lanes, scene, paths, records, step)),
            (shared.replayMedia, (lanes, scene, records)),
            (shared.mediaTangents, (lanes, scene, records, directions)),
            *((self.renderer.modules.recording(k).programSlopes, slopes) for k in programs),
        ]


def _may_scatter(renderer: Renderer, material: int) -> bool:
    """Return whether the medium of a material scatters, now or with other numbers."""
    volume = renderer.scene.materials()[material].volume
    assert volume is not None
    return any("scattering" in closure.inputs for closure in closures_of(volume))


def _knowing(renderer: Renderer) -> Renderer:
    """Return the renderer of a scene whose paths know what media do; the kernels are made once."""
    if "media" not in renderer.kept:
        out = copy(renderer)
        out.sorts_paths = True
        out.traits = replace(renderer.traits, fits_media=True, sorts_paths=True)
        out.modules = out.load_modules(out.traits)
        out.native.set_scene(out.tracer, out.modules)
        out.forget_paths()
        out.kept = {}  # else they would hold each other
        renderer.kept["media"] = out
    kept: Renderer = renderer.kept["media"]
    return copy(kept)
