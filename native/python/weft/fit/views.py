# SPDX-License-Identifier: Apache-2.0
"""Targets with what a fit keeps for them, and the draws that serve them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from weft._native import (
    NonFiniteError,
    ViewFilm,
    box_blur,
    counted_pixels,
    lattice_of,
    spread,
)
from weft.fit.devices import each_view
from weft.fit.seeds import mix_seeds
from weft.render.directions import Directions
from weft.render.first_hits import find_first_hits
from weft.render.path_settings import PathSettings
from weft.render.record import Recorder
from weft.scene.parameter_ref import owner_of
from weft.scene.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray

    from weft._native import Tensor
    from weft.fit.lighting import Lighting, LightPart
    from weft.fit.target import Target
    from weft.render.renderer import Renderer
    from weft.scene import Camera

MOST_LOST = 0.5  # of the pixels that are drawn
CHANNELS = 3
"""Of a pixel. Its residuals follow each other, and share their noise."""


@dataclass
class View:
    """A target with what the fit keeps for it."""

    target: Target
    camera: Camera
    recorders: list[Recorder]  # one a part of the light
    lights: list[int]  # of each part: number of the light whose factor it has; -1: none
    image: NDArray[np.float32]  # (pixels, 3)
    weights: NDArray[np.float32]  # (pixels, 3)
    pixels: NDArray[np.uint32]  # that are drawn
    # (pixels,): what a robust loss leaves of each; weights hold it.
    trust: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    # (pixels,): whose render was no number at any time; they do not count any more.
    lost: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))

    def __post_init__(self) -> None:
        """Trust all pixels."""
        if not len(self.trust):
            self.trust = np.ones(len(self.image), np.float32)
        if not len(self.lost):
            self.lost = np.zeros(len(self.image), bool)

    def replay(
        self,
        values: Mapping[int, Tensor],
        texels: Tensor | None = None,
        *,
        with_tangents: bool = False,
    ) -> None:
        """Evaluate the last draw; see Recorder.replay().

        Args:
            values: By id of the tensor of the scene that each stands for.
            texels: Of all textures; ``None``: those of the scene.
            with_tangents: Derivatives along the directions as well.
        """
        for recorder in self.recorders:
            own = values[id(recorder.tables.values)]
            recorder.replay(own, texels, with_tangents=with_tangents)

    def develop(self, first: int, count: int, *, with_tangents: bool) -> NDArray[np.float32]:
        """Return the mean of samples of each part.

        Returns:
            Shape ``(parts, 1 + directions, pixels, 3)``; 0 where any of it is no finite number.

        Raises:
            NonFiniteError: More than half of the pixels that are drawn are no numbers.
        """
        film = np.stack(
            [
                entry.resolve_to_host(first, count, with_tangents=with_tangents)
                for entry in self.recorders
            ]
        )
        bad = np.logical_not(np.isfinite(film).all(axis=(0, 1, 3)))
        film[:, :, bad] = 0
        self.leave_out(bad)
        return film

    def film(self, number: int, parts: NDArray[np.float32]) -> ViewFilm:
        """Return what develop() gave, with the picture and the weights of its pixels.

        Args:
            number: Of the view.
            parts: Of develop().
        """
        lights = [None if light < 0 else light for light in self.lights]
        return ViewFilm(number, parts, lights, self.pixels, self.weights, self.image)

    def leave_out(self, bad: NDArray[np.bool_]) -> None:
        """Let pixels not count any more.

        Args:
            bad: Which of those that are drawn.

        Raises:
            NonFiniteError: Those of all draws are more than half of the pixels that are drawn.
        """
        if not bad.any():
            return
        self.lost[self.pixels[bad]] = True
        # An array of its own: who keeps a copy elsewhere sees that it is another one.
        self.weights = np.where(self.lost[:, None], np.float32(0), self.weights)
        count = int(self.lost[self.pixels].sum())
        if count > MOST_LOST * len(self.pixels):
            raise NonFiniteError(
                f"Fit: {count} of {len(self.pixels)} pixels of target '{self.target.name}' are no "
                "finite numbers; look for inputs of materials or lights that are infinite or no "
                "numbers, and render the scene to see where"
            )

    def problems(self) -> list[Problem]:
        """Return what did not count of the view."""
        count = int(self.lost.sum())
        if not count:
            return []
        return [
            Problem(
                f"Target '{self.target.name}'",
                f"the render or its derivatives are no finite numbers in {count} pixels, which do "
                "not count; look for inputs of materials or lights that are no numbers",
                "the other pixels",
            )
        ]

    def show_all(self, stride: int = 1) -> None:
        """Draw all pixels that count, or those of them in every `stride`-th row and column."""
        self.pixels = lattice_of(counted_pixels(self.weights), self.camera.width, stride)

    def spread(self, values: NDArray[np.floating], radius: int) -> NDArray[np.float32]:
        """Return means over squares for all pixels that count; 0 where none is drawn nearby.

        Args:
            values: One a pixel that is drawn.
            radius: Pixels; a square has a side of 2 `radius` + 1.
        """
        extent = (self.camera.height, self.camera.width)
        return spread(values, self.pixels, extent, counted_pixels(self.weights), radius)


def build_views(
    renderer: Renderer,
    targets: Sequence[Target],
    materials: Sequence[int],
    directions: Directions | None,
    parts: Sequence[Sequence[LightPart]],
    *,
    with_texels: bool = False,
) -> list[View]:
    """Return one view a target.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        materials: Numbers of the materials that change.
        directions: Of forward mode; ``None`` for reverse mode only.
        parts: Of the light of each target.
        with_texels: Textures change as well.

    Raises:
        ArgumentError: There is no such camera, or it has another size than the picture.
    """
    views = []
    for target, own in zip(targets, parts, strict=True):
        camera = renderer.scene.camera(target.camera)
        target.require_size(camera)
        weights = target.noise_weights().reshape(-1, 3)
        recorders = [
            Recorder(renderer, materials, directions, part.tables, with_texels=with_texels)
            for part in own
        ]
        lights = [part.light for part in own]
        image, pixels = target.image.reshape(-1, 3), counted_pixels(weights)
        views.append(View(target, camera, recorders, lights, image, weights, pixels))
    return views


def build_shared_views(
    places: Sequence[Lighting],
    targets: Sequence[Target],
    shares: Sequence[int],
    materials: Sequence[int],
    rows: ArrayLike,
    *,
    with_texels: bool = False,
) -> list[View]:
    """Return one view a target, each on the device of its share.

    Args:
        places: Renderers of the scene, one a device, with the light of all targets.
        targets: Pictures.
        shares: Of each target, the number of its device.
        materials: Numbers of the materials that change.
        rows: Directions of forward mode, one a row.
        with_texels: Textures change as well.

    Raises:
        ArgumentError: As build_views().
    """
    views: dict[int, View] = {}
    for place, lighting in enumerate(places):
        renderer = lighting.renderer
        directions = Directions(renderer.device, renderer.tables.materials, rows)
        numbers = [number for number, share in enumerate(shares) if share == place]
        own = build_views(
            renderer,
            [targets[number] for number in numbers],
            materials,
            directions,
            [lighting.parts[number] for number in numbers],
            with_texels=with_texels,
        )
        views |= zip(numbers, own, strict=True)
    return [views[number] for number in range(len(targets))]


def materials_of(renderer: Renderer, names: Sequence[str]) -> list[int]:
    """Return the numbers of the materials that parameters belong to."""
    used = {owner_of(name) for name in names}
    materials = renderer.scene.materials()
    return [number for number, material in enumerate(materials) if material.name in used]


def find_shown(
    renderer: Renderer, view: View, materials: Sequence[int], around: int = 2
) -> NDArray[np.bool_]:
    """Return which pixels show materials, or lie within `around` pixels of one that does."""
    shown = np.isin(find_first_hits(renderer, view.camera).materials, materials)
    near: NDArray[np.bool_] = box_blur(shown[..., None].astype(np.float32), around).ravel() > 0
    return near


def save_views(views: Sequence[View]) -> dict[str, NDArray[np.generic]]:
    """Return which pixels of each view are drawn, and what they count."""
    out: dict[str, NDArray[np.generic]] = {}
    for number, view in enumerate(views):
        out |= {f"pixels.{number}": view.pixels, f"weights.{number}": view.weights}
        out |= {f"trust.{number}": view.trust, f"lost.{number}": view.lost}
    return out


def restore_views(views: Sequence[View], saved: Mapping[str, NDArray[Any]]) -> None:
    """Draw the pixels of save_views() again."""
    for number, view in enumerate(views):
        view.pixels, view.weights = saved[f"pixels.{number}"], saved[f"weights.{number}"]
        view.trust, view.lost = saved[f"trust.{number}"], saved[f"lost.{number}"]


def draw_views(views: Sequence[View], *, samples: int, bounces: int, seed: int, draw: int) -> None:
    """Draw paths for all views, in two independent halves.

    Args:
        views: Of the fit.
        samples: Paths a pixel in each half.
        bounces: Surfaces that a path may leave.
        seed: Of the fit.
        draw: Number of the draw.

    Raises:
        Interrupted: The renderer's interrupt says so.
    """
    most = max(len(view.pixels) for view in views)
    for recorder in (entry for view in views for entry in view.recorders):
        recorder.forget_paths()
    for renderer in {id(e.renderer): e.renderer for view in views for e in view.recorders}.values():
        renderer.buffers(2 * samples * most)  # for all views: fewer would be made anew

    def draw_view(number: int, view: View) -> None:
        for part, recorder in enumerate(view.recorders):
            settings = PathSettings(
                samples=2 * samples,
                bounces=bounces,
                seed=mix_seeds(seed, draw, number + len(views) * part),
                roulette_from=None,
                period=samples,
                filter=view.target.filter,
                filter_width=view.target.filter_width,
            )
            recorder.draw(view.camera, settings, view.pixels)

    each_view(views, draw_view)
