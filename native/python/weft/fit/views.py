# SPDX-License-Identifier: Apache-2.0
"""Targets with what a fit keeps for them, and the draws that serve them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.fit.seeds import mix_seeds
from weft.render.record import Recorder
from weft.render.renderer import PathSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.target import Target
    from weft.render.renderer import Renderer
    from weft.scene import Camera


@dataclass
class View:
    """A target with what the fit keeps for it."""

    target: Target
    camera: Camera
    recorder: Recorder
    image: NDArray[np.float32]  # (pixels, 3)
    weights: NDArray[np.float32]  # (pixels, 3)
    pixels: NDArray[np.uint32]  # that are drawn

    def show_all(self) -> None:
        """Draw all pixels that count."""
        self.pixels = counted_pixels(self.weights)


def counted_pixels(weights: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Return the numbers of the pixels that have a weight."""
    return np.flatnonzero(weights.max(axis=1) > 0).astype(np.uint32)


def build_views(
    renderer: Renderer, targets: Sequence[Target], materials: Sequence[int], tangents: int
) -> list[View]:
    """Return one view a target.

    Args:
        renderer: Of the scene.
        targets: Pictures.
        materials: Numbers of the materials that change.
        tangents: Directions of forward mode; 0 for reverse mode only.

    Raises:
        ArgumentError: There is no such camera, or it has another size than the picture.
    """
    views = []
    for target in targets:
        camera = renderer.scene.camera(target.camera)
        target.require_size(camera)
        weights = target.noise_weights().reshape(-1, 3)
        recorder = Recorder(renderer, materials, tangents)
        image = target.image.reshape(-1, 3)
        views.append(View(target, camera, recorder, image, weights, counted_pixels(weights)))
    return views


def draw_views(views: Sequence[View], *, samples: int, bounces: int, seed: int, draw: int) -> None:
    """Draw paths for all views, in two independent halves.

    Args:
        views: Of the fit.
        samples: Paths a pixel in each half.
        bounces: Surfaces that a path may leave.
        seed: Of the fit.
        draw: Number of the draw.
    """
    for number, view in enumerate(views):
        settings = PathSettings(
            samples=2 * samples,
            bounces=bounces,
            seed=mix_seeds(seed, draw, number),
            roulette_from=None,
            period=samples,
        )
        view.recorder.draw(view.camera, settings, view.pixels)
