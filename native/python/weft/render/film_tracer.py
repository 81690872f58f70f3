# SPDX-License-Identifier: Apache-2.0
"""Batches of paths from a camera to a film (native/render/film_tracer.hpp)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from weft._native import camera_media, step_settings
from weft.render.path_stages import PathStages

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from weft._native import Compiling, PathBuffers, Tensor
    from weft.render.interrupt import Interrupt
    from weft.render.path_settings import PathSettings
    from weft.scene import Camera, Scene


class FilmTracer(PathStages):
    """Traces the paths of one scene in batches and sums them up in films.

    Attributes:
        scene: What is rendered.
        interrupt: Gives up what is under way.
    """

    scene: Scene
    interrupt: Interrupt

    def __copy__(self) -> Self:
        """Return one with the same scene, which goes its own way from then on."""
        out = object.__new__(type(self))
        out.__dict__.update(self.__dict__)
        out.native = self.native.copy()
        return out

    @property
    def batch(self) -> int:
        """Most paths that are under way at a time; it may change while a picture is made."""
        return self.native.batch

    @batch.setter
    def batch(self, paths: int) -> None:
        self.native.batch = paths

    @property
    def compiling(self) -> Compiling:
        """How many kernels are compiled."""
        return self.native.compiling

    @property
    def capacity(self) -> int:
        """Paths for which there is memory now."""
        return self.native.capacity

    def buffers(self, paths: int) -> PathBuffers:
        """Return memory for at least so many paths."""
        return self.native.buffers(paths)

    def forget_paths(self) -> None:
        """Give back the memory of paths; the next picture takes it again."""
        self.native.forget_paths()

    def picture(
        self,
        camera: Camera,
        settings: PathSettings,
        progress: Callable[[float], None] | None = None,
        background: int | None = None,
    ) -> NDArray[np.float32]:
        """Return a picture; `background` replaces what the settings say, see path.slang."""
        return self.native.picture(
            *self._scene_for(camera), camera, settings, background, progress, self.interrupt
        )

    def coverage(
        self, camera: Camera, settings: PathSettings, progress: Callable[[float], None] | None
    ) -> NDArray[np.float32]:
        """Return what part of each pixel is covered, shape (height, width, 1)."""
        report = None if progress is None else lambda _fraction: progress(1.0)
        return self.native.coverage(
            *self._scene_for(camera), camera, settings, report, self.interrupt
        )

    def layers(self, camera: Camera, settings: PathSettings) -> NDArray[np.float32]:
        """Return all rows of layers.slang, averaged over the samples, shape (height, width, n)."""
        return self.native.layers(*self._scene_for(camera), camera, settings)

    def centre_layers(self, camera: Camera, settings: PathSettings) -> NDArray[np.float32]:
        """Return layers() of the points at the centres of pixels."""
        return self.native.centre_layers(*self._scene_for(camera), camera, settings)

    def centre_hits(self, camera: Camera) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Return the instance and the triangle that the centre of each pixel shows."""
        return self.native.centre_hits(*self._scene_for(camera), camera)

    def generate(
        self,
        camera: Camera,
        settings: PathSettings,
        buffers: PathBuffers,
        step: dict[str, Any],
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
        _, limits, media = self._scene_for(camera)
        self.native.generate(limits, media, camera, settings, buffers, step, count, pixels)

    def step_settings(
        self, settings: PathSettings, pixels: tuple[int, int], samples: tuple[int, int]
    ) -> dict[str, Any]:
        """Return StepSettings of path.slang for (first, count) of pixels and of samples."""
        return step_settings(settings, self.scene.light_paths, pixels, samples)

    def _scene_for(self, camera: Camera) -> tuple[dict[str, Any], Any, NDArray[np.uint32]]:
        """Return the view of the scene, limits of its paths, and what a camera is in."""
        return self.tables.view, self.scene.light_paths, self.start_media(camera)

    def start_media(self, camera: Camera) -> NDArray[np.uint32]:
        """Return what a camera is in, as MediaStack of medium.slang has it; empty: nothing.

        Orthographic cameras begin in what their middle is in, and warn if their corners are
        elsewhere.
        """
        if not self.traits.has_media:
            return np.zeros(0, np.uint32)
        media, differs = camera_media(self.tables.geometry, camera)
        if differs:
            warnings.warn(
                "Renderer: a medium begins within the film of the orthographic camera; its paths "
                "begin in what the middle of the film is in",
                RuntimeWarning,
                stacklevel=2,
            )
        return media
