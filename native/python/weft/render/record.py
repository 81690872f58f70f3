# SPDX-License-Identifier: Apache-2.0
"""Paths kept for a fit: drawn once, replayed without tracing (native/render/recorder.hpp)."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import RecordedLaunch, Tensor
from weft._native import Recorder as NativeRecorder
from weft.render.directions import Directions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.render.path_settings import PathSettings
    from weft.render.renderer import Renderer
    from weft.render.upload import SceneTables
    from weft.scene import Camera

__all__ = ["RecordedLaunch", "Recorder"]


class Recorder:
    """Draws paths of one camera, keeps the surfaces whose materials change, and replays them.

    Args:
        renderer: Of the scene.
        materials: Numbers of the materials whose parameters change.
        directions: Of forward mode; ``None`` for reverse mode only.
        tables: The scene under other lights; ``None``: as it is.
        with_texels: gradients() will be asked for, whether or not there are directions.

    Attributes:
        renderer: What traces the paths; of media that are fitted, one with their kernels.
        tables: The scene under the lights of the paths.
        directions: Of forward mode.

    Raises:
        ArgumentError: One of the materials is transparent, or cannot be fitted otherwise.
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
        self.native = NativeRecorder(
            renderer.native,
            renderer.tables.native,
            list(materials),
            self.directions.native,
            self.tables.native,
            with_texels,
        )
        self.renderer = renderer
        if self.has_media:
            self.renderer = copy(renderer)
            self.renderer.native = self.native.film
            self.renderer.traits = replace(renderer.traits, fits_media=True, sorts_paths=True)

    @property
    def has_media(self) -> bool:
        """Numbers of media change."""
        return self.native.has_media

    @property
    def scene(self) -> dict[str, Any]:
        """SceneView of the paths, with the scene's own parameters; a copy of the view."""
        return self.native.scene

    @property
    def view(self) -> dict[str, Any]:
        """RecordView of the last draw; empty where its memory was given back."""
        return self.native.view

    @property
    def launches(self) -> list[RecordedLaunch]:
        """What has left records in the last draw, in order."""
        return self.native.launches

    @property
    def row_count(self) -> int:
        """Floats of a record: the surface, and three for each direction of its material."""
        return self.native.row_count

    @property
    def pixels(self) -> int:
        """Pixels of the last draw."""
        return self.native.pixels

    @property
    def count(self) -> int:
        """Paths of the last draw."""
        return self.native.paths

    def record_bytes(self, surfaces: int) -> int:
        """Return how many bytes the records of so many surfaces take, at most."""
        return self.native.record_bytes(surfaces)

    def forget(self) -> None:
        """Give back the memory of the last draw; the next one takes it again."""
        self.native.forget()

    def forget_paths(self) -> None:
        """Let go of the paths of the last draw; records stay until the next one."""
        self.native.forget_paths()

    def draw(
        self, camera: Camera, settings: PathSettings, pixels: NDArray[np.uint32] | None = None
    ) -> None:
        """Draw `settings.samples` paths a pixel, and forget the ones before.

        Args:
            camera: The view.
            settings: How paths are traced.
            pixels: Numbers of pixels, ``y * width + x``; ``None``: all.

        Raises:
            ArgumentError: There is no such pixel.
            Interrupted: The renderer's interrupt says so.
        """
        if pixels is None:
            pixels = np.arange(camera.width * camera.height, dtype=np.uint32)
        media = np.asarray(self.renderer.start_media(camera), np.uint32)
        self.native.draw(camera, settings, np.asarray(pixels), media, self.renderer.interrupt)

    def replay(
        self, values: Tensor, texels: Tensor | None = None, *, with_tangents: bool = False
    ) -> None:
        """Evaluate all records for parameters.

        Args:
            values: All parameters of the scene.
            texels: Of all textures; ``None``: those of the scene.
            with_tangents: Derivatives along the directions as well.
        """
        self.native.replay(values, texels, with_tangents)

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
        self.native.gradients(values, pixel_gradients, gradients, texels, texel_gradients)

    def resolve_to_host(
        self, first: int, count: int, *, with_tangents: bool
    ) -> NDArray[np.float32]:
        """Return the mean of samples [first, first + count) of each pixel.

        Returns:
            Shape ``(1 + directions, pixels, 3)``: radiance, then its derivative along each
            direction; replay() with tangents comes first.

        Raises:
            ArgumentError: The draw does not have these samples.
        """
        blocks = 1 + (self.directions.count if with_tangents else 0)
        film = Tensor.empty(self.renderer.device, (blocks * self.pixels * 3,))
        self.resolve(first, count, film, blocks - 1)
        return film.to_numpy().reshape(blocks, self.pixels, 3)

    def resolve(self, first: int, count: int, film: Tensor, directions: int = 0) -> None:
        """Store what resolve_to_host() returns on the device, without waiting.

        Args:
            first: Number of the first sample.
            count: Of samples.
            film: Contiguous; takes ``3 * pixels * (1 + directions)`` floats.
            directions: 0, or all of them.

        Raises:
            ArgumentError: The draw does not have these samples, or the film is too small.
        """
        self.native.resolve(first, count, film, directions)

    def direct_fraction(self) -> NDArray[np.float32]:
        """Return the fraction of each pixel's samples whose first surface was recorded."""
        return self.native.direct_fraction()
