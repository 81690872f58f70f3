# SPDX-License-Identifier: GPL-3.0-or-later
"""A thread that renders what was asked for last, for a viewport."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .devices import give_back_memory
from .job import Job
from .progressive import ALPHA, CancelledError, ProgressiveRender, with_alpha

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from weft import Renderer, Scene
    from weft.render import PathSettings
    from weft.scene import Camera

    from .denoise import Denoiser
    from .progressive import Picture

log = logging.getLogger("weft")
PREVIEW = 4  # how many times smaller the first picture is


@dataclass(frozen=True, eq=False)
class Request:
    """What a viewport wants to show.

    Args:
        scene: What; the same object as before means that nothing in it changed.
        camera: From where.
        settings: How, with the number of samples after which the thread rests.
        denoiser: What removes the noise; None: it stays.
    """

    scene: Scene
    camera: Camera
    settings: PathSettings
    denoiser: Denoiser | None = None


class PictureServer:
    """Serves the newest request until the next one comes. Every method may be called by any thread.

    Args:
        make_renderer: Called in the server's thread.
        update_renderer: Likewise, to have the renderer take over another scene; returns whether it
            did. ``None``: each scene gets a new one.
    """

    def __init__(
        self,
        make_renderer: Callable[[Scene], Renderer],
        update_renderer: Callable[[Renderer, Scene], bool] | None = None,
    ) -> None:
        """Start the thread."""
        self._make_renderer = make_renderer
        self._update_renderer = update_renderer or (lambda _renderer, _scene: False)
        self._changed = threading.Condition()
        self._request: Request | None = None
        self._latest: tuple[int, NDArray[np.float32] | None] = (0, None)
        self._status = ""
        self._failure = ""
        self._renderer: Renderer | None = None
        self._scene: Scene | None = None
        self.job: Job[None] = Job(self._serve, "weft: viewport")

    def request(self, request: Request) -> None:
        """Ask for a picture; what was asked for before is dropped."""
        with self._changed:
            self._request = request
            self._changed.notify()

    def picture(self) -> tuple[int, NDArray[np.float32] | None]:
        """Return a number that grows with each picture, and the newest: (height, width, 4)."""
        return self._latest

    @property
    def status(self) -> str:
        """What is going on, one line."""
        return self._status

    @property
    def failure(self) -> str:
        """Why the last request could not be served; ""."""
        return self._failure

    def close(self) -> None:
        """End the thread as soon as possible; does not wait."""
        self.job.cancel()
        with self._changed:
            self._changed.notify()

    def _serve(self, cancelled: threading.Event) -> None:
        while not cancelled.is_set():
            with self._changed:
                self._changed.wait_for(lambda: self._request or cancelled.is_set(), timeout=1.0)
                request, self._request = self._request, None
            if request is None:
                continue
            try:
                self._failure = ""
                self._render(request, lambda: cancelled.is_set() or self._request is not None)
            except CancelledError:
                continue
            except Exception as error:
                log.warning("viewport: %s", error)
                self._failure = str(error)
                self._publish(None)
        renderer, self._renderer, self._scene = self._renderer, None, None
        if renderer is not None:
            device = renderer.device
            del renderer  # its memory first
            give_back_memory(device)

    def _take(self, scene: Scene) -> Renderer:
        """Return a renderer of a scene; failing, the one of the scene before stays."""
        if self._renderer is not None and scene is self._scene:
            return self._renderer
        self._status = "Preparing the scene"
        if self._renderer is None or not self._update_renderer(self._renderer, scene):
            self._renderer = None  # its memory first
            self._renderer = self._make_renderer(scene)
        self._scene = scene
        return self._renderer

    def _render(self, request: Request, is_dropped: Callable[[], bool]) -> None:
        renderer = self._take(request.scene)
        camera, settings = request.camera, request.settings
        small = replace(
            camera, width=max(camera.width // PREVIEW, 1), height=max(camera.height // PREVIEW, 1)
        )
        once = replace(settings, samples=1)
        alpha = () if settings.shows_environment else (ALPHA,)
        ProgressiveRender(renderer, small, once, alpha).run(
            lambda picture: self._show(request, picture, settings.samples), is_dropped
        )
        layers = (*(("albedo", "normal") if request.denoiser else ()), *alpha)
        ProgressiveRender(renderer, camera, settings, layers).run(
            lambda picture: self._show(request, picture, settings.samples), is_dropped
        )

    def _show(self, request: Request, picture: Picture, samples: int) -> None:
        self._status = f"Sample {picture.samples} of {samples}"
        color = picture.color
        if request.denoiser is not None:
            layers = picture.layers
            color = request.denoiser.denoise(
                color, albedo=layers.get("albedo"), normal=layers.get("normal")
            )
        self._publish(with_alpha(color, picture))

    def _publish(self, color: NDArray[np.float32] | None) -> None:
        self._latest = (self._latest[0] + 1, color)
